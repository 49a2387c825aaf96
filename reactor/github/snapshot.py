"""What is known of an issue or a pull request, in writing: for whoever will be reminded of it."""

from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from reactor.github.models import Conversation, GitHubModel, Installation, PullRequest, Repository

_TEXT = 2_000  # characters of a body that are kept


def snapshot_of(
    subject: Conversation,
    repository: Repository | None,
    installation: Installation | None = None,
    *,
    labels: Iterable[str] = (),
) -> dict[str, JsonValue]:
    """These facts as `Reminder.about`: read again, they are the same, but for a body that is cut.

    `labels`: names that are put on by what the same process does.
    """
    told = _dumped(subject)
    told["body"] = (subject.body or "")[:_TEXT]
    new = [{"name": name} for name in labels if name.lower() not in subject.label_names]
    told["labels"] = [*told.get("labels", []), *new]
    where = {"repository": repository, "installation": installation}
    payload: dict[str, JsonValue] = {
        name: _dumped(part) for name, part in where.items() if part is not None
    }
    is_pull_request = isinstance(subject, PullRequest)
    payload["pull_request" if is_pull_request else "issue"] = told
    return {"event": "pull_request" if is_pull_request else "issues", "payload": payload}


def _dumped(part: GitHubModel) -> dict[str, Any]:
    return part.model_dump(mode="json", exclude_none=True)
