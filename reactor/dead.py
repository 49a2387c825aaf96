"""Dead letters as a person sees them: which there are, what each is about, what to do now.

    letters as they lie on their topic -> entries, each once -> shown, driven again or dropped

The topic only grows; what was done about a letter is remembered apart from it, under its id.
Pure, but for the ports at the end.
"""

import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Protocol

from reactor.delivery import GITHUB_COM, digest
from reactor.errors import ReactorError
from reactor.topic import ATTEMPT, DeadLetter, attempt_in

Done = Literal["retried", "dropped"]

ID_DIGITS = 12
UNREADABLE = "unreadable"  # the reason of what lies among the letters and is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """What somebody did about a letter."""

    what: Done
    by: str
    at: datetime  # aware, UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Lying:
    """A letter, and when it was written."""

    letter: DeadLetter
    at: datetime  # aware, UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One letter, for people."""

    id: str
    letter: DeadLetter
    at: datetime
    handling: Handling | None = None  # None: it waits for somebody

    @property
    def delivery(self) -> str:
        """The `Delivery.key` that it is about; "" where that can't be told."""
        return self.letter.about.get("delivery") or _record_of(self.letter)

    @property
    def event(self) -> str:
        """As `issues.opened`; "" where that can't be told."""
        headers = self.letter.headers
        event, action = headers.get("event", ""), headers.get("action")
        told = f"{event}.{action}" if action else event
        return self.letter.about.get("event") or told or headers.get("x-github-event", "")

    @property
    def subject(self) -> str:
        """As `octo/hello#7`, or a key where there is no better name."""
        letter = self.letter
        named = letter.about.get("subject") or letter.headers.get("subject")
        return named or (letter.key or b"").decode("utf-8", "replace")

    @property
    def attempt(self) -> int:
        """Which attempt ended here: of the delivery's process, where there was one."""
        about = self.letter.about
        return attempt_in(about) if ATTEMPT in about else self.letter.attempt

    @property
    def is_conflict(self) -> bool:
        """A request, with its headers: never a record, or one whose id nobody could look up."""
        return self.letter.reason == "conflict"

    @property
    def failed_process(self) -> str | None:
        """The process that a signal has made FAILED; driving that signal again would be no use."""
        letter = self.letter
        is_signal = letter.headers.get("source") == "signal"
        return letter.about.get("process") if is_signal and letter.reason == "failed" else None

    @property
    def advice(self) -> str:
        """What to do now."""
        return _ADVICE.get(self.letter.reason, _ADVICE["poison"]).format(
            id=self.id, delivery=self.delivery.rpartition("/")[2]
        )


_AGAIN_OR_DROP = "then `reactor dead retry {id}`; `reactor dead drop {id}` if nobody needs it"
_ADVICE: Mapping[str, str] = {
    "poison": "nothing could be made of the record, or a component let it fall: mend what the"
    f" detail names, {_AGAIN_OR_DROP}",
    "failed": "see what each action did with `reactor explain {delivery}`, mend the component or"
    f" what it needs, {_AGAIN_OR_DROP}: what is done already is not done twice",
    "refused": "the process refused this answer and still waits for a better one: `reactor forms`"
    " shows what it asks; then `reactor dead drop {id}`",
    "conflict": "an id came a second time with another body: find out who sent it (a relay that"
    " reuses ids?); `reactor dead retry {id}` accepts it under an id of its own, `reactor dead drop"
    " {id}` leaves it",
    UNREADABLE: "what lies here was not written by this version, or its body is gone from Redis:"
    " see who writes to the topic; `reactor dead drop {id}` hides it",
}


class UnknownLetter(ReactorError):
    """No dead letter has this id."""

    def __init__(self, letter: str, fitting: tuple[str, ...] = ()) -> None:
        super().__init__(letter, fitting)
        self.letter, self.fitting = letter, fitting

    def __str__(self) -> str:
        if self.fitting:
            return f"{self.letter!r} is the beginning of several ids: {', '.join(self.fitting)}"
        return (
            f"no dead letter {self.letter!r}; `reactor dead list --all` shows their ids, those"
            " that were retried or dropped included"
        )


