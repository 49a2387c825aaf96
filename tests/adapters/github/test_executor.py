"""Every kind of effect is made once, whatever becomes of the answer, and errors say what to do."""

import asyncio

import pytest

from reactor import Effect, EffectDelayed, EffectRefused
from reactor.adapters.github.answers import GitHubTrouble
from reactor.adapters.github.executor import WRITES
from reactor.github import (
    AddLabels,
    Close,
    CreateCheck,
    Dispatch,
    PostComment,
    RemoveLabels,
    ReviewComment,
)
from reactor.github.effects import EFFECT_TYPES
from tests.adapters.github.conftest import Desk, was_there
from tests.adapters.github.wishes import WISHES, Wish
from tests.fixtures.github.fake import HEAD, ISSUE, REPOSITORY
from tests.fixtures.github.faults import Fault, secondary_limit
from tests.fixtures.github.state import move_issue, rename

each_kind = pytest.mark.parametrize("kind", WISHES, ids=lambda kind: kind.__name__)
_WRITE = "POST|PUT|PATCH|DELETE"


async def prepare(desk: Desk, wish: Wish) -> Effect:
    """What has to be there before is there; the effect that is to be sent."""
    ids = [0]
    for number, effect in enumerate(wish.before):
        result = await desk.send(effect, key=f"{number:032x}", issue=wish.number)
        ids.append(result.get("id", 0))  # type: ignore[attr-defined]
    return wish.ready(ids[min(1, len(ids) - 1)])


def after(desk: Desk, wish: Wish) -> object:
    return wish.seen(desk.fake.state())


def test_no_kind_is_forgotten() -> None:
    assert set(WRITES) == set(EFFECT_TYPES)
    assert set(WISHES) == set(EFFECT_TYPES)


@each_kind
async def test_a_change_is_made(desk: Desk, kind: type[Effect]) -> None:
    wish = WISHES[kind]
    effect = await prepare(desk, wish)
    assert after(desk, wish) != wish.expected

    await desk.send(effect, issue=wish.number)

    assert after(desk, wish) == wish.expected


@each_kind
@pytest.mark.parametrize("fault", ["after", "drop_after"])
async def test_a_change_whose_answer_is_lost_is_not_made_twice(
    desk: Desk, kind: type[Effect], fault: str
) -> None:
    wish = WISHES[kind]
    effect = await prepare(desk, wish)
    method = "DELETE" if kind.__name__ in ("RemoveLabels", "Unassign", "Unlock") else "*"
    writes_before = len(desk.fake.writes())
    for verb in ("POST", "PUT", "PATCH", "DELETE") if method == "*" else (method,):
        desk.fake.fail(Fault(kind=fault, method=verb, path="/repos/.*"))  # type: ignore[arg-type]

    with pytest.raises(GitHubTrouble):
        await desk.send(effect, issue=wish.number)
    desk.fake.api.faults.planned.clear()
    if not wish.can_be_looked_up:
        with pytest.raises(EffectRefused, match="no way to look"):
            await desk.again(effect, issue=wish.number)
    else:
        await desk.again(effect, issue=wish.number)

    assert after(desk, wish) == wish.expected
    repeated = [each for each in desk.fake.writes()[writes_before:] if each.method == "POST"]
    assert len(repeated) <= 1 or kind.__name__ == "React"


@each_kind
async def test_a_change_that_came_to_nothing_is_made_by_the_next_try(
    desk: Desk, kind: type[Effect]
) -> None:
    wish = WISHES[kind]
    effect = await prepare(desk, wish)
    for verb in ("POST", "PUT", "PATCH", "DELETE"):
        desk.fake.fail(Fault(kind="drop", method=verb, path="/repos/.*"))

    with pytest.raises(GitHubTrouble):
        await desk.send(effect, issue=wish.number)
    desk.fake.api.faults.planned.clear()
    if not wish.can_be_looked_up:
        return  # seen above: it is not risked
    result = await desk.again(effect, issue=wish.number)

    assert after(desk, wish) == wish.expected
    assert not was_there(result)


