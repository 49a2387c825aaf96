"""What services tell a process stands in its records, and a replay is told the same from there."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pytest

from reactor import (
    ActionContext,
    Package,
    PassingError,
    Platform,
    Process,
    ProcessOptions,
    RetryPolicy,
    UtilityInvocation,
    action,
    component,
    condition,
    estimate,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.calls import LONGEST_RESULT, MOST_CALLS, Heard, hearing
from reactor.errors import InfrastructureError
from reactor.journal import JournalRecord
from reactor.ports import Clock, Contexts
from reactor.recalling import moment_now, recalling
from reactor.recording import behind, recorded, recording
from reactor.testing import ran

AT = datetime(2026, 3, 1, tzinfo=UTC)


class Weather(Protocol):
    """A service of somebody's."""

    async def forecast(self, place: str, *, days: int = 1) -> Sequence[str]: ...

    def is_cold(self, place: str) -> bool: ...

    async def station(self, place: str) -> object: ...


@dataclass
class Sky:
    """Fits `Weather`; tells another thing each time, or what it is given."""

    errors: list[Exception] = field(default_factory=list)
    days: int = 0
    asked: int = 0

    async def forecast(self, place: str, *, days: int = 1) -> Sequence[str]:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        self.days += 1
        return [f"{place} {self.days}"] * days

    def is_cold(self, place: str) -> bool:
        self.asked += 1
        return len(place) % 2 == 0

    async def station(self, place: str) -> object:
        self.asked += 1
        return object()


class Storm(Sky):
    """Nobody may ask it."""

    async def forecast(self, place: str, *, days: int = 1) -> Sequence[str]:
        self.asked += 1
        return ["of a store that has just begun"]

    def is_cold(self, place: str) -> bool:
        self.asked += 1
        raise AssertionError("nothing was recorded, and this has no answer")


class TimeOfThen(ManualClock):
    """What a replay gives its engine: the moment of the record, where there is one."""

    def now(self) -> datetime:
        return moment_now() or super().now()


@dataclass(frozen=True)
class Outlook:
    text: str


async def run(
    given: type, sky: Sky, *, clock: ManualClock | None = None, concurrent: bool = False
) -> Process:
    package = Package(name="team", components=(given,))
    services = recording({Weather: sky, Clock: clock or ManualClock(), Contexts: MemoryContexts()})
    platform = Platform(packages=[package], services=services)
    options = ProcessOptions(terminate_when_stuck=True, concurrent=concurrent)
    return await UtilityInvocation.on(platform).with_process_options(options).run_async()


def kept(process: Process) -> list[JournalRecord]:
    """Its records as the journal has them: as JSON."""
    return [replace(each, data=json.loads(json.dumps(each.data))) for each in process.journal]


def comparable(process: Process) -> list[Mapping[str, object]]:
    """Its records, but for how long things took."""
    told = [dict(record.data) for record in kept(process)]
    return [{name: value for name, value in each.items() if name != "duration_s"} for each in told]


def calls(process: Process) -> list[tuple[str, str]]:
    """What was asked of services, by record."""
    return [
        (record.kind, call["method"])
        for record in process.journal
        for call in record.data.get("calls", ())  # type: ignore[attr-defined]
    ]


@component(name="team")
class Reporter:
    """Asks in its condition, its cost and its action."""

    @condition
    def is_worth_it(self, weather: Weather) -> bool:
        return weather.is_cold("Oslo")

    @estimate(0.1)
    def cost(self, weather: Weather) -> float:
        return 0.2 if weather.is_cold("Rome") else 0.3

    @action(pre=["is_worth_it"], cost=cost, value=0.9)
    async def report(self, weather: Weather) -> Outlook:
        told = await asyncio.gather(*(weather.forecast("Oslo") for _ in range(3)))
        return Outlook(" ".join(word for each in told for word in each))


async def test_all_that_a_process_is_told_stands_in_its_records_and_a_replay_asks_nobody() -> None:
    then = await run(Reporter, Sky())

    with recalling({then.id: kept(then)}) as unrecorded:
        now = await run(Reporter, Storm())

    assert then.board.last(Outlook) == Outlook("Oslo 1 Oslo 2 Oslo 3")
    assert calls(then) == [
        ("tick", "is_cold"),
        ("tick", "is_cold"),
        ("tick", "forecast"),
        ("tick", "forecast"),
        ("tick", "forecast"),
        ("ended", "is_cold"),
        ("ended", "is_cold"),
    ]
    assert comparable(now) == comparable(then)
    assert unrecorded == {}


async def test_what_has_no_record_is_answered_by_the_replays_own_and_told() -> None:
    then = await run(Reporter, Sky())
    old = [replace(each, data={**each.data, "calls": []}) for each in kept(then)]

    own = Sky(days=70)
    with recalling({then.id: old}) as unrecorded:
        now = await run(Reporter, own)

    assert now.board.last(Outlook) == Outlook("Oslo 71 Oslo 72 Oslo 73")
    assert unrecorded == {then.id: ["Weather.is_cold", "Weather.forecast"]}


