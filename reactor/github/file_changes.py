"""Which repositories' files a delivery may have changed.  Pure.

    push to the default branch that touches it    the repository
    repository edited, renamed, transferred, ...  it, and what it was called before
    installation created, unsuspended, ...        those that it names, and `.github` of its owner

Of the `.github` repository of an owner the file counts for all repositories without their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reactor.delivery import Delivery
from reactor.github.repository_file import OF_ALL, PATH
from reactor.permissions import RepositoryRef

_MOST_COMMITS = 20  # of a push: with more, GitHub may not name them all
_MOST_NAMES = 300  # of one installation; the others are looked at when they are old
_TOUCHED = ("added", "modified", "removed")


@dataclass(frozen=True, slots=True)
class Changes:
    """Full names of repositories, and what a push tells besides."""

    names: tuple[str, ...] = ()
    commit: str = ""
    pushed_to: RepositoryRef | None = None


NONE = Changes()


def changes_in(delivery: Delivery) -> Changes:
    """What has to be looked at again; mostly nothing."""
    payload = delivery.payload
    match delivery.event:
        case _ if delivery.source != "webhook":
            return NONE
        case "push":
            return _pushed(delivery.host, payload)
        case "repository":
            return Changes(names=tuple(dict.fromkeys(_named(payload))))
        case "installation" | "installation_repositories":
            return Changes(names=tuple(dict.fromkeys(_installed(payload)))[:_MOST_NAMES])
    return NONE


def _pushed(host: str, payload: Mapping[str, object]) -> Changes:
    repository = _mapping(payload.get("repository"))
    name, id_ = _text(repository.get("full_name")), repository.get("id")
    branch = _text(repository.get("default_branch"))
    if not name or type(id_) is not int or payload.get("ref") != f"refs/heads/{branch}":
        return NONE
    if not _may_touch_it(payload):
        return NONE
    place = RepositoryRef(host=host, id=id_, name=name)
    return Changes(names=(name,), commit=_text(payload.get("after")), pushed_to=place)


def _may_touch_it(payload: Mapping[str, object]) -> bool:
    commits = payload.get("commits")
    if payload.get("forced") or payload.get("created") or payload.get("deleted"):
        return True
    if not isinstance(commits, list) or len(commits) >= _MOST_COMMITS:
        return True
    return any(_touches_it(_mapping(commit)) for commit in commits)


def _touches_it(commit: Mapping[str, object]) -> bool:
    lists = [commit.get(name) for name in _TOUCHED]
    return any(isinstance(files, list) and PATH in files for files in lists)


def _named(payload: Mapping[str, object]) -> Iterator[str]:
    """What it is called now, and was before."""
    repository = _mapping(payload.get("repository"))
    full_name = _text(repository.get("full_name"))
    owner, _, name = full_name.partition("/")
    if not name:
        return
    yield full_name
    changes = _mapping(payload.get("changes"))
    old_name = _mapping(_mapping(changes.get("repository")).get("name")).get("from")
    if isinstance(old_name, str):
        yield f"{owner}/{old_name}"
    old_owner = _mapping(_mapping(changes.get("owner")).get("from"))
    for kind in ("user", "organization"):
        if login := _text(_mapping(old_owner.get(kind)).get("login")):
            yield f"{login}/{name}"


def _installed(payload: Mapping[str, object]) -> Iterator[str]:
    account = _mapping(_mapping(payload.get("installation")).get("account"))
    if login := _text(account.get("login")):
        yield f"{login}/{OF_ALL}"
    for field in ("repositories", "repositories_added", "repositories_removed"):
        listed = payload.get(field)
        for each in listed if isinstance(listed, list) else ():
            if name := _text(_mapping(each).get("full_name")):
                yield name


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
