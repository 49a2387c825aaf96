"""Every adapter of `IssueShelf`: issues of a repository, as they are now, the newest of them."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters.memory_issues import MemoryIssues
from reactor.adapters.redis_issues import RedisIssues
from reactor.issue_index import IndexedIssue, IssueIndex, IssueShelf, IssueText
from tests.contract.samples import NOW

HERE, ELSEWHERE = "github.com/1", "github.com/2"


@pytest.fixture
def shelf(adapter: str, request: pytest.FixtureRequest) -> IssueShelf:
    if adapter == "memory":
        return MemoryIssues(most=3)
    client: Redis = request.getfixturevalue("redis_client")
    return RedisIssues(client, prefix=request.getfixturevalue("redis_prefix"), most=3)


def indexed(number: int, *, after_s: float = 0, title: str = "Brakes") -> IndexedIssue:
    return IndexedIssue(
        number=number,
        title=title,
        is_open=True,
        terms={"brakes": 3},
        changed_at=NOW + timedelta(seconds=after_s),
    )


async def numbers(shelf: IssueShelf, repository: str = HERE) -> list[int]:
    return sorted(issue.number for issue in await shelf.all(repository))


async def test_an_issue_comes_back_as_it_was_put_last(shelf: IssueShelf) -> None:
    await shelf.put(HERE, indexed(1))
    await shelf.put(HERE, indexed(1, after_s=5, title="Bräkes 刹车"))

    assert list(await shelf.all(HERE)) == [indexed(1, after_s=5, title="Bräkes 刹车")]


async def test_repositories_are_apart(shelf: IssueShelf) -> None:
    await shelf.put(HERE, indexed(1))
    await shelf.put(ELSEWHERE, indexed(2))

    assert (await numbers(shelf), await numbers(shelf, ELSEWHERE)) == ([1], [2])


async def test_what_was_removed_is_gone_and_may_come_again(shelf: IssueShelf) -> None:
    await shelf.put(HERE, indexed(1))
    await shelf.remove(HERE, 1)
    await shelf.remove(HERE, 7)
    assert await numbers(shelf) == []

    await shelf.put(HERE, indexed(1))

    assert await numbers(shelf) == [1]


async def test_those_that_were_changed_first_make_room(shelf: IssueShelf) -> None:
    for number in (1, 2, 3):
        await shelf.put(HERE, indexed(number, after_s=number))
    await shelf.put(HERE, indexed(1, after_s=10))  # changed again, so 2 is the oldest
    await shelf.put(HERE, indexed(4, after_s=11))

    assert await numbers(shelf) == [1, 3, 4]


async def test_an_index_finds_those_that_are_alike_and_never_the_issue_itself(
    shelf: IssueShelf,
) -> None:
    index = IssueIndex(shelf)
    new = text(3, "Brakes fail", "of the sled, on ice")
    for each in (text(1, "Sled brakes fail on ice"), text(2, "A darker theme"), new):
        await index.remember(HERE, each)

    found = await index.like(HERE, new, at_least=0.3)
    await index.forget(HERE, 1)

    assert [each.number for each in found] == [1]
    assert await index.like(HERE, new, at_least=0.3) == ()


def text(number: int, title: str, body: str = "") -> IssueText:
    return IssueText(number=number, title=title, text=body, is_open=True, changed_at=NOW)