async def test_the_replays_own_service_hears_of_all_that_is_recalled() -> None:
    then = await run(Reporter, Sky())

    own = Sky()
    with recalling({then.id: kept(then)}):
        await run(Reporter, own)

    assert own.asked == len(calls(then))


@component(name="team")
class Stubborn:
    @action(value=0.5, retry=RetryPolicy(attempts=3, first_delay_s=0.0))
    async def report(self, weather: Weather) -> Outlook:
        return Outlook((await weather.forecast("Oslo", days=1))[0])


async def test_what_a_service_raised_is_raised_again_and_tried_as_often() -> None:
    then = await run(Stubborn, Sky(errors=[ConnectionError("reset"), PassingError("busy")]))

    with recalling({then.id: kept(then)}) as unrecorded:
        now = await run(Stubborn, Storm())

    assert [run.attempts for run in then.history] == [3]
    assert comparable(now) == comparable(then)
    assert unrecorded == {}


async def test_an_error_that_ends_an_action_ends_it_again() -> None:
    then = await run(Stubborn, Sky(errors=[ValueError("no such place")]))

    with recalling({then.id: kept(then)}):
        now = await run(Stubborn, Storm())

    assert (now.status, now.head.failure) == (then.status, then.head.failure)
    assert comparable(now) == comparable(then)


@component(name="team")
class Impatient:
    @action(value=0.5, timeout_s=0.05, retry=RetryPolicy(attempts=1))
    async def report(self, weather: Weather) -> Outlook:
        return Outlook((await weather.forecast("Oslo"))[0])


class Fog(Sky):
    async def forecast(self, place: str, *, days: int = 1) -> Sequence[str]:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")


async def test_a_call_that_took_too_long_does_so_again_without_taking_long() -> None:
    then = await run(Impatient, Fog())

    with recalling({then.id: kept(then)}) as unrecorded:
        now = await run(Impatient, Storm())

    assert [run.outcome for run in then.history] == ["timeout"] * len(then.history)
    assert comparable(now) == comparable(then)
    assert unrecorded == {}


@component(name="team")
class Opaque:
    @action(value=0.5)
    async def look(self, weather: Weather) -> Outlook:
        await weather.station("Oslo")
        return Outlook("seen")


async def test_what_no_json_can_be_made_of_makes_its_process_unrecorded() -> None:
    then = await run(Opaque, Sky())

    with recalling({then.id: kept(then)}) as unrecorded:
        now = await run(Opaque, Storm())

    assert unrecorded == {then.id: ["Weather.station"]}
    assert ran(now) == ran(then)


@component(name="team")
class Chatty:
    @action(value=0.5)
    async def ask(self, weather: Weather) -> Outlook:
        await weather.forecast("x" * LONGEST_RESULT)
        for _ in range(MOST_CALLS):
            await weather.forecast("Oslo")
        return Outlook("asked")


async def test_what_is_too_long_or_too_much_for_a_record_is_cut_and_that_is_told() -> None:
    then = await run(Chatty, Sky())

    with recalling({then.id: kept(then)}) as unrecorded:
        await run(Chatty, Storm())

    (told,) = [record.data["calls"] for record in then.journal if record.kind == "tick"]
    assert isinstance(told, list)
    assert told[0]["not_kept"] == "it was too long"
    assert "result" not in told[0]
    assert len(told) == MOST_CALLS
    assert unrecorded == {then.id: ["Weather.forecast"]}


@component(name="team")
class Sleepy:
    """A plain method runs in a thread."""

    @action(value=0.5)
    def report(self, weather: Weather) -> Outlook:
        return Outlook(str(weather.is_cold("Oslo")))


async def test_calls_out_of_a_thread_are_noted_as_well() -> None:
    then = await run(Sleepy, Sky())

    with recalling({then.id: kept(then)}) as unrecorded:
        now = await run(Sleepy, Storm())

    assert ("tick", "is_cold") in calls(then)
    assert comparable(now) == comparable(then)
    assert unrecorded == {}


@dataclass(frozen=True)
class First:
    text: str


@dataclass(frozen=True)
class Second:
    text: str


@component(name="team")
class Pair:
    """Both run at once, and ask the same."""

    @action(value=0.5, read_only=True)
    async def one(self, weather: Weather) -> First:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return First((await weather.forecast("Oslo"))[0])

    @action(value=0.5, read_only=True)
    async def two(self, weather: Weather) -> Second:
        return Second((await weather.forecast("Oslo"))[0])


