"""Troubles: what workers had with components of late, kept for people.

Nothing that is decided depends on them; that is in the journal, and in `reactor.breakers`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, Protocol, TypedDict

TroubleKind = Literal["failed", "timeout", "result", "blocked", "resting"]
"""An action raised, took too long, gave what it does not say, held up the worker; or all of the
component's actions are left out for a while."""

KEEP = timedelta(days=1)  # after it was last had

_SAID = {
    "failed": "failed",
    "timeout": "took too long",
    "result": "returned what it does not say",
    "blocked": "held up its worker",
    "resting": "was left out for a while",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One kind of trouble with one action."""

    component: str
    kind: TroubleKind
    action: str = ""  # "triage.label"; "" where it is that of the whole component
    count: int = 1
    first_at: datetime
    last_at: datetime
    text: str  # of the last one: the error, or where it was
    process: str = ""  # in which it was had last; "" where that is not known

    @property
    def key(self) -> str:
        """The same trouble, had again, has the same."""
        return f"{self.kind} {self.action or self.component}"

    @property
    def where(self) -> str:
        """What begins a sentence of it."""
        return self.action or self.component

    @property
    def problem(self) -> str:
        """What ends it: "failed 3 times, last at 10:15:02 UTC: ValueError: ..."."""
        times = "once" if self.count == 1 else f"{self.count} times"
        last = "" if self.count == 1 else "last "
        return f"{_SAID[self.kind]} {times}, {last}at {self.last_at:%H:%M:%S} UTC: {self.text}"

    def and_again(self, later: "Trouble") -> "Trouble":
        """Both as one."""
        return replace(later, count=self.count + later.count, first_at=self.first_at)


class ToldTrouble(TypedDict):
    """One, as JSON."""

    component: str
    kind: str
    action: str
    count: int
    first_at: str  # ISO 8601
    last_at: str
    text: str
    process: str
    said: str  # a sentence


def told_trouble(trouble: Trouble) -> ToldTrouble:
    """The trouble as JSON, with a sentence."""
    return ToldTrouble(
        component=trouble.component,
        kind=trouble.kind,
        action=trouble.action,
        count=trouble.count,
        first_at=trouble.first_at.isoformat(),
        last_at=trouble.last_at.isoformat(),
        text=trouble.text,
        process=trouble.process,
        said=f"{trouble.where} {trouble.problem}",
    )


def merged(troubles: Iterable[Trouble]) -> dict[str, Trouble]:
    """By key; of those with the same the counts are added, and the last one's text counts."""
    found: dict[str, Trouble] = {}
    for trouble in troubles:
        known = found.get(trouble.key)
        found[trouble.key] = known.and_again(trouble) if known else trouble
    return found


class Troubles(Protocol):
    """Where they are kept.  Every method may raise `InfrastructureError`."""

    async def note(self, troubles: Sequence[Trouble], *, keep: timedelta) -> None:
        """Add them to what is known, which is forgotten so long after the last one of all."""
        ...

    async def known(self) -> list[Trouble]:
        """The newest first."""
        ...
