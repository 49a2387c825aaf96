"""What a process was told is found again by what was asked, whatever else has changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactor.calls import Heard, Known, hearing
from reactor.journal import JournalRecord, Kind, ServiceCallData
from reactor.permissions import Permissions
from reactor.ports import Clock
from reactor.recalling import Recollection, moment_now, recalling
from reactor.recording import recorded
from reactor.service_calls import methods_of

AT = datetime(2026, 3, 1, tzinfo=UTC)
ROLE = methods_of(Permissions)["role"]


def record(kind: Kind, seq: int, **data: Any) -> JournalRecord:
    return JournalRecord(process_id="p-1", seq=seq, kind=kind, at=later(seq), data=data)


def later(hours: int) -> datetime:
    return AT + timedelta(hours=hours)


def call(asked: str, result: int) -> ServiceCallData:
    return ServiceCallData(service="Permissions", method="role", asked=asked, result=result)


def tick(number: int, *calls: ServiceCallData, began: int | None = None) -> JournalRecord:
    started = later(began if began is not None else number).isoformat()
    return record("tick", number + 1, tick=number, started_at=started, calls=list(calls))


def results(memory: Recollection, *wanted: tuple[str, int]) -> list[object]:
    found = [memory.call(ROLE, asked, tick=number) for asked, number in wanted]
    return [each and each["result"] for each in found]


def test_each_answer_is_given_once_in_the_order_in_which_it_came() -> None:
    memory = Recollection([tick(1, call("ann", 1), call("bob", 2), call("ann", 3))])

    assert results(memory, ("ann", 1), ("ann", 1), ("eve", 1), ("bob", 1)) == [1, 3, None, 2]


@pytest.mark.parametrize(("service", "more"), [(Permissions, 7), (Clock, None)])
def test_who_may_what_is_as_it_was_however_often_it_is_asked(
    service: type, more: int | None
) -> None:
    method = next(iter(methods_of(service).values()))
    told = ServiceCallData(service=method.service, method=method.name, asked="x", result=7)
    memory = Recollection([tick(1, told)])

    first, second = (memory.call(method, "x", tick=1) for _ in range(2))

    assert first is not None
    assert second == (first if more else None)


def test_an_answer_of_the_same_tick_goes_before_one_of_another() -> None:
    memory = Recollection(
        [tick(1, call("ann", 1)), tick(2, call("ann", 2)), tick(3, call("ann", 3))]
    )

    assert results(memory, ("ann", 2), ("ann", 9), ("ann", 3)) == [2, 1, 3]


def test_a_planning_that_found_nothing_was_that_of_the_tick_after_the_last_one() -> None:
    memory = Recollection(
        [tick(1, call("ann", 1)), record("ended", 3, ticks=1, calls=[call("ann", 2)])]
    )

    assert results(memory, ("ann", 2), ("ann", 1)) == [2, 1]


def test_it_is_as_late_as_it_was_in_each_tick_and_stands_still_after_the_last() -> None:
    memory = Recollection(
        [
            record("seeded", 0),
            tick(1, began=10),
            record("answered", 20, tick=2),
            record("ended", 30, ticks=2),
        ]
    )

    moments = [memory.moment(number) for number in (0, 1, 2, 3, 9)]

    assert moments == [later(hours) for hours in (0, 10, 20, 30, 30)]


def test_a_process_that_went_on_after_its_rest_has_the_time_of_that_tick() -> None:
    memory = Recollection([record("seeded", 0), record("ended", 1, ticks=0), tick(1, began=50)])

    assert memory.moment(1) == later(50)


def test_without_a_replay_or_a_process_nobody_knows_what_the_time_was() -> None:
    with hearing(Heard(process_id="p-1", tick=0)):
        outside = moment_now()
    with recalling({"p-1": [record("seeded", 0)]}):
        nobody = moment_now()
        with hearing(Heard(process_id="p-2", tick=0)):
            stranger = moment_now()
        with hearing(Heard(process_id="p-1", tick=0)):
            known = moment_now()

    assert (outside, nobody, stranger, known) == (None, None, None, AT)


@dataclass
class Tap:
    """A service that says for itself whether it can be used."""

    said: list[str] = field(default_factory=list)

    async def why_away(self, head: object) -> str:
        return self.said.pop(0)


async def looks(process: Sequence[str], *, known: Known | None = None) -> list[ServiceCallData]:
    """What is noted of these answers, one in each tick."""
    tap: Any = recorded(Tap, Tap(list(process)))
    told, known = [], known or Known()
    for number, _ in enumerate(process, 1):
        heard = Heard(process_id="p-1", tick=number, known=known)
        with hearing(heard):
            await tap.why_away("head")
        told += [ServiceCallData(**{**each, "asked": str(number)}) for each in heard.calls]
    return told


async def test_of_what_is_asked_in_each_tick_only_changes_are_noted() -> None:
    told = await looks(["", "", "dry", "dry", "", "dry"])

    assert [(each["asked"], each["result"]) for each in told] == [
        ("3", "dry"),
        ("5", ""),
        ("6", "dry"),
    ]


async def test_who_goes_on_with_a_stored_process_notes_the_first_answer_anew() -> None:
    told = await looks(["", "", "dry"], known=Known(is_new=False))

    assert [(each["asked"], each["result"]) for each in told] == [("1", ""), ("3", "dry")]


@pytest.mark.parametrize(
    "process",
    [["", "", "dry", "dry", "", "dry"], ["dry", "", ""], ["", "", ""], ["dry", "rusty", "dry"]],
)
async def test_a_replay_hears_in_each_tick_what_held_then(process: list[str]) -> None:
    records = [tick(int(each["asked"]), each) for each in await looks(process)]
    own = Tap([""] * len(process))
    tap: Any = recorded(Tap, own)

    heard = list[str]()
    with recalling({"p-1": records}) as unrecorded:
        for number in range(1, len(process) + 1):
            with hearing(Heard(process_id="p-1", tick=number)):
                heard.append(await tap.why_away("head"))

    assert heard == process
    assert unrecorded == {}


async def test_one_that_was_planned_again_in_the_same_tick_hears_the_next_word() -> None:
    told = [
        ServiceCallData(service="Tap", method="why_away", asked="", result=r) for r in ("dry", "")
    ]
    records = [record("ended", 1, ticks=0, calls=told[:1]), tick(1, told[1])]
    tap: Any = recorded(Tap, Tap(["", "", ""]))

    heard = list[str]()
    with recalling({"p-1": records}):
        for number in (1, 1, 2):
            with hearing(Heard(process_id="p-1", tick=number)):
                heard.append(await tap.why_away("head"))

    assert heard == ["dry", "", ""]
