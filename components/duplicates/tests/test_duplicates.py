"""Which issues are named to whom, and that nothing else is ever done."""

from typing import Any

import pytest
from pydantic import ValidationError
from reactor_duplicates import DuplicatesComponent, DuplicatesSettings, PossibleDuplicates
from reactor_duplicates.component import Verdict

from reactor import Process
from reactor.ai import ModelUnavailable
from reactor.github import PostComment, in_code
from reactor.testing import (
    FakeAi,
    Workbench,
    account,
    effects,
    event,
    expect_effects,
    expect_ran,
    issue,
    ran,
    repository,
)

TITLE = "Sled brakes do not engage on ice"
BODY = "I pull the lever and the sled goes on. The brakes only engage on snow, never on ice."


class Site:
    """A repository whose issues come one after the other."""

    def __init__(self, *answers: object, **settings: Any) -> None:
        ai = FakeAi(*answers) if answers else None
        self.bench = Workbench(DuplicatesComponent, settings=settings, ai=ai)
        self._came = 0

    async def happens(self, what: str, number: int, title: str = TITLE, **fields: Any) -> Process:
        self._came += 1
        payload = issue(title, **{"number": number, "body": BODY, **fields})
        return await self.bench.run(event(f"issues.{what}", id=f"d-{self._came}", issue=payload))


def named(process: Process) -> str:
    (comment,) = effects(process)
    assert isinstance(comment, PostComment)
    return comment.body


async def test_a_new_issue_that_is_like_an_earlier_one_is_told_so() -> None:
    site = Site()
    await site.happens("opened", 1)

    process = await site.happens("opened", 2, "Brakes of the sled never engage on ice")

    assert ran(process) == [
        "duplicates.compare",
        "duplicates.judge_by_likeness",
        "duplicates.advise",
    ]
    assert f"- #1 `{TITLE}`" in named(process)


async def test_the_first_issue_is_like_none_and_never_like_itself() -> None:
    site = Site()

    first, again = await site.happens("opened", 1), await site.happens("opened", 1)

    expect_effects(first)
    expect_effects(again)


async def test_what_is_about_something_else_is_not_named() -> None:
    site = Site()
    await site.happens("opened", 1)

    process = await site.happens("opened", 2, "A darker theme", body="The colours are too bright.")

    expect_effects(process)


async def test_an_issue_is_told_once_however_often_it_comes() -> None:
    site = Site()
    await site.happens("opened", 1)
    first = await site.happens("opened", 2)

    again = await site.happens("opened", 2)

    assert len(effects(first)) == 1
    expect_effects(again)


@pytest.mark.parametrize("what", ["edited", "closed", "reopened", "labeled"])
async def test_only_a_new_issue_is_told(what: str) -> None:
    site = Site()
    await site.happens("opened", 1)

    process = await site.happens(what, 2)

    expect_effects(process)
    expect_ran(process, "duplicates.compare")


@pytest.mark.parametrize("what", ["deleted", "transferred"])
async def test_what_has_gone_is_not_named(what: str) -> None:
    site = Site()
    await site.happens("opened", 1)
    await site.happens(what, 1)

    expect_effects(await site.happens("opened", 2))


async def test_what_is_closed_is_named_as_such_and_what_was_edited_as_it_is_now() -> None:
    site = Site()
    await site.happens("opened", 1, "Something else", body="Nothing yet.")
    await site.happens("edited", 1)
    await site.happens("closed", 1, state="closed")

    assert f"- #1 `{TITLE}` (closed)" in named(await site.happens("opened", 2))


async def test_repositories_are_apart() -> None:
    site = Site()
    await site.happens("opened", 1)
    elsewhere = event(
        "issues.opened",
        id="d-9",
        issue=issue(TITLE, number=2, body=BODY),
        repository=repository("octo/other", id=7),
    )

    expect_effects(await site.bench.run(elsewhere))


async def test_bots_are_told_nothing() -> None:
    site = Site()
    await site.happens("opened", 1)

    expect_effects(await site.happens("opened", 2, user=account("helper", type="Bot")))


async def test_a_comment_names_so_many_and_the_most_alike_first() -> None:
    site = Site(most=2, same_at=0.4)
    for number in (1, 2, 3):
        await site.happens("opened", number, TITLE if number == 3 else "Brakes engage on ice not")

    lines = named(await site.happens("opened", 4)).splitlines()

    assert [line.split()[1] for line in lines if line.startswith("- ")] == ["#3", "#1"]


@pytest.mark.parametrize(
    "hostile",
    [
        "Sled brakes ![x](https://evil.example/x.png) engage <b>ice</b>",
        "Sled brakes www.evil.example engage octo/other#12 GH-12 @octocat ice",
        "Sled brakes `` engage ` ice\n# engage",
    ],
)
async def test_titles_stand_as_code_in_one_line_and_link_nowhere(hostile: str) -> None:
    site = Site()
    await site.happens("opened", 1, hostile)

    body = named(await site.happens("opened", 2, hostile))

    (line,) = [line for line in body.splitlines() if "Sled" in line]
    assert line.replace("\u200b", "").startswith(f"- #1 {in_code(hostile, 100)}")
    assert "@octocat" not in line  # the effect itself sees to mentions
    assert "# engage" not in body.splitlines()


async def test_a_model_judges_where_there_is_one_and_can_name_no_others() -> None:
    site = Site(Verdict(same=(99, 1, 1, 2)))
    await site.happens("opened", 1)

    process = await site.happens("opened", 2)

    expect_ran(process, "duplicates.judge_by_model")
    found = process.board.last(PossibleDuplicates)
    assert found is not None
    assert [each.number for each in found.issues] == [1]


async def test_a_model_that_says_no_is_heard() -> None:
    site = Site(Verdict(same=()))
    await site.happens("opened", 1)

    process = await site.happens("opened", 2)

    expect_effects(process)
    assert "duplicates.judge_by_likeness" not in ran(process)


async def test_where_the_model_is_away_likeness_decides() -> None:
    site = Site(ModelUnavailable("fake", "down"))
    await site.happens("opened", 1)

    assert "- #1" in named(await site.happens("opened", 2))


async def test_the_operator_can_do_without_a_model_and_has_other_words() -> None:
    site = Site(Verdict(same=()), model=False, before="Look:", after="")
    await site.happens("opened", 1)

    assert named(await site.happens("opened", 2)).startswith("Look:\n\n- #1")


def test_what_is_the_same_has_to_be_alike() -> None:
    with pytest.raises(ValidationError, match="same_at is below like_at"):
        DuplicatesSettings(like_at=0.5, same_at=0.4)
