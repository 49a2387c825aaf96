"""What a delivery of GitHub says of the life of issues, repositories and installations.

    issues, discussion          deleted, transferred; opened, where it came by a transfer
    repository                  deleted, archived, unarchived; others: look at it anew
    installation                created, deleted, suspend, unsuspend, new_permissions_accepted
    installation_repositories   added, removed

Pure.  Payloads are signed, but not checked: what lacks what its event is about says nothing.
Source: GitHub docs, "Webhook events and payloads".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reactor.delivery import Delivery
from reactor.effect import Effect
from reactor.github.effect_fields import GitHubEffect
from reactor.github.effects import Dispatch
from reactor.github.repository_effects import (
    CreateCheck,
    CreateIssue,
    DispatchWorkflow,
    UpdateCheck,
)
from reactor.lifecycle import FOR_GOOD, Absence, Change, Word

_ON_REPOSITORIES = (CreateCheck, CreateIssue, Dispatch, DispatchWorkflow, UpdateCheck)
_BACK: frozenset[Word] = frozenset(("removed", "suspended"))
_LONGEST_NAME = 200  # characters

# Others say nothing: what is counted by action is bounded by these.
_OF_REPOSITORIES = frozenset(
    (
        *("archived", "created", "deleted", "edited", "privatized", "publicized"),
        *("renamed", "transferred", "unarchived"),
    )
)
_OF_INSTALLATIONS = frozenset(
    ("created", "deleted", "new_permissions_accepted", "suspend", "unsuspend")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OurApp:
    """Who we are on a host, as far as installations matter."""

    app_id: int | None = None  # None: we are no app there, and what becomes of one is nothing to us
    has_token: bool = False  # with which we write where the app is not installed


def place_changed_by(effect: Effect, subject: str) -> str | None:
    """What has to be there for an effect: its subject, or the repository, or nothing on GitHub."""
    if not isinstance(effect, GitHubEffect):
        return None
    if isinstance(effect, _ON_REPOSITORIES):
        return subject.partition("#")[0]
    return subject


def change_of(delivery: Delivery, us: OurApp) -> Change | None:
    """What it says, or None: most say nothing."""
    if delivery.source != "webhook":
        return None
    match delivery.event:
        case "issues" | "discussion":
            return _of_subject(delivery)
        case "repository" if delivery.action in _OF_REPOSITORIES:
            return _of_repository(delivery)
        case "installation" if delivery.action in _OF_INSTALLATIONS and _is_ours(delivery, us):
            return _of_installation(delivery, us)
        case "installation_repositories" if _is_ours(delivery, us):
            return _of_its_repositories(delivery, us)
    return None


def _of_subject(delivery: Delivery) -> Change | None:
    told, subject = delivery.payload, delivery.subject
    if "#" not in subject.key:
        return None
    match delivery.action:
        case "deleted":
            return _gone(delivery, "deleted", f"{subject.name} was deleted")
        case "transferred":
            return _gone(delivery, "transferred", f"{subject.name} was transferred{_to(told)}")
        case "opened" | "created" if _part(told, "changes"):  # perhaps it has come back
            return Change(
                kind=delivery.kind,
                host=delivery.host,
                places=(subject.key,),
                ends=FOR_GOOD,
                forgets=False,
            )
    return None


def _gone(delivery: Delivery, word: Word, why: str) -> Change:
    return Change(
        kind=delivery.kind,
        host=delivery.host,
        places=(delivery.subject.key,),
        begins=_absence(delivery, word, why),
        forgets=False,
    )


def _to(told: Mapping[str, object]) -> str:
    changes = _part(told, "changes")
    name = _text(_part(changes, "new_repository"), "full_name")
    new = _part(changes, "new_issue") or _part(changes, "new_discussion")
    number = _id(new, "number")
    if not name:
        return ""
    return f" to {name}" + (f"#{number}" if number is not None else "")


def _of_repository(delivery: Delivery) -> Change | None:
    repository_id = _id(_part(delivery.payload, "repository"))
    if repository_id is None:
        return None
    name = delivery.subject.name
    absence: Absence | None = None
    ends: frozenset[Word] = frozenset(("deleted",))  # a deleted one can be restored
    match delivery.action:
        case "deleted":
            absence, ends = _absence(delivery, "deleted", f"{name} was deleted"), frozenset()
        case "archived":
            absence = _absence(delivery, "archived", f"{name} is archived, and can only be read")
        case "unarchived":
            ends |= {"archived"}
    return Change(
        kind=delivery.kind,
        host=delivery.host,
        places=(f"{delivery.host}/{repository_id}",),
        begins=absence,
        ends=ends,
    )


def _of_installation(delivery: Delivery, us: OurApp) -> Change:
    installation = _id(_part(delivery.payload, "installation"))
    absence: Absence | None = None
    ends: frozenset[Word] = frozenset()
    match delivery.action:
        case "deleted" if not us.has_token:
            why = f"the app was uninstalled (installation {installation})"
            absence = _absence(delivery, "removed", why)
        case "suspend":
            why = f"the app is suspended (installation {installation})"
            absence = _absence(delivery, "suspended", why)
        case "created" | "unsuspend":
            ends = _BACK
    return Change(
        kind=delivery.kind,
        host=delivery.host,
        places=_places(delivery, "repositories"),
        installation=installation,
        begins=absence,
        ends=ends,
    )


def _of_its_repositories(delivery: Delivery, us: OurApp) -> Change | None:
    if delivery.action == "added":
        return Change(
            kind=delivery.kind,
            host=delivery.host,
            places=_places(delivery, "repositories_added"),
            ends=_BACK - {"suspended"},
        )
    if delivery.action != "removed":
        return None
    why = "the app was taken off the repository"
    return Change(
        kind=delivery.kind,
        host=delivery.host,
        places=_places(delivery, "repositories_removed"),
        begins=None if us.has_token else _absence(delivery, "removed", why),
    )


def _is_ours(delivery: Delivery, us: OurApp) -> bool:
    """Whether it is about an installation of our app; one that names no app is believed."""
    installation = _part(delivery.payload, "installation")
    if us.app_id is None or _id(installation) is None:
        return False
    return _id(installation, "app_id") in (None, us.app_id)


def _absence(delivery: Delivery, word: Word, why: str) -> Absence:
    return Absence(word=word, why=why, since=delivery.received_at, delivery=delivery.key)


def _places(delivery: Delivery, name: str) -> tuple[str, ...]:
    """Of the repositories that are listed under the name."""
    listed = delivery.payload.get(name)
    found = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ()
    return tuple(dict.fromkeys(f"{delivery.host}/{number}" for number in _ids(found)))


def _ids(listed: Iterable[object]) -> Iterable[int]:
    for each in listed:
        number = _id(each) if isinstance(each, Mapping) else None
        if number is not None:
            yield number


def _part(parent: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = parent.get(name)
    return part if isinstance(part, Mapping) else {}


def _id(part: Mapping[str, object], name: str = "id") -> int | None:
    number = part.get(name)
    return number if type(number) is int and 0 <= number < 2**63 else None


def _text(part: Mapping[str, object], name: str) -> str:
    text = part.get(name)
    is_name = isinstance(text, str) and len(text) <= _LONGEST_NAME and text.isprintable()
    return str(text) if is_name else ""
