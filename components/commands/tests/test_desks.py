"""Approving, explaining and looking anew: what is asked of the platform, and what is answered."""

import pytest
from reactor_commands import COMPONENTS
from reactor_commands.retriage import opened_again
from reactor_commands.why import explanation

from reactor import Package, Process, Role
from reactor.explain import ToldProcess, told_process
from reactor.github import ConversationEvent, PostComment, React
from reactor.ports import Stored
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


async def told(title: str) -> ToldProcess:
    """A process of triage, as it is told."""
    from reactor_triage import TriageComponent

    process = await Workbench(TriageComponent).run(event("issues.opened", issue=issue(title)))
    stored = Stored(
        head=process.head,
        changes=(),
        history=process.history,
        effects=process.effects,
        journal_seq=0,
        commits=1,
    )
    return told_process(stored, process.journal)


async def test_why_posts_what_was_decided_last_folded(bench: Workbench) -> None:
    bench.explanations.told = [await told("Data loss")]

    process = await bench.run_commands(commented("/why", by=ANN), role=Role.TRIAGE)

    (body,) = comments(process)
    assert body.startswith("<details>\n<summary>What was decided on <code>issues.opened in the")
    assert "triage.save_new_issue -> " in body
    assert "would add label" in body
    assert "</details>" in body
    assert reactions(process) == ["eyes", "+1"]


async def test_where_nothing_was_decided_that_is_said(bench: Workbench) -> None:
    process = await bench.run_commands(commented("/why", by=ANN), role=Role.TRIAGE)

    assert reactions(process) == ["eyes", "confused"]
    assert "nothing was decided here" in comments(process)[0]


async def test_what_others_wrote_can_do_nothing_in_an_explanation() -> None:
    process = await told("Data loss")
    hostile = "</code></summary><img src=x> `` @octocat\n\n/close #1"
    process["reaction"] = hostile
    process["effects"][0]["would"] = hostile

    body = PostComment(body=explanation([process])).body

    summary, _, rest = body.partition("</summary>")
    assert "<img" not in summary
    assert all(line.startswith("- `") for line in rest.splitlines() if "<img" in line)
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
