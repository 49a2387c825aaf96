"""Events as GitHub sends them, each with what it is about, and any part of it as a test wants it.

    event("issues.opened")                                  # of an issue that is there by itself
    event("issues.opened", issue=issue("Data loss", labels=[label("bug")]))
    event("release.published", release=release("v2.0"), sender=account("ann"))

Every event that has a class of its own can be built by its name alone; shapes are those of GitHub's
documentation of webhooks, with the fields that Reactor reads and those that tests ask for most.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from reactor.adapters.clock import ManualClock
from reactor.attempt import Attempt
from reactor.delivery import GITHUB_COM, Delivery
from reactor.github.dialect import Envelope
from reactor.github.event import Event
from reactor.github.events import read_event

Payload = dict[str, Any]

WRITTEN_AT = "2026-03-01T10:00:00Z"
_SHA = "6dcb09b5b57875f334f61aebed695e2e4193db5e"


def account(login: str = "octocat", **fields: Any) -> Payload:
    """An account, as it stands in a payload.  Its id follows from the login."""
    number = int.from_bytes(login.encode()[:6])
    return {"id": number, "login": login, "type": "User"} | fields


def repository(full_name: str = "octo/hello", **fields: Any) -> Payload:
    """A repository, as it stands in a payload."""
    return {"id": 1296269, "full_name": full_name, "name": full_name.partition("/")[2]} | fields


def issue(title: str = "Sled brakes do not engage", **fields: Any) -> Payload:
    """An issue, as it stands in a payload."""
    return _conversation(title, 5_000_000_000, fields)


def pull_request(title: str = "Mend the brakes", **fields: Any) -> Payload:
    """A pull request, as it stands in a payload."""
    return _conversation(title, 7_000_000_000, {"changed_files": 1} | fields)


def comment(body: str = "It happens to me as well.", **fields: Any) -> Payload:
    """A comment, as it stands in a payload."""
    written = {"created_at": WRITTEN_AT, "updated_at": WRITTEN_AT}
    return {"id": 6_000_000_001, "body": body, "user": account(), **written} | fields


def label(name: str = "bug", **fields: Any) -> Payload:
    """A label, as it stands in a payload."""
    return {"id": 8_000_000_001, "name": name, "color": "d73a4a", "description": None} | fields


def milestone(title: str = "1.0", **fields: Any) -> Payload:
    """A milestone, as it stands in a payload."""
    return {"id": 8_100_000_001, "number": 1, "title": title, "state": "open"} | fields


def review(state: str = "approved", **fields: Any) -> Payload:
    """A review of a pull request, as it stands in a payload."""
    said = {"body": None, "user": account("reviewer"), "author_association": "MEMBER"}
    at = {"commit_id": _SHA, "submitted_at": WRITTEN_AT}
    return {"id": 8_200_000_001, "state": state, **said, **at} | fields


def release(tag: str = "v1.0.0", **fields: Any) -> Payload:
    """A release, as it stands in a payload."""
    said = {"name": tag, "body": None, "author": account(), "draft": False, "prerelease": False}
    at = {"created_at": WRITTEN_AT, "published_at": WRITTEN_AT}
    return {"id": 8_300_000_001, "tag_name": tag, **said, **at} | fields


def discussion(title: str = "Which brakes do you use?", **fields: Any) -> Payload:
    """A discussion, as it stands in a payload."""
    said = {"body": None, "user": account(), "author_association": "NONE", "state": "open"}
    at = {"created_at": WRITTEN_AT, "updated_at": WRITTEN_AT}
    return {"id": 8_400_000_001, "number": 23, "title": title, **said, **at} | fields


def commit(message: str = "Mend the brakes", **fields: Any) -> Payload:
    """A commit of a push, as it stands in a payload."""
    author = {"name": "Octo Cat", "email": "octocat@example.com", "username": "octocat"}
    paths = {"added": [], "modified": ["brakes.py"], "removed": []}
    return {"id": _SHA, "message": message, "author": author, "timestamp": WRITTEN_AT} | (
        paths | fields
    )


def delivery(kind: str, *, id: str = "d-1", **payload: Any) -> Delivery:
    """A delivery of `kind` ("issues.opened", or "push"), read as the gateway reads it.

    `payload` are the fields of its body, beside what every event of that kind has; None leaves
    one out.
    """
    name, _, action = kind.partition(".")
    fields = {
        "action": action or None,
        "repository": repository(),
        "sender": account(),
        **_ABOUT.get(name, dict)(),
        **_BY_KIND.get(kind, dict)(),
        **payload,
    }
    body = json.dumps({name: value for name, value in fields.items() if value is not None})
    return Envelope(id=id, event=name).open(body.encode(), received_at=ManualClock().now())


def event(kind: str, *, id: str = "d-1", **payload: Any) -> Event:
    """The typed event of such a delivery."""
    return read_event(delivery(kind, id=id, **payload))


def commented(text: str, *, by: Payload | None = None, **payload: Any) -> Event:
    """Somebody has written a comment; `payload` as for `event`."""
    who = by or account()
    fields = {"issue": issue(), "comment": comment(text, user=who), "sender": who} | payload
    return event("issue_comment.created", **fields)


def attempt(key: str = "k-1", *, number: int = 1, may_be_done: bool = False) -> Attempt:
    """What an executor is told besides its effect, for calling it directly.

    `may_be_done`: an earlier try was cut off, so it has to look first.
    """
    return Attempt(
        key=key,
        host=GITHUB_COM,
        subject="github.com/1296269#17",
        subject_name="octo/hello#17",
        delivery="github.com/d-1",
        cause="a digest of what happened",
        number=number,
        may_be_done=may_be_done,
    )


def _conversation(title: str, first_id: int, fields: Mapping[str, Any]) -> Payload:
    number = fields.get("number", 17)
    return {
        "id": first_id + number,
        "number": number,
        "title": title,
        "body": None,
        "user": account(),
        "author_association": "NONE",
        "labels": [],
        "assignees": [],
        "state": "open",
        "created_at": WRITTEN_AT,
        "updated_at": WRITTEN_AT,
    } | dict(fields)


def _push() -> Payload:
    head = commit()
    return {
        "ref": "refs/heads/main",
        "before": "0" * 40,
        "after": _SHA,
        "created": False,
        "deleted": False,
        "forced": False,
        "commits": [head],
        "head_commit": head,
    }


_ABOUT: Mapping[str, Callable[[], Payload]] = {
    "commit_comment": lambda: {"comment": comment(commit_id=_SHA)},
    "create": lambda: {"ref": "mend-brakes", "ref_type": "branch"},
    "delete": lambda: {"ref": "mend-brakes", "ref_type": "branch"},
    "discussion": lambda: {"discussion": discussion()},
    "discussion_comment": lambda: {"discussion": discussion(), "comment": comment()},
    "fork": lambda: {"forkee": repository("octocat/hello", id=1296270)},
    "installation": lambda: {"installation": {"id": 42}},
    "installation_repositories": lambda: {
        "installation": {"id": 42},
        "repositories_added": [repository()],
        "repositories_removed": [],
    },
    "issue_comment": lambda: {"issue": issue(), "comment": comment()},
    "issues": lambda: {"issue": issue()},
    "label": lambda: {"label": label()},
    "milestone": lambda: {"milestone": milestone()},
    "ping": lambda: {"zen": "Keep it logically awesome.", "hook_id": 1},
    "pull_request": lambda: {"pull_request": pull_request()},
    "pull_request_review": lambda: {"pull_request": pull_request(), "review": review()},
    "pull_request_review_comment": lambda: {
        "pull_request": pull_request(),
        "comment": comment(path="brakes.py", line=7, commit_id=_SHA),
    },
    "push": _push,
    "release": lambda: {"release": release()},
}
"""By event name: what all events of that name are about."""

_BY_KIND: Mapping[str, Callable[[], Payload]] = {
    "installation.created": lambda: {"repositories": [repository()]},
    "installation.deleted": lambda: {"repositories": [repository()]},
    "issue_comment.edited": lambda: {"changes": {"body": {"from": "It happens."}}},
    "issues.assigned": lambda: {"assignee": account()},
    "issues.closed": lambda: {"issue": issue(state="closed", state_reason="completed")},
    "issues.edited": lambda: {"changes": {"title": {"from": "Brakes"}}},
    "issues.labeled": lambda: {"issue": issue(labels=[label()]), "label": label()},
    "issues.transferred": lambda: {
        "changes": {
            "new_issue": issue(number=3),
            "new_repository": repository("octo/other", id=1296271),
        }
    },
    "issues.unassigned": lambda: {"assignee": account()},
    "issues.unlabeled": lambda: {"label": label()},
    "pull_request.closed": lambda: {"pull_request": pull_request(state="closed", merged=True)},
    "pull_request.edited": lambda: {"changes": {"title": {"from": "Brakes"}}},
    "pull_request.labeled": lambda: {
        "pull_request": pull_request(labels=[label()]),
        "label": label(),
    },
    "pull_request.synchronize": lambda: {"before": "0" * 40, "after": _SHA},
    "pull_request.unlabeled": lambda: {"label": label()},
    "star.created": lambda: {"starred_at": WRITTEN_AT},
}
"""By event name and action: what is so besides."""
