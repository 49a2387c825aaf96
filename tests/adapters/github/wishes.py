"""One wish of each kind of effect, with what is seen on GitHub once it is made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactor.effect import Effect
from reactor.github import (
    AddLabels,
    Assign,
    Close,
    CreateCheck,
    CreateIssue,
    Dispatch,
    DispatchWorkflow,
    Lock,
    PostComment,
    React,
    RemoveLabels,
    Reopen,
    RequestReview,
    ReviewComment,
    SetLabels,
    SetMilestone,
    StickyComment,
    Unassign,
    Unlock,
    UpdateCheck,
    UpdateComment,
)
from tests.fixtures.github.fake import BOT, HEAD, ISSUE, PULL

State = dict[str, Any]


@dataclass(frozen=True)
class Wish:
    """An effect, those that have to be sent before it, and what is there afterwards."""

    effect: Effect | Callable[[int], Effect]  # of the id that the first one before it gave
    seen: Callable[[State], object]  # of `FakeGitHub.state`
    expected: object
    before: tuple[Effect, ...] = ()
    number: int = ISSUE
    can_be_looked_up: bool = True

    def ready(self, first_id: int) -> Effect:
        """The effect to be sent."""
        return self.effect if isinstance(self.effect, Effect) else self.effect(first_id)


def _of(name: str, number: int = ISSUE) -> Callable[[State], object]:
    return lambda state: state["issues"][str(number)][name]


def _texts(name: str, number: int = ISSUE) -> Callable[[State], object]:
    return lambda state: [_text(each) for each in state["issues"][str(number)][name]]


def _text(thing: State) -> str:
    return str(thing["body"]).partition("\n\n<!-- reactor")[0]


def _checks(state: State) -> object:
    return [(each["name"], each["status"], each.get("conclusion")) for each in state["checks"]]


_CHECK = CreateCheck(name="triage", head_sha=HEAD, status="in_progress")

WISHES: dict[type[Effect], Wish] = {
    AddLabels: Wish(AddLabels(labels=("Bug", "new one")), _of("labels"), ["bug", "new one"]),
    RemoveLabels: Wish(
        RemoveLabels(labels=("bug", "question", "never there")),
        _of("labels"),
        ["new/one"],
        before=(AddLabels(labels=("bug", "new/one")),),
    ),
    SetLabels: Wish(
        SetLabels(labels=("question",)),
        _of("labels"),
        ["question"],
        before=(AddLabels(labels=("bug",)),),
    ),
    Assign: Wish(Assign(logins=("triager",)), _of("assignees"), ["triager"]),
    Unassign: Wish(
        Unassign(logins=("triager",)),
        _of("assignees"),
        ["maintainer"],
        before=(Assign(logins=("triager", "maintainer")),),
    ),
    PostComment: Wish(PostComment(body="Thanks."), _texts("comments"), ["Thanks."]),
    UpdateComment: Wish(
        lambda comment: UpdateComment(comment_id=comment, body="Thanks again."),
        _texts("comments"),
        ["Thanks again."],
        before=(PostComment(body="Thanks."),),
    ),
    StickyComment: Wish(
        StickyComment(slot="triage", body="Two are missing."),
        _texts("comments"),
        ["Three are missing.", "Two are missing."],
        before=(
            StickyComment(slot="other", body="Three are missing."),
            StickyComment(slot="triage", body="All are missing."),
        ),
    ),
    ReviewComment: Wish(
        ReviewComment(commit_id=HEAD, path="src/main.py", line=1, body="Why?"),
        _texts("review_comments", PULL),
        ["Why?"],
        number=PULL,
    ),
    React: Wish(React(content="eyes"), _of("reactions"), [[BOT, "eyes"]]),
    Close: Wish(Close(reason="not_planned"), _of("state_reason"), "not_planned"),
    Reopen: Wish(Reopen(), _of("state"), "open", before=(Close(),)),
    Lock: Wish(Lock(reason="spam"), _of("lock_reason"), "spam"),
    Unlock: Wish(Unlock(), _of("locked"), False, before=(Lock(),)),
    SetMilestone: Wish(SetMilestone(number=2), _of("milestone"), 2),
    RequestReview: Wish(
        RequestReview(reviewers=("maintainer",), teams=("core",)),
        lambda state: [state["issues"][str(PULL)][name] for name in ("reviewers", "teams")],
        [["maintainer"], ["core"]],
        number=PULL,
    ),
    CreateCheck: Wish(_CHECK, _checks, [("triage", "in_progress", None)], number=PULL),
    UpdateCheck: Wish(
        UpdateCheck(
            name="triage", head_sha=HEAD, conclusion="success", title="Done", summary="All well."
        ),
        _checks,
        [("triage", "completed", "success")],
        before=(_CHECK,),
        number=PULL,
    ),
    Dispatch: Wish(
        Dispatch(event_type="triaged", payload=(("level", "3"),)),
        lambda state: len(state["dispatches"]),
        1,
        can_be_looked_up=False,
    ),
    DispatchWorkflow: Wish(
        DispatchWorkflow(workflow="ci.yml", ref="main"),
        lambda state: len(state["dispatches"]),
        1,
        can_be_looked_up=False,
    ),
    CreateIssue: Wish(
        CreateIssue(title="Weekly report", body="Nothing.", labels=("bug",)),
        lambda state: [
            (issue["title"], issue["labels"])
            for number, issue in state["issues"].items()
            if int(number) > PULL
        ],
        [("Weekly report", ["bug"])],
    ),
}