@each_kind
async def test_nothing_is_read_before_a_first_try_but_before_an_overwrite(
    desk: Desk, kind: type[Effect]
) -> None:
    overwrites = {"UpdateComment", "StickyComment", "SetLabels", "Close", "Reopen", "UpdateCheck"}
    wish = WISHES[kind]
    effect = await prepare(desk, wish)
    await desk.send(AddLabels(labels=("warm",)), key="e" * 32)  # its token and installation
    seen = len(desk.fake.requests())

    await desk.send(effect, issue=wish.number)

    reads = [each for each in desk.fake.requests()[seen:] if each.method == "GET"]
    assert bool(reads) == (kind.__name__ in overwrites | {"SetMilestone"})


@each_kind
async def test_a_limit_delays_and_nothing_is_written(desk: Desk, kind: type[Effect]) -> None:
    wish = WISHES[kind]
    effect = await prepare(desk, wish)
    desk.fake.fail(secondary_limit(retry_after_s=7, times=1, path="/repos/.*/.*"))

    with pytest.raises(EffectDelayed) as caught:
        await desk.send(effect, issue=wish.number)
    assert caught.value.retry_in_s == 7
    await desk.send(effect, issue=wish.number)

    assert after(desk, wish) == wish.expected


@pytest.mark.parametrize("name", [".", ".."])
async def test_a_name_that_would_lead_elsewhere_is_refused(desk: Desk, name: str) -> None:
    await desk.send(AddLabels(labels=("bug",)), key="e" * 32)

    with pytest.raises(EffectRefused, match="no address"):
        await desk.send(RemoveLabels(labels=(name,)))

    assert not [each for each in desk.fake.requests() if each.method == "DELETE"]
    assert desk.fake.issue(7)["labels"] == ["bug"]


async def test_a_used_up_limit_delays_until_it_is_reset(desk: Desk) -> None:
    reset_s = int(desk.fake.world.now().timestamp()) + 120
    desk.fake.fail(
        Fault(
            status=403,
            path="/repos/.*/labels",
            message="API rate limit exceeded for installation ID 42.",
            headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset_s)},
        )
    )

    with pytest.raises(EffectDelayed) as caught:
        await desk.send(AddLabels(labels=("bug",)))

    assert 60 < caught.value.retry_in_s <= 121


async def test_a_server_that_does_not_answer_is_given_up(desk: Desk) -> None:
    desk.account.wire = type(desk.account.wire)(
        host="github.com", api_url=desk.fake.url, timeout_s=1
    )
    desk.fake.fail(Fault(kind="hang_after", method="POST", path="/repos/.*/comments"))

    with pytest.raises(GitHubTrouble, match="in time"):
        await desk.send(PostComment(body="Thanks."))
    found = await desk.again(PostComment(body="Thanks."))

    assert was_there(found)


async def test_a_server_that_is_not_there_is_no_failure_of_the_effect(desk: Desk) -> None:
    desk.account.wire = type(desk.account.wire)(host="github.com", api_url="http://127.0.0.1:9")

    with pytest.raises(EffectDelayed, match="can't be reached"):
        await desk.send(Dispatch(event_type="triaged"))


async def test_requests_of_many_threads_are_not_mistaken_for_each_other(desk: Desk) -> None:
    desk.fake.api.takes_s = 0.02
    numbers = range(40)

    await asyncio.gather(
        *(desk.send(PostComment(body=f"<{number}>"), key=f"{number:032x}") for number in numbers)
    )

    bodies = [each["body"].partition("\n")[0] for each in desk.fake.issue()["comments"]]
    assert sorted(bodies) == sorted(f"<{number}>" for number in numbers)


@pytest.mark.parametrize("effect", [PostComment(body="Thanks."), Close()], ids=["post", "close"])
async def test_an_issue_that_was_transferred_is_not_followed(desk: Desk, effect: Effect) -> None:
    desk.fake.seed({"repositories": [{"full_name": "octo/other", "id": 77}]})
    move_issue(desk.fake.world, REPOSITORY, ISSUE, "octo/other")

    with pytest.raises(EffectRefused, match="transferred to another repository"):
        await desk.send(effect)

    (moved,) = desk.fake.state("octo/other")["issues"].values()
    assert moved["comments"] == []
    assert moved["state"] == "open"