class NotDrivable(ReactorError):
    """A letter that can't be driven again."""

    def __init__(self, letter: str, why: str) -> None:
        super().__init__(letter, why)
        self.letter, self.why = letter, why

    def __str__(self) -> str:
        return f"{self.letter} can't be driven again: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which letters are meant; what is left open fits everything."""

    ids: tuple[str, ...] = ()  # or their beginnings
    reason: str = ""
    repo: str = ""  # "octo/hello"
    event: str = ""  # "issues" or "issues.opened"
    delivery: str = ""  # an id, with its host or without
    since: datetime | None = None
    until: datetime | None = None
    is_handled_too: bool = False  # those about which something was done, as well

    @property
    def is_open(self) -> bool:
        """Whether nothing was said, so that everything is meant."""
        return self == Selection(is_handled_too=self.is_handled_too)

    def fits(self, entry: Entry) -> bool:
        """Whether it is meant."""
        if entry.handling and not self.is_handled_too:
            return False
        if self.ids and not entry.id.startswith(self.ids):
            return False
        if self.since and entry.at < self.since:
            return False
        if self.until and entry.at >= self.until:
            return False
        return (
            self.reason in ("", entry.letter.reason)
            and self.repo in ("", entry.subject.partition("#")[0])
            and self.event in ("", entry.event, entry.event.partition(".")[0])
            and self.delivery in ("", entry.delivery, entry.delivery.rpartition("/")[2])
        )


def letter_id(letter: DeadLetter) -> str:
    """12 hex digits: the same for a letter that was written twice, wherever it lies."""
    origin = _record_of(letter) or str(letter.origin or "")
    parts = (origin, letter.reason, digest(letter.body), str(letter.attempt))
    return hashlib.sha256(chr(31).join(parts).encode("utf-8", "replace")).hexdigest()[:ID_DIGITS]


def _record_of(letter: DeadLetter) -> str:
    """The key of the delivery (or signal) that the record itself is."""
    headers = letter.headers
    name = headers.get("delivery") or headers.get("x-github-delivery", "")
    host = headers.get("host") or headers.get("x-github-enterprise-host") or GITHUB_COM
    is_one = name.isprintable() and name.strip()  # headers may hold anything
    return f"{host}/{name}" if is_one else ""


class Letters(Protocol):
    """Where dead letters lie."""

    def read(self) -> AsyncIterator[Lying]:
        """All of them, oldest first for each subject.  Raises `InfrastructureError`."""
        ...

    async def drive(self, entry: Entry) -> None:
        """Return once it is durable for the next attempt.  A repeat does no harm.

        Raises `NotDrivable`, `InfrastructureError`.
        """
        ...

    async def forget(self, entry: Entry) -> None:
        """Nobody needs it any more, beyond what its topic keeps.  Raises `InfrastructureError`."""
        ...


class Handlings(Protocol):
    """What was done about letters, by their ids.  May raise `InfrastructureError`."""

    async def note(self, letter: str, handling: Handling) -> None:
        """Remember it, in the place of an earlier one."""
        ...

    async def all(self) -> Mapping[str, Handling]:
        """Everything that was ever done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadDesk:
    """Lists letters, and does something about them."""

    letters: Letters
    handlings: Handlings

    async def listed(self, selection: Selection) -> list[Entry]:
        """Those that are meant, newest first, without their bodies."""
        found = [self._light(entry) async for entry in self.chosen(selection)]
        return sorted(found, key=lambda entry: (entry.at, entry.id), reverse=True)

    async def one(self, letter: str) -> Entry:
        """The one whose id begins so.  Raises `UnknownLetter`."""
        selection = Selection(ids=(letter,), is_handled_too=True)
        found = [entry async for entry in self.chosen(selection)]
        if len(found) != 1:
            raise UnknownLetter(letter, tuple(entry.id for entry in found[:9]))
        return found[0]

    async def chosen(self, selection: Selection) -> AsyncIterator[Entry]:
        """Those that are meant, as they lie; one that was written twice comes once."""
        done = await self.handlings.all()
        seen = _Seen()
        async for lying in self.letters.read():
            found = letter_id(lying.letter)
            entry = Entry(id=found, letter=lying.letter, at=lying.at, handling=done.get(found))
            if selection.fits(entry) and seen.is_new(found):
                yield entry

    async def retry(self, entry: Entry, *, by: str, at: datetime) -> None:
        """Drive it again, and remember that only then: a crash between drives it twice.

        Raises `NotDrivable`.
        """
        await self.letters.drive(entry)
        await self._handled(entry, Handling(what="retried", by=by, at=at))

    async def drop(self, entry: Entry, *, by: str, at: datetime) -> None:
        """Remember that nobody needs it."""
        await self._handled(entry, Handling(what="dropped", by=by, at=at))

    async def _handled(self, entry: Entry, handling: Handling) -> None:
        await self.handlings.note(entry.id, handling)
        await self.letters.forget(entry)

    def _light(self, entry: Entry) -> Entry:
        return replace(entry, letter=replace(entry.letter, body=b""))


@dataclass(slots=True)
class _Seen:
    ids: set[str] = field(default_factory=set)

    def is_new(self, found: str) -> bool:
        is_new = found not in self.ids
        self.ids.add(found)
        return is_new


def missing(ids: Iterable[str], entries: Iterable[Entry]) -> list[str]:
    """Those of the given ids (or beginnings) that no entry has."""
    found = [entry.id for entry in entries]
    return [each for each in ids if not any(one.startswith(each) for one in found)]