async def test_of_actions_beside_each_other_each_is_told_again_what_it_was_told() -> None:
    then = await run(Pair, Sky(), concurrent=True)

    with recalling({then.id: kept(then)}) as unrecorded:
        now = await run(Pair, Storm(), concurrent=True)

    assert then.board.last(First) == First("Oslo 2")  # it was the later one to ask
    assert (now.board.last(First), now.board.last(Second)) == (First("Oslo 2"), Second("Oslo 1"))
    assert [run.beside for run in then.history] == [0, 1]
    assert comparable(now) == comparable(then)
    assert unrecorded == {}


@component(name="team")
class Punctual:
    @action(value=0.5)
    async def one(self, context: ActionContext, clock: Clock, weather: Weather) -> First:
        await weather.forecast("Oslo")
        return First(f"{context.now():%H:%M} {clock.now():%H:%M}")

    @action(value=0.4)
    async def two(self, first: First, context: ActionContext, weather: Weather) -> Second:
        await weather.forecast("Oslo")
        return Second(f"{context.now():%H:%M}")


class Slow(Sky):
    """Each call takes an hour."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self.clock = clock

    async def forecast(self, place: str, *, days: int = 1) -> Sequence[str]:
        self.clock.move(timedelta(hours=1))
        return await super().forecast(place, days=days)


async def test_in_a_replay_it_is_as_late_as_it_was() -> None:
    clock = ManualClock()
    then = await run(Punctual, Slow(clock), clock=clock)

    with recalling({then.id: kept(then)}) as unrecorded:
        now = await run(Punctual, Storm(), clock=TimeOfThen(AT))

    assert then.board.last(First) == First("01:00 01:00")
    assert then.board.last(Second) == Second("02:00")
    assert comparable(now) == comparable(then)
    assert [run.started_at for run in now.history] == [run.started_at for run in then.history]
    assert unrecorded == {}


async def test_without_a_record_of_a_call_it_is_when_the_tick_began() -> None:
    clock = ManualClock()
    then = await run(Punctual, Slow(clock), clock=clock)
    old = [replace(each, data={**each.data, "calls": []}) for each in kept(then)]

    with recalling({then.id: old}) as unrecorded:
        now = await run(Punctual, Storm(), clock=TimeOfThen(AT))

    assert now.board.last(First) == First("00:00 00:00")
    assert now.board.last(Second) == Second("01:00")
    assert unrecorded == {then.id: ["Weather.forecast"]}


@component(name="team")
class Remembering:
    @action(value=0.5)
    async def save(self, context: ActionContext) -> First:
        seen = context.board.get("seen")
        before = seen.text if isinstance(seen, Outlook) else "nothing"
        await context.save(Outlook(f"after {before}"), name="seen")
        return First("saved")


async def with_context(contexts: MemoryContexts) -> Process:
    package = Package(name="team", components=(Remembering,))
    services = recording({Contexts: contexts, Clock: ManualClock()})
    platform = Platform(packages=[package], services=services, types=(Outlook,))
    options = ProcessOptions(terminate_when_stuck=True, context_id="c-1")
    return await UtilityInvocation.on(platform).with_process_options(options).run_async()


async def test_facts_that_outlive_processes_are_those_of_then() -> None:
    contexts = MemoryContexts()
    await with_context(contexts)
    then = await with_context(contexts)

    own = MemoryContexts()
    with recalling({then.id: kept(then)}) as unrecorded:
        now = await with_context(own)

    assert then.board.get("seen") == Outlook("after nothing")
    assert calls(then) == [("seeded", "load"), ("tick", "save")]
    assert comparable(now) == comparable(then)
    assert unrecorded == {}
    assert await own.load("c-1") == await contexts.load("c-1")


async def test_what_nobody_hears_is_not_noted_and_no_replay_changes_it() -> None:
    weather: Weather = recorded(Weather, Sky())  # type: ignore[assignment]
    heard = Heard(process_id="p-1", tick=1)

    with recalling({}) as unrecorded:
        outside = await weather.forecast("Oslo")
        with hearing(heard):
            within = await weather.forecast("Oslo")

    assert (outside, within) == (["Oslo 1"], ["Oslo 2"])
    assert len(heard.calls) == 1
    assert unrecorded == {"p-1": ["Weather.forecast"]}


def test_what_stands_in_has_all_else_that_the_service_has() -> None:
    sky = Sky(days=7)

    weather = recorded(Weather, sky)

    assert behind(weather) is sky
    assert getattr(weather, "days", None) == 7
    assert not hasattr(weather, "no_such_thing")
    assert behind("no service") == "no service"


async def test_trouble_with_a_server_goes_through_as_it_did() -> None:
    away = InfrastructureError("sky", "it is away")
    weather: Weather = recorded(Weather, Sky(errors=[away]))  # type: ignore[assignment]
    heard = Heard(process_id="p-1", tick=1)

    with hearing(heard), pytest.raises(InfrastructureError):
        await weather.forecast("Oslo")

    assert [call["error"]["type"] for call in heard.calls] == ["InfrastructureError"]
