"""What is asked for in a comment is done, in order, and answered."""

import pytest
from reactor_commands import COMPONENTS

from reactor import Effect, Package, Role
from reactor.github import (
    AddLabels,
    Assign,
    Close,
    PostComment,
    React,
    RemoveLabels,
    Reopen,
    Unassign,
)
from reactor.testing import (
    NothingHeard,
    Workbench,
    account,
    commented,
    effects,
    event,
    issue,
    pull_request,
)

HELPER = account("helper")
AUTHOR = account("author")


@pytest.fixture
def bench() -> Workbench:
    return Workbench(Package(name="commands", components=COMPONENTS))


async def asked(bench: Workbench, text: str, *, role: Role = Role.TRIAGE) -> list[Effect]:
    """What comes of a comment by somebody who is not the author, but for reactions."""
    process = await bench.run_commands(commented(text, by=HELPER), role=role)
    return [effect for effect in effects(process) if not isinstance(effect, React)]


def reactions(found: list[Effect]) -> list[str]:
    return [effect.content for effect in found if isinstance(effect, React)]


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ('/label bug, "good first issue"', AddLabels(labels=("bug", "good first issue"))),
        ("/remove-label bug", RemoveLabels(labels=("bug",))),
        ("/assign @octocat", Assign(logins=("octocat",))),
        ("/assign", Assign(logins=("helper",))),
        ("/unassign @octocat other", Unassign(logins=("octocat", "other"))),
        ("/unassign", Unassign(logins=("helper",))),
        ("/close", Close()),
        ("/close not-planned", Close(reason="not_planned")),
        ("/reopen", Reopen()),
        ("/duplicate-of #7", Close(reason="duplicate", duplicate_of=7)),
        ("@reactor close", Close()),
    ],
)
async def test_what_is_asked_for_is_done(bench: Workbench, text: str, effect: Effect) -> None:
    assert await asked(bench, text) == [effect]


async def test_several_are_done_in_the_order_in_which_they_were_written(bench: Workbench) -> None:
    done = await asked(bench, "/reopen\n/label a\n/remove-label a\n/label b\n/close")

    assert done == [
        Reopen(),
        AddLabels(labels=("a",)),
        RemoveLabels(labels=("a",)),
        AddLabels(labels=("b",)),
        Close(),
    ]


async def test_who_asks_sees_that_it_was_heard_and_then_that_it_is_done(bench: Workbench) -> None:
    process = await bench.run_commands(commented("/label bug", by=HELPER), role=Role.TRIAGE)

    assert reactions(effects(process)) == ["eyes", "+1"]


async def test_who_may_not_is_told_so_and_nothing_is_done(bench: Workbench) -> None:
    process = await bench.run_commands(commented("/label bug", by=HELPER), role=Role.READ)

    reaction, explained = effects(process)
    assert reactions([reaction]) == ["-1"]
    assert isinstance(explained, PostComment)
    assert "/label is for the role triage and above" in explained.body


async def test_the_author_may_close_and_not_reopen(bench: Workbench) -> None:
    text = commented("/close\n/reopen", by=AUTHOR, issue=issue(user=AUTHOR))

    process = await bench.run_commands(text, role=Role.READ)

    assert [each for each in effects(process) if isinstance(each, Close | Reopen)] == [Close()]
    assert reactions(effects(process)) == ["eyes", "-1", "+1"]


async def test_nothing_is_a_duplicate_of_itself(bench: Workbench) -> None:
    text = commented("/duplicate-of #17", by=HELPER, issue=issue(number=17))

    process = await bench.run_commands(text, role=Role.TRIAGE)

    assert not any(isinstance(each, Close) for each in effects(process))
    assert reactions(effects(process)) == ["eyes", "confused"]


async def test_more_people_than_github_takes_are_not_cut_off_in_silence(bench: Workbench) -> None:
    done = await asked(bench, "/assign " + " ".join(f"p{number}" for number in range(11)))

    assert done == [PostComment(body="- `GitHub takes 10 people at most`")]


@pytest.mark.parametrize("name", ["label", "remove-label"])
async def test_who_names_more_labels_than_there_can_be_is_told(bench: Workbench, name: str) -> None:
    done = await asked(bench, f"/{name} " + " ".join(f"l{number}" for number in range(101)))

    assert done == [PostComment(body="- `an issue has 100 labels at most`")]


async def test_who_writes_more_commands_than_are_run_is_told_how_many_are_not(
    bench: Workbench,
) -> None:
    text = "/etc/hosts\n" + "\n".join(f"/label l{number}" for number in range(12))

    process = await bench.run_commands(commented(text, by=HELPER), role=Role.TRIAGE)

    wanted = effects(process)
    labels = [each.labels for each in wanted if isinstance(each, AddLabels)]
    assert labels == [(f"l{number}",) for number in range(10)]
    assert PostComment(body="- `a text has 10 commands at most; 2 more are not run`") in wanted
    assert reactions(wanted) == ["eyes", "confused", "+1"]


async def test_help_lists_what_who_asks_may_use(bench: Workbench) -> None:
    (for_readers,) = await asked(bench, "/help", role=Role.READ)
    (for_triage,) = await asked(bench, "/help", role=Role.TRIAGE)

    assert isinstance(for_readers, PostComment)
    assert isinstance(for_triage, PostComment)
    assert "/help" in for_readers.body
    assert "/label" not in for_readers.body
    assert "/label NAMES..." in for_triage.body


@pytest.mark.parametrize("text", ["> /label bug", "```\n/label bug\n```", "<!-- /label bug -->"])
async def test_what_is_quoted_or_shown_asks_for_nothing(bench: Workbench, text: str) -> None:
    with pytest.raises(NothingHeard):
        await bench.run_commands(commented(text, by=HELPER))


async def test_a_body_is_asked_of_as_a_comment_is(bench: Workbench) -> None:
    opened = event(
        "pull_request.opened", pull_request=pull_request(body="Hello.\r\n\r\n/label bug\r\n")
    )

    process = await bench.run_commands(opened, role=Role.TRIAGE)

    assert effects(process) == [
        React(content="eyes"),
        AddLabels(labels=("bug",)),
        React(content="+1"),
    ]


async def test_without_a_command_the_actions_never_run(bench: Workbench) -> None:
    process = await bench.run(event("issues.opened", issue=issue(body="/label bug")))

    assert effects(process) == []
