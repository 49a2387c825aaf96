from dataclasses import replace

import pytest

from streams.ordered import PumpState
from streams.reader import Extent
from streams.watch import ProcessorStalled, Stall, Watch
from streams.window import Partition

P0 = Partition("topic", 0)
IDLE = PumpState(
    running=0,
    held=0,
    parked=0,
    unsettled=0,
    waiting_out=0,
    settled=5,
    given_up=0,
    steps=9,
    oldest_try_s=0.0,
)


@pytest.fixture
def watch() -> Watch:
    return Watch(Stall(silent_s=60, try_s=900))


def test_a_topic_without_work_is_no_stall(watch: Watch) -> None:
    for now_s in range(0, 10_000, 15):
        watch.check_lag(now_s, {P0: Extent(0, 5)}, {P0: 5})


def test_records_that_nobody_reads_for_a_minute_are_a_stall(watch: Watch) -> None:
    watch.check_lag(0, {P0: Extent(0, 7)}, {P0: 5})
    watch.check_lag(59, {P0: Extent(0, 7)}, {P0: 5})

    with pytest.raises(ProcessorStalled, match=r"topic\[0\] for 60 s"):
        watch.check_lag(60, {P0: Extent(0, 9)}, {P0: 5})


def test_a_record_that_came_just_before_we_looked_is_no_stall(watch: Watch) -> None:
    watch.check_lag(0, {P0: Extent(0, 5)}, {P0: 5})
    watch.check_lag(1_000, {P0: Extent(0, 6)}, {P0: 5})
    watch.check_lag(1_060, {P0: Extent(0, 7)}, {P0: 6})  # it was read, the next one waits


def test_a_partition_that_was_never_read_counts_from_its_oldest_record(watch: Watch) -> None:
    watch.check_lag(0, {P0: Extent(3, 3)}, {P0: -1})
    watch.check_lag(60, {P0: Extent(3, 4)}, {P0: -1})

    with pytest.raises(ProcessorStalled):
        watch.check_lag(120, {P0: Extent(3, 4)}, {P0: -1})


@pytest.mark.parametrize("extents", [{}, {P0: Extent(0, 2)}])
def test_a_broker_that_lost_what_we_read_is_a_stall(
    watch: Watch, extents: dict[Partition, Extent]
) -> None:
    watch.check_lag(0, extents, {P0: 5})

    with pytest.raises(ProcessorStalled):
        watch.check_lag(60, extents, {P0: 5})


def test_work_in_hand_starts_the_clock_anew(watch: Watch) -> None:
    watch.check_lag(0, {P0: Extent(0, 7)}, {P0: 5})
    watch.forget_lag()
    watch.check_lag(60, {P0: Extent(0, 7)}, {P0: 5})


def test_a_handler_that_never_ends_is_a_stall(watch: Watch) -> None:
    watch.check_tries(replace(IDLE, running=1, oldest_try_s=899))

    with pytest.raises(ProcessorStalled, match="900 s"):
        watch.check_tries(replace(IDLE, running=1, oldest_try_s=900))


def test_a_rebalance_that_does_not_end_is_a_stall(watch: Watch) -> None:
    watch.check_rebalance(0, is_rebalancing=True)
    watch.check_rebalance(59, is_rebalancing=True)

    with pytest.raises(ProcessorStalled, match="rebalancing for 60 s"):
        watch.check_rebalance(60, is_rebalancing=True)


def test_one_rebalance_after_another_is_none(watch: Watch) -> None:
    watch.check_rebalance(0, is_rebalancing=True)
    watch.check_rebalance(30, is_rebalancing=False)
    watch.check_rebalance(45, is_rebalancing=True)
    watch.check_rebalance(100, is_rebalancing=True)
