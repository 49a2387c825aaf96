"""Gathering all that is known of one subject: from the store, the journal's index, and others.

    a word -> subjects that it stands for -> their deliveries and processes -> moments

Reads, and nothing else.  A subject is known by its key; a name stands for every key that has had
it, so that what was renamed is found under both.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from typing import TypeVar

from reactor.chronicle import (
    ToldMoment,
    ToldSubject,
    UnknownSubject,
    of_delivery,
    of_letter,
    of_process,
    of_timer,
)
from reactor.dead import Entry
from reactor.errors import ReactorError
from reactor.explain import ToldProcess
from reactor.lookup import Lookup, UnknownProcess
from reactor.ports import Boards
from reactor.records import (
    MOST,
    DeliveryMark,
    DeliveryQuery,
    JournalQuery,
    NoRecords,
    Records,
    SubjectNames,
)
from reactor.timer import Timer

MOST_PROCESSES = 2000  # of one answer, from the index
_AT_ONCE = 16  # processes that are read side by side
_BATCH = 500  # heads that are looked at in one go
_MOST_KEYS = 50  # that are looked up in the index one by one

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked for."""

    word: str  # see `SubjectNames`
    since: datetime | None = None
    until: datetime | None = None  # exclusive
    limit: int = 1000  # moments, the latest


@dataclass(slots=True)
class _Known:
    """What was found so far."""

    keys: dict[str, None] = field(default_factory=dict)  # of subjects, in order
    names: dict[str, datetime] = field(default_factory=dict)  # and when each was seen last
    processes: dict[str, datetime] = field(default_factory=dict)  # and when each changed
    deliveries: dict[str, DeliveryMark] = field(default_factory=dict)  # by key
    others: set[str] = field(default_factory=set)  # names that were seen and not meant
    unread: list[str] = field(default_factory=list)

    def name(self, subject: str, name: str, at: datetime) -> None:
        self.keys.setdefault(subject)
        if name:
            self.names[name] = max(at, self.names.get(name, at))

    def process(self, process_id: str, at: datetime) -> None:
        self.processes[process_id] = max(at, self.processes.get(process_id, at))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicler:
    """Tells all of a subject."""

    lookup: Lookup
    letters: Callable[[], Awaitable[Sequence[Entry]]] | None = None  # all; None: none are kept
    timers: Callable[[], Awaitable[Sequence[Timer]]] | None = None

    async def tell(self, asked: Asked) -> ToldSubject:
        """All that is known.  Raises `UnknownSubject`, and `InfrastructureError` of the store."""
        names, known = SubjectNames(asked.word), _Known()
        await self._find(names, asked, known)
        letters = await _asked(self.letters, "dead letters", known)
        mine = [each for each in letters if _is_about(each, names, known)]
        if not known.keys and not known.deliveries and not mine:
            near = get_close_matches(asked.word, known.others, cutoff=0.5)
            raise UnknownSubject(asked.word, tuple(near), tuple(known.unread))
        told, moments, unseen = await self._of_processes(known, asked)
        moments += await self._of_deliveries(known, told)
        moments += [moment for letter in mine for moment in of_letter(letter)]
        for timer in await _asked(self.timers, "timers", known):
            if timer.subject.key in told or timer.subject.key in known.keys:
                moments.append(of_timer(timer, told.get(timer.subject.key)))
        return _document(asked, known, moments, unseen)

    async def _find(self, names: SubjectNames, asked: Asked, known: _Known) -> None:
        records = self.lookup.records
        if records is None:
            known.unread.append("the index of the journal, which is in the data folder (--data)")
            await _from_store(self.lookup.boards, names, asked, known)
            return
        await _from_index(records, asked, known)
        indexed = set(known.keys)
        await _from_store(self.lookup.boards, names, asked, known)
        # the index may know what is recent by an older name only
        for key in [each for each in known.keys if each not in indexed][:_MOST_KEYS]:
            await _from_index(records, replace(asked, word=key), known)

    async def _of_processes(
        self, known: _Known, asked: Asked
    ) -> tuple[Mapping[str, ToldProcess], list[ToldMoment], int]:
        """Those that changed last, as many as are enough; and how many were not looked at."""
        ids = sorted(known.processes, key=lambda each: known.processes[each], reverse=True)
        told, moments = dict[str, ToldProcess](), list[ToldMoment]()
        for begin in range(0, len(ids), _AT_ONCE):
            # whatever the others have is older than this
            newest = known.processes[ids[begin]]
            if _count_from(newest, moments) >= asked.limit:
                return told, moments, len(ids) - begin
            chunk = ids[begin : begin + _AT_ONCE]
            for found in await asyncio.gather(*map(self._of_process, chunk)):
                if found is not None:
                    process, its = found
                    told[process["id"]] = process
                    moments += its
        return told, moments, 0

    async def _of_process(self, process_id: str) -> tuple[ToldProcess, list[ToldMoment]] | None:
        """None where it is gone by now."""
        try:
            told = await self.lookup.process(process_id)
        except UnknownProcess:
            return None
        records = await self.lookup.boards.journal(process_id)
        if not records and self.lookup.records:
            records = list(await self.lookup.records.of_process(process_id))
        return told, list(of_process(told, records))

    async def _of_deliveries(
        self, known: _Known, told: Mapping[str, ToldProcess]
    ) -> list[ToldMoment]:
        started = dict[str, list[str]]()
        for process in told.values():
            key = f"{process['host']}/{process['delivery']}"
            started.setdefault(key, []).append(process["id"])
            if key not in known.deliveries:  # no index knows it: its first process does
                known.deliveries[key] = _mark_by(process, key)
        for key in known.deliveries.keys() - started.keys():
            started[key] = await self._started_by(key)
        return [of_delivery(mark, started[key]) for key, mark in known.deliveries.items()]

    async def _started_by(self, key: str) -> list[str]:
        """What it started, whether that is told or not."""
        found = await self.lookup.boards.started_by(key)
        if not found and self.lookup.records:
            found = list(await self.lookup.records.of_delivery(key))
        return found


