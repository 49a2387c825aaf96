"""An issue or a pull request of a `FakeRepository`, as it is now."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reactor.testing.events import Payload, account, issue, label, pull_request


@dataclass(slots=True, kw_only=True)
class FakeComment:
    """Somebody said something."""

    id: int
    by: str  # login
    body: str
    slot: str = ""  # of a `StickyComment`
    on: str = ""  # "src/a.py:3" where it is on a line
    reactions: list[str] = field(default_factory=list)  # "eyes", each once


@dataclass(slots=True, kw_only=True)
class FakeConversation:
    """What stands there; a test may look at all of it, and change what it likes."""

    number: int
    title: str
    body: str
    by: str  # login of its author
    created_at: datetime
    updated_at: datetime
    is_pull_request: bool = False
    state: str = "open"
    state_reason: str | None = None  # "completed", "not_planned", "duplicate", "reopened"
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    milestone: int | None = None
    is_locked: bool = False
    lock_reason: str | None = None
    comments: list[FakeComment] = field(default_factory=list)
    line_comments: list[FakeComment] = field(default_factory=list)
    reactions: list[str] = field(default_factory=list)
    reviewers: list[str] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    fields: Payload = field(default_factory=dict)  # of the payload, beside all that

    @property
    def said(self) -> list[str]:
        """The comments below it, oldest first."""
        return [comment.body for comment in self.comments]

    def has_label(self, name: str) -> bool:
        """Whatever its case is: GitHub compares labels without it."""
        return name.lower() in {each.lower() for each in self.labels}

    def payload(self) -> Payload:
        """As it stands in a delivery."""
        make = pull_request if self.is_pull_request else issue
        told: dict[str, Any] = {
            "number": self.number,
            "body": self.body,
            "user": account(self.by),
            "state": self.state,
            "labels": [label(name) for name in self.labels],
            "assignees": [account(login) for login in self.assignees],
            "milestone": None if self.milestone is None else _milestone(self.milestone),
            "locked": self.is_locked,
            "comments": len(self.comments),
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }
        if not self.is_pull_request:
            told["state_reason"] = self.state_reason
        return make(self.title, **(told | self.fields))


def _milestone(number: int) -> Payload:
    return {"id": 8_100_000_000 + number, "number": number, "title": f"milestone {number}"}
