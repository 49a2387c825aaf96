"""What a delivery is about: the key that keeps deliveries in order, and a name for people.

Keys are built from numbers that never change; names can change (renames, transfers) and are for
display only.  Payloads are signed, but not checked: whatever has an unexpected shape is skipped.
Pure.
"""

from collections.abc import Mapping

from reactor.delivery import Subject

# Issues, pull requests and discussions of a repository share one row of numbers.  Alerts and
# milestones count for themselves: their number would be somebody else's here.
_NUMBERED = ("issue", "pull_request", "discussion")

_LONGEST_NAME = 200  # characters; GitHub's own are at most 39 + 1 + 100 + a number


def subject_of(payload: Mapping[str, object], host: str) -> Subject:
    """The subject, as narrow as it can be.

    | about | key | name |
    |---|---|---|
    | an issue, pull request, discussion | `github.com/1296269#7` | `octo/hello#7` |
    | a repository | `github.com/1296269` | `octo/hello` |
    | an organisation, or the account that installed an app | `github.com/@9919` | `octo` |
    | nothing of these | `github.com` | `github.com` |
    """
    repository = _part(payload, "repository")
    if (repository_id := _id(repository, "id")) is not None:
        return _in_repository(payload, f"{host}/{repository_id}", _name(repository, "full_name"))
    for account in (
        _part(payload, "organization"),
        _part(_part(payload, "installation"), "account"),
    ):
        if (account_id := _id(account, "id")) is not None:
            key = f"{host}/@{account_id}"
            return Subject(key=key, name=_name(account, "login") or key)
    return Subject(key=host, name=host)


def _in_repository(payload: Mapping[str, object], key: str, name: str) -> Subject:
    for kind in _NUMBERED:
        if (number := _id(_part(payload, kind), "number")) is not None:
            return Subject(key=f"{key}#{number}", name=f"{name or key}#{number}")
    return Subject(key=key, name=name or key)


def _part(parent: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = parent.get(name)
    return part if isinstance(part, dict) else {}


def _id(part: Mapping[str, object], name: str) -> int | None:
    number = part.get(name)
    if type(number) is not int or not 0 <= number < 2**63:  # a bool is no number here
        return None
    return number


def _name(part: Mapping[str, object], name: str) -> str:
    text = part.get(name)
    return (
        text if isinstance(text, str) and len(text) <= _LONGEST_NAME and text.isprintable() else ""
    )
