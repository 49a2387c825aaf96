from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from streams.window import Limits, Partition, Slot, Window

P0, P1 = Partition("topic", 0), Partition("topic", 1)


@pytest.fixture
def window() -> Window[int]:
    return Window(Limits(running=3, held=6, per_key=2, parked=4, parked_bytes=100, unsettled=20))


def admit(
    window: Window[int], offset: int, key: bytes | None = b"k", *, on: Partition = P0
) -> bool:
    return window.admit(offset, partition=on, offset=offset, key=key, size=10)


def take(window: Window[int]) -> Slot[int]:
    slot = window.take()
    assert slot
    return slot


def test_records_of_one_key_run_one_after_the_other(window: Window[int]) -> None:
    admit(window, 0)
    admit(window, 1)

    first = take(window)

    assert (first.offset, window.take()) == (0, None)
    window.settle(first)
    assert take(window).offset == 1


def test_records_of_several_keys_and_of_none_run_side_by_side(window: Window[int]) -> None:
    for offset, key in enumerate([b"a", b"b", None, None]):
        admit(window, offset, key)

    assert [take(window).offset for _ in range(3)] == [0, 1, 2]
    assert window.take() is None  # three may run


def test_a_partition_is_settled_up_to_its_first_open_record(window: Window[int]) -> None:
    for offset in range(3):
        admit(window, offset, None)
    slots = [take(window) for _ in range(3)]

    window.settle(slots[2])
    window.settle(slots[1])
    assert window.settled() == {}

    window.settle(slots[0])
    assert window.settled() == {P0: 3}


def test_what_is_done_behind_an_open_record_is_held_back(window: Window[int]) -> None:
    for offset in range(3):
        admit(window, offset, key=b"%d" % offset)
    first, second, _ = take(window), take(window), take(window)

    window.settle(second)
    assert window.held_back([P0]) == 1

    window.settle(first)
    assert window.held_back([P0]) == 0


def test_offsets_that_are_missing_on_the_topic_hold_nothing_up(window: Window[int]) -> None:
    admit(window, 10, None)
    admit(window, 17, None)

    window.settle(take(window))
    window.settle(take(window))

    assert window.settled() == {P0: 18}


def test_a_hanging_key_leaves_the_window_to_the_others(window: Window[int]) -> None:
    for offset in range(6):
        admit(window, offset, b"hangs")
    hanging = take(window)

    assert (window.held, window.parked) == (2, 4)
    assert window.fits(P0, b"other", 10)
    admit(window, 6, b"other")
    assert take(window).key == b"other"
    assert hanging.offset == 0


def test_the_parking_room_is_bounded_too(window: Window[int]) -> None:
    for offset in range(6):
        assert window.fits(P0, b"hangs", 10)
        admit(window, offset, b"hangs")

    assert not window.fits(P0, b"hangs", 10)


def test_one_record_may_be_larger_than_the_parking_room(window: Window[int]) -> None:
    admit(window, 0)
    admit(window, 1)

    assert window.fits(P0, b"k", 10_000)


def test_a_parked_record_moves_up_when_its_key_goes_on(window: Window[int]) -> None:
    for offset in range(4):
        admit(window, offset)

    window.settle(take(window))

    assert (window.held, window.parked) == (2, 1)


def test_a_record_that_is_read_twice_is_taken_in_hand_once(window: Window[int]) -> None:
    admit(window, 5)

    assert not admit(window, 5)
    window.settle(take(window))
    assert not admit(window, 5)


def test_a_partition_that_is_read_anew_from_earlier_begins_anew(window: Window[int]) -> None:
    admit(window, 50)
    stale = take(window)

    assert admit(window, 45)
    assert admit(window, 50)
    window.settle(stale)
    assert window.settled() == {}

    for offset in (45, 50):
        slot = take(window)
        assert slot.offset == offset
        window.settle(slot)
    assert window.settled() == {P0: 51}


def test_taking_a_partition_away_forgets_what_has_not_begun(window: Window[int]) -> None:
    for offset in range(3):
        admit(window, offset)
    admit(window, 0, on=P1)
    running = take(window)

    assert window.forget([P0]) == [running]
    window.settle(running)
    assert take(window).partition == P1  # the followers in P0 do not begin
    assert window.leave([P0]) == {P0: 1}
    assert (window.held, window.parked, window.unsettled()) == (1, 0, 1)


