"""What `reactor replay` was asked for: its options, kept with the run so that it can go on."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from reactor.cli.selecting import moment, now

if TYPE_CHECKING:
    from reactor.replay.folder import Run
    from reactor.replay.selection import Offsets, Selection
    from reactor.settings import Settings

_OFFSETS = re.compile(r"^(\d{1,9}):(\d{0,18})\.\.(\d{0,18})$")
_DECIDING: Mapping[str, Any] = {
    "components": True,
    "reactions": True,
    "repositories": True,
    "unlisted_repositories": True,
    "commands": True,
    "storms": True,
    "github": {"app_id", "bot_login", "trusted_bots", "hosts"},  # which events are our own
}
"""Settings on which decisions depend: a run can't go on under others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options as they were typed; `since` and `until` as moments once the run has begun."""

    since: str = ""
    until: str = ""
    offset: Sequence[str] = ()
    repo: Sequence[str] = ()
    event: Sequence[str] = ()
    delivery: Sequence[str] = ()
    reaction: Sequence[str] = ()
    archive: str = ""
    config: str = ""
    set: Sequence[str] = ()
    scope: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not any(asdict(self).values())

    def selection(self, request: Mapping[str, Any]) -> "Selection":
        """Which deliveries are meant; moments are those of the request.

        Raises `typer.BadParameter`.
        """
        from reactor.replay.selection import Selection

        return Selection(
            since=_read(request["since"]),
            until=_read(request["until"]),
            offsets=dict(map(_offsets, self.offset)),
            repositories=frozenset(each.lower() for each in self.repo),
            events=frozenset(self.event),
            deliveries=frozenset(self.delivery),
            reactions=frozenset(self.reaction),
        )


def request_of(asked: Asked, run: "Run", settings: "Settings") -> Mapping[str, Any]:
    """The request as it is kept; of a run that was begun, `2h` still means what it meant then.

    Raises `typer.BadParameter`.
    """
    options = {name: list(v) if not isinstance(v, str) else v for name, v in asdict(asked).items()}
    moments: Mapping[str, Any] = {
        "since": _written(moment(asked.since, now=now(), option="--since")),
        "until": _written(moment(asked.until, now=now(), option="--until")),
    }
    if run.is_begun:
        moments = {name: run.request.get(name) for name in moments}
    return {"options": options, **moments, "settings": _digest(settings)}


def asked_before(run: "Run") -> Asked:
    """What a run was begun with.  Raises `UnknownRun`."""
    options = run.request["options"]
    known = {name: options[name] for name in asdict(Asked()) if name in options}
    return replace(Asked(), **known)


def _offsets(text: str) -> "tuple[int, Offsets]":
    from reactor.replay.selection import Offsets

    found = _OFFSETS.match(text)
    if not found:
        raise typer.BadParameter(
            "say PARTITION:FIRST..END, as 0:100..200 or 0:100..", param_hint="--offset"
        )
    partition, begin, end = found.groups()
    return int(partition), Offsets(int(begin or 0), int(end) if end else None)


def _digest(settings: "Settings") -> str:
    told = settings.model_dump(mode="json", include=dict(_DECIDING))
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def _written(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _read(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def archive_of(asked: Asked) -> Path | None:
    """The file that is read, if any."""
    return Path(asked.archive) if asked.archive else None
