"""Approving, explaining and looking anew: what is asked of the platform, and what is answered."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from reactor_commands import COMPONENTS
from reactor_commands.retriage import opened_again
from reactor_commands.why import explanation

from reactor import Package, Process, Recounted, Role
from reactor.github import ConversationEvent, PostComment, React
from reactor.testing import (
    Workbench,
    account,
    commented,
    effects,
    event,
    issue,
    pull_request,
)

ANN = account("ann")
ID = "5f0c1e9a77b2"


@pytest.fixture
def bench() -> Workbench:
    return Workbench(Package(name="commands", components=COMPONENTS))


def reactions(process: Process) -> list[str]:
    return [effect.content for effect in effects(process) if isinstance(effect, React)]


def comments(process: Process) -> list[str]:
    return [effect.body for effect in effects(process) if isinstance(effect, PostComment)]


# Approving ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "is_approved"), [("approve", True), ("reject", False)])
async def test_what_a_maintainer_says_is_taken_with_their_login(
    bench: Workbench, word: str, *, is_approved: bool
) -> None:
    await bench.run_commands(commented(f"/{word} `{ID}`", by=ANN), role=Role.MAINTAIN)

    (spoken,) = bench.approvals.spoken
    assert (spoken.by, spoken.ids, spoken.is_approved) == ("ann", (ID,), is_approved)
    assert spoken.subject == "github.com/1296269#17"


async def test_what_was_there_to_be_read_is_told_by_the_time_of_the_comment(
    bench: Workbench,
) -> None:
    """Somebody else wrote on the issue before GitHub told of the comment."""
    later = issue(updated_at="2026-03-01T11:00:00Z")

    await bench.run_commands(commented("/approve", by=ANN, issue=later), role=Role.MAINTAIN)

    (spoken,) = bench.approvals.spoken
    assert spoken.at == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize("text", ["/approve", f"/approve {ID}", "/reject"])
async def test_nobody_else_is_heard(bench: Workbench, text: str) -> None:
    process = await bench.run_commands(commented(text, by=ANN), role=Role.WRITE)

    assert bench.approvals.spoken == []
    assert reactions(process) == ["-1"]
    assert "is for the role maintain and above" in comments(process)[0]


async def test_an_id_of_nothing_is_answered(bench: Workbench) -> None:
    process = await bench.run_commands(commented(f"/approve {ID}", by=ANN), role=Role.ADMIN)

    assert reactions(process) == ["eyes", "confused"]
    assert ID in comments(process)[0]


async def test_where_nothing_was_listed_the_bare_form_is_answered(bench: Workbench) -> None:
    process = await bench.run_commands(commented("/approve", by=ANN), role=Role.ADMIN)

    assert reactions(process) == ["eyes", "confused"]
    assert "by its id" in comments(process)[0]


@pytest.mark.parametrize("word", ["5f0c", "not-an-id", "5f0c1e9a77bz"])
async def test_what_is_no_id_is_refused_before_anything_is_asked(
    bench: Workbench, word: str
) -> None:
    process = await bench.run_commands(commented(f"/approve {word}", by=ANN), role=Role.ADMIN)

    assert bench.approvals.spoken == []
    assert reactions(process) == ["confused"]


# Explaining --------------------------------------------------------------------------------


DECIDED = Recounted(
    title="issues.opened in the reaction triage: COMPLETED",
    at=datetime(2026, 3, 14, 15, 9, tzinfo=UTC),
    delivery="d-1",
    steps=("triage.label_issue -> AddLabels (triage.label_issue +0.55)",),
    changes=("would add label bug",),
    blocked=("triage.note_answer: has(Comment) is false, needs true",),
)


async def test_why_posts_what_was_decided_last_folded(bench: Workbench) -> None:
    bench.explanations.told = [DECIDED]

    process = await bench.run_commands(commented("/why", by=ANN), role=Role.TRIAGE)

    (body,) = comments(process)
    assert body.startswith(
        "<details>\n<summary>What was decided on <code>issues.opened in the reaction triage:"
        " COMPLETED</code>, 2026-03-14 15:09 UTC</summary>\n\n"
    )
    assert "- `would add label bug`\n" in body
    assert "- `triage.note_answer: has(Comment) is false, needs true`\n" in body
    assert body.endswith("</details>")
    assert reactions(process) == ["eyes", "+1"]


async def test_where_nothing_was_decided_that_is_said(bench: Workbench) -> None:
    process = await bench.run_commands(commented("/why", by=ANN), role=Role.TRIAGE)

    assert reactions(process) == ["eyes", "confused"]
    assert "nothing was decided here" in comments(process)[0]


def test_of_many_steps_the_first_are_told() -> None:
    body = explanation([replace(DECIDED, steps=tuple(f"step {n}" for n in range(40)))])

    assert "- `step 14`\n- and 25 more\n" in body


def test_what_others_wrote_can_do_nothing_in_an_explanation() -> None:
    hostile = "</code></summary><img src=x> `` @octocat\n\n/close #1"
    told = replace(DECIDED, title=hostile, changes=(hostile,), delivery=hostile)

    body = PostComment(body=explanation([told])).body

    summary, _, rest = body.partition("</summary>")
    assert "<img" not in summary
    assert all("`" in line.partition("<img")[0] for line in rest.splitlines() if "<img" in line)
    assert not any(line.startswith("/close") for line in body.splitlines())
    assert "@octocat" not in body


# Looking anew ------------------------------------------------------------------------------


async def test_it_is_delivered_as_if_it_had_just_been_opened(bench: Workbench) -> None:
    written = commented("/retriage", by=ANN, issue=issue("Data loss", body="It is gone."))

    process = await bench.run_commands(written, role=Role.TRIAGE)

    (restart,) = bench.restarts.restarts
    assert (restart.event, restart.action, restart.by) == ("issues", "opened", "ann")
    assert restart.payload["issue"]["title"] == "Data loss"
    assert restart.asked_in.subject == "github.com/1296269#17"
    assert reactions(process) == ["eyes", "+1"]


def as_opened(written: ConversationEvent, kind: str) -> ConversationEvent:
    again = event(kind, id="d-2", **opened_again(written))
    assert isinstance(again, ConversationEvent)
    return again


def test_what_is_looked_at_reads_as_what_the_comment_said_of_it() -> None:
    author = account("author")
    written = commented("/retriage", by=ANN, issue=issue(user=author, labels=[{"name": "bug"}]))
    assert isinstance(written, ConversationEvent)

    again = as_opened(written, "issues.opened")

    assert again.subject == written.subject
    assert again.repository == written.repository
    assert again.sender is not None
    assert again.sender.login == "author"
    assert again.subject_key == written.subject_key


async def test_a_pull_request_is_opened_as_one(bench: Workbench) -> None:
    written = event(
        "pull_request_review_comment.created",
        pull_request=pull_request("Mend it", changed_files=40),
        comment=commented("/retriage").comment.model_dump(mode="json", exclude_none=True),  # type: ignore[attr-defined]
        sender=ANN,
    )

    await bench.run_commands(written, role=Role.TRIAGE)

    (restart,) = bench.restarts.restarts
    assert restart.event == "pull_request"
    assert restart.payload["pull_request"]["changed_files"] == 40