def test_what_ends_after_its_partition_was_left_counts_for_nothing(window: Window[int]) -> None:
    admit(window, 0)
    late = take(window)
    window.forget([P0])
    window.leave([P0])

    admit(window, 0)  # it came back
    window.settle(late)

    assert window.settled() == {}
    assert window.running == 0


class Consumer(RuleBasedStateMachine):
    """Any order of reading, finishing and rebalancing, beside the plain truth."""

    LIMITS = Limits(running=3, held=5, per_key=2, parked=4, parked_bytes=40, unsettled=12)

    def __init__(self) -> None:
        super().__init__()
        self.window: Window[int] = Window(self.LIMITS)
        self.next: dict[Partition, int] = defaultdict(int)
        self.running: list[Slot[int]] = []
        self.done: dict[Partition, set[int]] = defaultdict(set)
        self.committed: dict[Partition, int] = defaultdict(int)
        self.order: dict[tuple[Partition, bytes], list[int]] = defaultdict(list)

    @rule(on=st.sampled_from([P0, P1]), key=st.sampled_from([b"a", b"b", b"c", None]))
    def read_one(self, on: Partition, key: bytes | None) -> None:
        if self.window.fits(on, key, 10):
            offset = self.next[on]
            assert self.window.admit(offset, partition=on, offset=offset, key=key, size=10)
            self.next[on] = offset + 1

    @rule()
    def begin(self) -> None:
        while slot := self.window.take():
            assert slot.record == slot.offset
            if slot.key is not None:
                chain = self.order[slot.partition, slot.key]
                assert not chain or chain[-1] < slot.offset, "out of order"
                assert not any(
                    other.key == slot.key and other.partition == slot.partition
                    for other in self.running
                ), "two of one key at once"
                chain.append(slot.offset)
            self.running.append(slot)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        slot = self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))
        self.done[slot.partition].add(slot.offset)
        self.window.settle(slot)

    @rule(on=st.sampled_from([P0, P1]), finish=st.booleans())
    def rebalance(self, on: Partition, *, finish: bool) -> None:
        running = self.window.forget([on])
        assert set(running) == {slot for slot in self.running if slot.partition == on}
        for slot in running:
            self.running.remove(slot)
            if finish:
                self.done[on].add(slot.offset)
                self.window.settle(slot)
            else:
                self.window.abandon(slot)
        self.committed[on] = self.window.leave([on]).get(on, self.committed[on])
        self.next[on] = self.committed[on]
        for key in (b"a", b"b", b"c"):
            self.order[on, key].clear()

    @invariant()
    def nothing_open_is_settled(self) -> None:
        for on, offset in self.window.settled().items():
            assert set(range(offset)) <= self.done[on], "committed over an open record"

    @invariant()
    def the_limits_hold(self) -> None:
        assert self.window.running == len(self.running) <= self.LIMITS.running
        assert 0 <= self.window.held <= self.LIMITS.held
        assert 0 <= self.window.parked <= self.LIMITS.parked
        assert self.window.parked_bytes == 10 * self.window.parked

    def teardown(self) -> None:
        """Whatever happened, the rest can be finished, and then all is settled."""
        for _ in range(200):
            self.begin()
            if not self.running:
                break
            slot = self.running.pop()
            self.done[slot.partition].add(slot.offset)
            self.window.settle(slot)
        assert (self.window.held, self.window.parked, self.window.unsettled()) == (0, 0, 0)
        for on, offset in self.window.settled().items():
            assert offset == self.next[on]


TestConsumer = Consumer.TestCase
TestConsumer.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)


@given(keys=st.lists(st.sampled_from([b"a", b"b", None]), max_size=12))
def test_everything_admitted_is_settled_in_the_end(keys: list[bytes | None]) -> None:
    window: Window[int] = Window(Limits(running=2, held=12, per_key=3, unsettled=50))
    for offset, key in enumerate(keys):
        window.admit(offset, partition=P0, offset=offset, key=key, size=1)

    while slot := window.take():
        window.settle(slot)

    assert window.settled() == ({P0: len(keys)} if keys else {})


def test_the_first_open_record_of_each_partition_is_known() -> None:
    window: Window[str] = Window(Limits())
    for partition, offset in ((P0, 0), (P0, 1), (Partition("topic", 1), 5)):
        window.admit(
            f"{partition.number}@{offset}", partition=partition, offset=offset, key=None, size=1
        )
    first = window.take()
    assert first is not None

    window.settle(first)

    assert window.first_open() == ["0@1", "1@5"]
