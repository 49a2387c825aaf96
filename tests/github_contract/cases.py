"""Each kind of effect with all that it can say, and the requests that make the change."""

from dataclasses import dataclass

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
from tests.fixtures.github.fake import HEAD, ISSUE, PULL, REPOSITORY

COMMENT, LINE_COMMENT = 501, 502  # ids of comments of ours that are there before
OTHER_ISSUE = 6


@dataclass(frozen=True)
class Case:
    """An effect, on which number, after which others, and the write that it comes down to."""

    effect: Effect
    write: str  # below the repository
    number: int = ISSUE
    before: tuple[Effect, ...] = ()
    is_in_examples: bool = True
    """Whether the description's own examples hold what it changes."""

    @property
    def request(self) -> str:
        """As `Watched.requests` has it."""
        verb, _, path = self.write.partition(" ")
        return f"{verb} /repos/{REPOSITORY}{path}"

    def __str__(self) -> str:
        return f"{self.effect.kind} by {self.write}"


_ISSUE, _PULL = f"/issues/{ISSUE}", f"/pulls/{PULL}"
_ON_A_LINE = {"commit_id": HEAD, "path": "src/main.py", "line": 3, "body": "Why?"}
_STARTED = CreateCheck(name="triage", head_sha=HEAD, status="in_progress", slot="a")
_ENDED = {
    "name": "triage",
    "head_sha": HEAD,
    "conclusion": "failure",
    "title": "Two faults",
    "summary": "They are below.",
    "text": "Here.",
    "slot": "a",
}

CASES = (
    Case(AddLabels(labels=("bug", "new one")), f"POST {_ISSUE}/labels"),
    Case(RemoveLabels(labels=("bug",)), f"DELETE {_ISSUE}/labels/bug"),
    Case(SetLabels(labels=("question",)), f"PUT {_ISSUE}/labels"),
    Case(
        SetLabels(labels=()), f"DELETE {_ISSUE}/labels", before=(AddLabels(labels=("bug", "new")),)
    ),
    Case(Assign(logins=("triager", "maintainer")), f"POST {_ISSUE}/assignees"),
    Case(
        Unassign(logins=("triager",)),
        f"DELETE {_ISSUE}/assignees",
        before=(Assign(logins=("triager",)),),
    ),
    Case(PostComment(body="Thanks."), f"POST {_ISSUE}/comments"),
    Case(
        UpdateComment(comment_id=COMMENT, body="Thanks again."),
        f"PATCH /issues/comments/{COMMENT}",
        is_in_examples=False,
    ),
    Case(StickyComment(slot="triage", body="Something is missing."), f"POST {_ISSUE}/comments"),
    Case(
        ReviewComment.model_validate(_ON_A_LINE | {"start_line": 1, "side": "RIGHT"}),
        f"POST {_PULL}/comments",
        number=PULL,
    ),
    Case(
        ReviewComment(in_reply_to=LINE_COMMENT, body="Because."),
        f"POST {_PULL}/comments/{LINE_COMMENT}/replies",
        number=PULL,
    ),
    Case(React(content="eyes"), f"POST {_ISSUE}/reactions"),
    Case(React(content="+1", comment_id=COMMENT), f"POST /issues/comments/{COMMENT}/reactions"),
    Case(
        React(content="heart", comment_id=LINE_COMMENT, on="review_comment"),
        f"POST /pulls/comments/{LINE_COMMENT}/reactions",
        number=PULL,
    ),
    Case(Close(reason="not_planned"), f"PATCH {_ISSUE}"),
    Case(Close(reason="duplicate", duplicate_of=OTHER_ISSUE), f"PATCH {_ISSUE}"),
    Case(Reopen(), f"PATCH {_ISSUE}", before=(Close(),), is_in_examples=False),
    Case(Lock(reason="too heated"), f"PUT {_ISSUE}/lock"),
    Case(Lock(), f"PUT {_ISSUE}/lock"),
    Case(Unlock(), f"DELETE {_ISSUE}/lock", before=(Lock(),)),
    Case(SetMilestone(number=2), f"PATCH {_ISSUE}"),
    Case(SetMilestone(number=None), f"PATCH {_ISSUE}", before=(SetMilestone(number=1),)),
    Case(
        RequestReview(reviewers=("maintainer",), teams=("core",)),
        f"POST {_PULL}/requested_reviewers",
        number=PULL,
    ),
    Case(_STARTED, "POST /check-runs", number=PULL),
    Case(CreateCheck.model_validate(_ENDED), "POST /check-runs", number=PULL),
    Case(
        UpdateCheck.model_validate(_ENDED),
        "PATCH /check-runs/{}",
        number=PULL,
        before=(_STARTED,),
        is_in_examples=False,
    ),
    Case(Dispatch(event_type="triaged", payload=(("level", "3"),)), "POST /dispatches"),
    Case(
        DispatchWorkflow(workflow="ci.yml", ref="main", inputs=(("level", "3"),)),
        "POST /actions/workflows/ci.yml/dispatches",
    ),
    Case(
        CreateIssue(title="Weekly", body="Nothing.", labels=("bug",), assignees=("triager",)),
        "POST /issues",
    ),
)