async def _asked(
    source: Callable[[], Awaitable[Sequence[T]]] | None, name: str, known: _Known
) -> Sequence[T]:
    """What it has; nothing where it can't be asked now, which is told."""
    try:
        return await source() if source else ()
    except (ReactorError, TimeoutError) as error:
        known.unread.append(f"{name}: {error or 'no answer in time'}")
        return ()


async def _from_index(records: Records, asked: Asked, known: _Known) -> None:
    """What the index of the journal has."""
    try:
        query = JournalQuery(subject=asked.word, since=asked.since, until=asked.until, limit=MOST)
        while True:
            found = await records.find(query)
            for each in found.records:
                mark = each.process
                known.process(mark.id, each.record.at)
                if mark.subject:
                    known.name(mark.subject, mark.subject_name, mark.changed_at)
            if found.next is None or len(known.processes) >= MOST_PROCESSES:
                break
            query = replace(query, before=found.next)
        async for came in _deliveries(records, asked):
            known.deliveries.setdefault(came.key, came)
            known.name(came.subject, came.subject_name, came.received_at)
    except NoRecords as error:
        known.unread.append(f"the journal's index: {error}")


async def _deliveries(records: Records, asked: Asked) -> AsyncIterator[DeliveryMark]:
    query = DeliveryQuery(subject=asked.word, since=asked.since, until=asked.until, limit=MOST)
    while True:
        found = await records.deliveries(query)
        for mark in found.deliveries:
            yield mark
        if found.next is None:
            return
        query = replace(query, before=found.next)


async def _from_store(boards: Boards, names: SubjectNames, asked: Asked, known: _Known) -> None:
    """What the store's index of recent processes has, under any name of the keys that are meant."""
    seen = list[tuple[str, str, str, datetime]]()  # id, subject, name, changed at
    place = None
    while True:
        recent = await boards.recent(limit=_BATCH, before=place)
        for each in recent:
            head = each.head
            seen.append((head.id, head.subject, head.subject_name, each.place.at))
            if names.is_of(head.subject, head.subject_name):
                known.name(head.subject, head.subject_name, each.place.at)
        if len(recent) < _BATCH or (asked.since and recent[-1].place.at < asked.since):
            break
        place = recent[-1].place
    for process_id, subject, name, at in seen:
        if subject in known.keys:
            known.name(subject, name, at)
            known.process(process_id, at)
        else:
            known.others.add(name)


def _is_about(entry: Entry, names: SubjectNames, known: _Known) -> bool:
    key = (entry.letter.key or b"").decode("utf-8", "replace")
    return (
        key in known.keys
        or key in known.processes
        or entry.delivery in known.deliveries
        or names.is_of(key, entry.subject)
    )


def _mark_by(process: ToldProcess, key: str) -> DeliveryMark:
    return DeliveryMark(
        key=key,
        event=process["event"],
        subject="",
        subject_name=process["subject"],
        received_at=datetime.fromisoformat(process["created_at"]),
        digest="",
    )


def _count_from(at: datetime, moments: Sequence[ToldMoment]) -> int:
    return sum(datetime.fromisoformat(moment["at"]) >= at for moment in moments)


def _document(
    asked: Asked, known: _Known, moments: Sequence[ToldMoment], unseen: int
) -> ToldSubject:
    wanted = [each for each in moments if _is_within(each, asked)]
    # within one process the journal's order counts, which a stable sort keeps
    wanted.sort(key=lambda each: (datetime.fromisoformat(each["at"]), each["what"] != "delivery"))
    left_out = max(0, len(wanted) - asked.limit)
    return ToldSubject(
        asked=asked.word,
        keys=[key for key in known.keys if key],
        names=sorted(known.names, key=lambda name: known.names[name], reverse=True),
        moments=wanted[left_out:],
        left_out=left_out + unseen,
        unread=known.unread,
    )


def _is_within(moment: ToldMoment, asked: Asked) -> bool:
    at = datetime.fromisoformat(moment["at"])
    return (asked.since is None or at >= asked.since) and (asked.until is None or at < asked.until)
