import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

import pytest

from reactor.errors import InfrastructureError
from streams.ordered import OrderedPump, Patience
from streams.record import PoisonRecord, Record
from streams.window import Limits, Partition
from tests.fixtures.records import record

Until = Callable[[Callable[[], bool]], Awaitable[None]]

P0 = Partition("topic", 0)
AT_ONCE = Patience(attempts=3, first_wait_s=0.0, longest_wait_s=0.0)
LIMITS = Limits(running=4, held=8, per_key=2, parked=20)


class Desk:
    """A handler that does what each test tells it, and remembers."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.settled: list[int] = []
        self.buried: list[tuple[int, str, int]] = []
        self.gates: defaultdict[bytes | None, asyncio.Event] = defaultdict(asyncio.Event)
        self.closed_keys: set[bytes | None] = set()
        self.errors: dict[int, list[BaseException]] = defaultdict(list)
        self.burial_errors: list[BaseException] = []

    def close(self, *keys: bytes) -> None:
        """Records of these keys hang until `open`."""
        self.closed_keys.update(keys)

    def open(self, key: bytes) -> None:
        self.gates[key].set()

    async def settle(self, record: Record) -> None:
        offset = record.position.offset
        self.begun.append(offset)
        if record.key in self.closed_keys:
            await self.gates[record.key].wait()
        if errors := self.errors[offset]:
            raise errors.pop(0)
        self.settled.append(offset)

    async def bury(self, record: Record, error: BaseException, attempts: int) -> None:
        if self.burial_errors:
            raise self.burial_errors.pop(0)
        self.buried.append((record.position.offset, type(error).__name__, attempts))


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def pump(desk: Desk) -> OrderedPump:
    return OrderedPump(desk.settle, on_poison=desk.bury, limits=LIMITS, patience=AT_ONCE)


async def test_records_of_a_key_are_settled_in_order_and_keys_side_by_side(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(b"a")

    for offset, key in enumerate([b"a", b"a", b"b", b"b"]):
        await pump.admit(record(offset, key))
    await until(lambda: desk.settled == [2, 3])
    assert pump.settled() == {}
    desk.open(b"a")
    await until(lambda: pump.settled() == {P0: 4})

    assert desk.settled == [2, 3, 0, 1]


async def test_one_hanging_key_does_not_stop_the_others(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(b"hangs")
    for offset in range(20):  # far more than the window holds
        await pump.admit(record(offset, b"hangs"))

    for offset in range(20, 120):
        await pump.admit(record(offset, b"k%d" % offset))
    await until(lambda: len(desk.settled) == 100)

    assert desk.begun.count(0) == 1
    assert pump.state().parked == 18
    desk.open(b"hangs")
    await until(lambda: pump.settled() == {P0: 120})
    assert desk.settled[100:] == list(range(20))


async def test_no_more_is_taken_in_hand_than_the_window_holds(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(*(b"k%d" % number for number in range(9)))
    for number in range(8):
        await pump.admit(record(number, b"k%d" % number))

    ninth = asyncio.create_task(pump.admit(record(8, b"k8")))
    await until(lambda: pump.state().running == 4)
    assert not ninth.done()
    desk.open(b"k3")

    assert await ninth


async def test_poison_is_buried_and_the_rest_goes_on(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.errors[1] = [PoisonRecord("odd")]

    for offset in range(3):
        await pump.admit(record(offset))
    await until(lambda: pump.settled() == {P0: 3})

    assert desk.buried == [(1, "PoisonRecord", 1)]
    assert desk.settled == [0, 2]
    assert pump.state().given_up == 1


async def test_an_unexpected_error_is_tried_again_before_the_record_is_given_up(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.errors[0] = [ValueError(), ValueError()]
    desk.errors[1] = [ValueError(), ValueError(), ValueError()]

    await pump.admit(record(0, b"a"))
    await pump.admit(record(1, b"b"))
    await until(lambda: pump.settled() == {P0: 2})

    assert desk.settled == [0]
    assert desk.buried == [(1, "ValueError", 3)]


@pytest.mark.parametrize("error", [asyncio.CancelledError(), GeneratorExit(), BaseException()])
async def test_whatever_a_handler_raises_no_record_is_passed_over(
    desk: Desk, pump: OrderedPump, until: Until, error: BaseException
) -> None:
    desk.errors[0] = [error] * 3

    await pump.admit(record(0))
    await until(lambda: pump.settled() == {P0: 1})

    assert desk.buried == [(0, type(error).__name__, 3)]


@pytest.mark.parametrize(
    "away",
    [
        InfrastructureError("redis", "away"),
        ExceptionGroup("all", [InfrastructureError("redis", "away")]),
    ],
)
async def test_a_server_that_is_away_is_waited_out_and_nothing_is_given_up(
    desk: Desk, pump: OrderedPump, until: Until, away: BaseException
) -> None:
    desk.errors[0] = [away] * 50

    await pump.admit(record(0))
    await pump.admit(record(1))
    await until(lambda: pump.settled() == {P0: 2})

    assert desk.begun == [0] * 51 + [1]
    assert desk.buried == []


async def test_a_dead_letter_topic_that_is_away_is_waited_out_too(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.errors[0] = [PoisonRecord("odd")]
    desk.burial_errors = [InfrastructureError("kafka", "away"), ValueError("whatever")] * 5

    await pump.admit(record(0))
    await pump.admit(record(1))
    await until(lambda: pump.settled() == {P0: 2})

    assert desk.burial_errors == []
    assert desk.buried == [(0, "PoisonRecord", 1)]


async def test_a_released_partition_begins_nothing_more_and_commits_what_is_settled(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(b"b")
    for offset, key in enumerate([b"a", b"b", b"b"]):
        await pump.admit(record(offset, key))
    await until(lambda: desk.begun == [0, 1])

    releasing = asyncio.create_task(pump.release([P0], drain_s=30))
    await asyncio.sleep(0)  # now it has begun
    assert not await pump.admit(record(3, b"c"))
    desk.open(b"b")

    assert await releasing == {P0: 2}  # 1 was finished, 2 never began
    assert desk.begun == [0, 1]


async def test_a_pump_that_ends_begins_nothing_more(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(b"a")
    await pump.admit(record(0, b"a"))
    await pump.admit(record(1, b"a"))
    await until(lambda: desk.begun == [0])

    pump.end()
    desk.open(b"a")
    await until(lambda: pump.settled() == {P0: 1})
    await pump.admit(record(2, b"b"))

    assert await pump.release([P0], drain_s=30) == {P0: 1}
    assert desk.begun == [0]


async def test_what_does_not_finish_in_time_is_cancelled_and_not_committed(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(b"b")
    await pump.admit(record(0, b"a"))
    await pump.admit(record(1, b"b"))
    await until(lambda: desk.begun == [0, 1])

    assert await pump.release([P0], drain_s=0) == {P0: 1}

    desk.open(b"b")
    assert await pump.admit(record(1, b"b"))  # it is read again
    await until(lambda: pump.settled() == {P0: 2})
    assert desk.settled == [0, 1]


async def test_a_record_that_waits_for_a_server_does_not_hold_a_release_up(
    desk: Desk, until: Until
) -> None:
    patience = Patience(first_wait_s=3_600, longest_wait_s=3_600)
    pump = OrderedPump(desk.settle, on_poison=desk.bury, limits=LIMITS, patience=patience)
    desk.errors[0] = [InfrastructureError("redis", "away")]
    await pump.admit(record(0))
    await until(lambda: pump.state().waiting_out == 1)

    assert await pump.release([P0], drain_s=3_600) == {}


async def test_a_record_that_fails_while_its_partition_goes_is_left_to_the_next_owner(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(b"a")
    desk.errors[0] = [InfrastructureError("redis", "away")] * 10
    await pump.admit(record(0, b"a"))
    await until(lambda: desk.begun == [0])

    releasing = asyncio.create_task(pump.release([P0], drain_s=3_600))
    desk.open(b"a")

    assert await releasing == {}
    assert desk.begun == [0]


async def test_a_record_that_waited_for_room_over_a_release_is_stale(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(*(b"k%d" % number for number in range(9)))
    for number in range(8):
        await pump.admit(record(number, b"k%d" % number))
    ninth = asyncio.create_task(pump.admit(record(8, b"k8")))
    await until(lambda: pump.state().running == 4)

    await pump.release([P0], drain_s=0)

    assert not await ninth
    assert pump.state().held == 0


async def test_it_is_stale_too_when_nothing_of_its_partition_was_in_hand(
    desk: Desk, pump: OrderedPump
) -> None:
    desk.close(*(b"k%d" % number for number in range(9)))
    for number in range(8):
        await pump.admit(record(number, b"k%d" % number, partition=1))
    waiting = asyncio.create_task(pump.admit(record(0)))
    await asyncio.sleep(0)  # now it waits

    await pump.release([P0], drain_s=0)
    desk.open(b"k0")

    assert not await waiting


async def test_the_other_partitions_go_on_while_one_is_released(
    desk: Desk, pump: OrderedPump, until: Until
) -> None:
    desk.close(b"a")
    await pump.admit(record(0, b"a"))
    await pump.admit(record(0, b"b", partition=1))
    await until(lambda: pump.settled() == {Partition("topic", 1): 1})

    await pump.release([P0], drain_s=0)
    await pump.admit(record(1, b"b", partition=1))

    await until(lambda: pump.settled() == {Partition("topic", 1): 2})


def test_waits_double_up_to_the_longest() -> None:
    waits = Patience(first_wait_s=1, longest_wait_s=5).waits_s()

    assert [next(waits) for _ in range(5)] == [1, 2, 4, 5, 5]