async def test_a_renamed_repository_is_written_to_all_the_same(desk: Desk) -> None:
    rename(desk.fake.world, REPOSITORY, "octo/renamed")

    await desk.send(AddLabels(labels=("bug",)))
    await desk.send(PostComment(body="Thanks."))
    found = await desk.again(PostComment(body="Thanks."))

    assert desk.fake.issue(full_name="octo/renamed")["labels"] == ["bug"]
    assert was_there(found)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(status=404, message="Not Found", path="/repos/.*/labels"), "deleted, moved"),
        (Fault(status=410, message="Gone", path="/repos/.*/labels"), "deleted"),
        (Fault(status=422, message="Validation Failed", path="/repos/.*/labels"), "Validation"),
        (Fault(status=451, message="Blocked", path="/repos/.*/labels"), "blocked"),
        (
            Fault(
                status=403,
                message="Resource not accessible by integration",
                path="/repos/.*/labels",
                headers={"X-Accepted-GitHub-Permissions": "issues=write"},
            ),
            "lacks a permission: issues=write",
        ),
        (Fault(status=403, message="Repository was archived", path="/repos/.*/labels"), "archived"),
        (Fault(status=302, message="Moved", path="/repos/.*/labels"), "has moved"),
    ],
    ids=lambda case: str(case.status) if isinstance(case, Fault) else "",
)
async def test_what_github_refuses_is_refused_with_the_likely_cause(
    desk: Desk, fault: Fault, said: str
) -> None:
    desk.fake.fail(fault)

    with pytest.raises(EffectRefused, match=said):
        await desk.send(AddLabels(labels=("bug",)))

    assert len(desk.fake.writes()) == 1


async def test_a_missing_permission_is_named(desk: Desk) -> None:
    granted = desk.fake.world.installations[42].permissions
    granted |= {"issues": "read", "pull_requests": "read"}

    with pytest.raises(EffectRefused, match="issues=write"):
        await desk.send(PostComment(body="Thanks."))


@pytest.mark.parametrize(
    "effect", [CreateCheck(name="t", head_sha=HEAD, conclusion="success")], ids=["check"]
)
async def test_what_only_an_app_may_is_refused_to_a_token(by_token: Desk, effect: Effect) -> None:
    with pytest.raises(EffectRefused, match="GitHub App"):
        await by_token.send(effect)


@pytest.mark.parametrize(
    "told",
    [
        {"subject": "github.com/@9919", "subject_name": "octo"},
        {"subject": "github.com", "subject_name": "github.com"},
        {"subject": "github.com/1296269#7", "subject_name": "github.com/1296269#7"},
        {"subject": "github.com/1296269#7", "subject_name": "octo/..#7"},
        {"subject": "github.com/1296269#7", "subject_name": "octo/../../user#7"},
    ],
    ids=["organisation", "host", "no name", "dots", "path"],
)
async def test_what_is_no_repository_is_not_written_to(desk: Desk, told: dict[str, str]) -> None:
    with pytest.raises(EffectRefused, match="no repository"):
        await desk.send(AddLabels(labels=("bug",)), **told)

    assert desk.fake.writes() == []


async def test_an_effect_on_an_issue_needs_one(desk: Desk) -> None:
    with pytest.raises(EffectRefused, match="about no issue"):
        await desk.send(AddLabels(labels=("bug",)), issue=None)


async def test_an_answer_to_a_review_comment_stands_below_it(desk: Desk) -> None:
    first = ReviewComment(commit_id=HEAD, path="src/main.py", line=1, body="Why?")
    written = await desk.send(first, issue=8, key="1" * 32)
    answer = ReviewComment(in_reply_to=written["id"], body="Because.")  # type: ignore[index]

    await desk.send(answer, issue=8)

    bodies = [each["body"] for each in desk.fake.issue(8)["review_comments"]]
    assert [body.partition("\n")[0] for body in bodies] == ["Why?", "Because."]
