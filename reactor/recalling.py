"""Recalling: a process that is replayed is told what it was told then, from its records.

    with recalling({process_id: records, ...}) as unrecorded:
        await worker.settle(delivery)
    unrecorded[process_id]  # calls that its records do not tell, and that other stores answered

Services that stand in (`reactor.recording`), and the models of `reactor.ai.recalled`, look here
who asks and in which tick.  A call is found by what was asked: first among those of the same
tick, then among all that are left, in their order; so a version that asks in another order, or
less, is told the same.  What is not found is answered by the service that stands behind: in a
replay one of its own, which hears of every call, so that the deliveries fill it in their order.

`moment_now` is the time of then: a process began when its record "seeded" was made, and what it
did in a tick was done when that began.  It stands still within a tick, and after the last record.

Records that were made before calls were kept tell none: then every call is an unrecorded one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, cast

from reactor.calls import Heard, heard_now
from reactor.journal import JournalRecord, ModelAnswerData, ServiceCallData
from reactor.service_calls import Method

Unrecorded = Mapping[str, Sequence[str]]
"""By process, the calls that had no answer in its records: each once, in the order they came."""


@dataclass(slots=True)
class _Kept:
    """A call of then, or an answer of a model."""

    tick: int
    told: Any
    is_given: bool = False


class Recollection:
    """What one process was told, by its records; each answer is given once."""

    def __init__(self, records: Iterable[JournalRecord]) -> None:
        self._calls: dict[tuple[str, str, str], list[_Kept]] = {}
        self._lasting: dict[str, list[_Kept]] = {}
        self._answers: dict[str, list[_Kept]] = {}
        self._moments: dict[int, datetime] = {}
        self._begun: datetime | None = None
        for record in records:
            self._read(record)

    def call(self, method: Method, asked: str, *, tick: int) -> ServiceCallData | None:
        """What came of such a call; None where there was none (more)."""
        kept = self._calls.get((method.service, method.name, asked), ())
        found = _next(kept, tick)
        if found is None and method.is_repeatable and kept:
            found = kept[-1].told
        return cast("ServiceCallData | None", found)

    def lasting(self, label: str, *, tick: int) -> str | None:
        """What held in that tick of what only changes are noted of; None: nothing was noted yet."""
        changes = self._lasting.get(label, [])
        given = [each for each in changes if each.is_given]
        for each in changes[len(given) :]:
            if each.tick > tick:
                break
            each.is_given = True
            given.append(each)
            if each.tick == tick:  # another one of the same tick is for when it is planned again
                break
        return cast("str", given[-1].told["result"]) if given else None

    def answer(self, requests: Iterable[str], *, tick: int) -> ModelAnswerData | None:
        """What a model answered to one of these; they are told by their digests."""
        for request in requests:
            if found := _next(self._answers.get(request, ()), tick):
                return cast("ModelAnswerData", found)
        return None

    def moment(self, tick: int) -> datetime | None:
        """When that tick was; after the last one it is as late as then."""
        if tick in self._moments:
            return self._moments[tick]
        earlier = [number for number in self._moments if number < tick]
        return self._moments[max(earlier)] if earlier else self._begun

    def _read(self, record: JournalRecord) -> None:
        data = record.data
        tick = cast("int", data.get("tick", 0))
        if record.kind == "ended":
            tick = cast("int", data["ticks"]) + 1
            self._moments.setdefault(tick, record.at)
        elif record.kind == "tick":
            self._moments[tick] = datetime.fromisoformat(cast("str", data["started_at"]))
        elif record.kind in ("seeded", "answered"):
            self._moments[tick] = record.at
        self._begun = self._begun or record.at
        for call in cast("list[ServiceCallData]", data.get("calls", [])):
            kept, label = _Kept(tick, call), f"{call['service']}.{call['method']}"
            self._calls.setdefault((call["service"], call["method"], call["asked"]), []).append(
                kept
            )
            if isinstance(call.get("result"), str):
                self._lasting.setdefault(label, []).append(kept)
        for answer in cast("list[ModelAnswerData]", data.get("answers", [])):
            self._answers.setdefault(answer["request"], []).append(_Kept(tick, answer))


class Recollections:
    """Of all the processes that are replayed at once."""

    def __init__(self, records: Mapping[str, Sequence[JournalRecord]]) -> None:
        self.unrecorded: dict[str, list[str]] = {}
        self._by_process = {process: Recollection(told) for process, told in records.items()}

    def of(self, process_id: str) -> Recollection | None:
        """None where nothing is known of it."""
        return self._by_process.get(process_id)

    def answer(
        self, heard: Heard, requests: Sequence[str], *, model: str
    ) -> ModelAnswerData | None:
        """What a model answered to one of these; where that is not known, it is noted."""
        recollection = self.of(heard.process_id)
        found = recollection.answer(requests, tick=heard.tick) if recollection else None
        if found is None or found["is_cut"]:
            self.miss(heard.process_id, f"model {model}")
        return found

    def lasting(self, heard: Heard, label: str) -> str | None:
        """What held then; None where nobody knows of anything else."""
        recollection = self.of(heard.process_id)
        return recollection.lasting(label, tick=heard.tick) if recollection else None

    def miss(self, process_id: str, call: str) -> None:
        """The records of the process do not tell what was answered."""
        missed = self.unrecorded.setdefault(process_id, [])
        if call not in missed:
            missed.append(call)


_RECALLED: ContextVar[Recollections | None] = ContextVar("reactor_recalled", default=None)


@contextmanager
def recalling(records: Mapping[str, Sequence[JournalRecord]]) -> Iterator[Unrecorded]:
    """Whoever runs in here is told what these records tell; gives what they do not."""
    recollections = Recollections(records)
    token = _RECALLED.set(recollections)
    try:
        yield MappingProxyType(recollections.unrecorded)
    finally:
        _RECALLED.reset(token)


def recollections_now() -> Recollections | None:
    """None where nothing is replayed."""
    return _RECALLED.get()


def moment_now() -> datetime | None:
    """The time of then, for the process that runs here; None where nobody knows."""
    recollections, heard = _RECALLED.get(), heard_now()
    return _moment(recollections, heard) if recollections and heard else None


def _moment(recollections: Recollections, heard: Heard) -> datetime | None:
    recollection = recollections.of(heard.process_id)
    return recollection.moment(heard.tick) if recollection else None


def _next(kept: Sequence[_Kept], tick: int) -> object | None:
    left = [each for each in kept if not each.is_given]
    same_tick = (each for each in left if each.tick == tick)
    found = next(same_tick, None) or next(iter(left), None)
    if found is None:
        return None
    found.is_given = True
    return cast("object", found.told)
