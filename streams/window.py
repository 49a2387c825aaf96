"""Which records are in hand, which may run next, and how far a partition is settled.

Pure bookkeeping for `streams.ordered`: no clock, no task, no broker.  The rules:

- records of one key run one after the other, in the order of their offsets; others side by side;
- a partition is settled up to the first record in it that is not done, and no further;
- the window holds a bounded number of records, and of these a bounded number of one key; what a
  busy key has beyond that is parked, in a room of its own, so that one hanging key leaves the
  window to the others.
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Partition(NamedTuple):
    """One partition of one topic."""

    topic: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much may be in hand at once."""

    running: int = 16  # records whose handler runs
    held: int = 64  # records that run, or wait for their turn
    per_key: int = 8  # of these, records of one key; the rest of the key is parked
    parked: int = 10_000  # parked records; no more is admitted beyond it
    parked_bytes: int = 64 * 1024 * 1024
    unsettled: int = 50_000  # records of a partition from its first open one on: run again
    # after a crash, so that a hanging record can't make that arbitrarily many


class State(Enum):
    """Where a record stands."""

    WAITING = auto()  # behind an earlier one of its key
    READY = auto()
    RUNNING = auto()
    DONE = auto()
    FORGOTTEN = auto()  # its partition was taken away


@dataclass(slots=True, eq=False, kw_only=True)
class Slot(Generic[T]):
    """One record in hand."""

    partition: Partition
    offset: int
    key: bytes | None
    size: int
    record: T | None  # None once it is done: only the offset is still needed
    state: State = State.WAITING
    is_parked: bool = False
    is_last_try: bool = False  # its partition is being taken away: finish now, or not at all


class Window(Generic[T]):
    """The records in hand."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._partitions: defaultdict[Partition, deque[Slot[T]]] = defaultdict(deque)
        self._chains: defaultdict[tuple[Partition, bytes], deque[Slot[T]]] = defaultdict(deque)
        self._ready: deque[Slot[T]] = deque()
        self._settled: dict[Partition, int] = {}  # the next offset to read after a restart
        self._seen: dict[Partition, tuple[int, int]] = {}  # first and last offset admitted
        self.running = self.held = self.parked = self.parked_bytes = 0

    def fits(self, partition: Partition, key: bytes | None, size: int) -> bool:
        """Whether there is room for one more record of this key."""
        if len(self._partitions.get(partition, ())) >= self._limits.unsettled:
            return False
        if not self._is_crowded(partition, key):
            return self.held < self._limits.held
        if not self.parked:
            return True  # whatever its size: an empty room takes any one
        return (
            self.parked < self._limits.parked
            and self.parked_bytes + size <= self._limits.parked_bytes
        )

    def admit(
        self, record: T, *, partition: Partition, offset: int, key: bytes | None, size: int
    ) -> bool:
        """Take a record in hand; False for one that was admitted before.

        One from before the first that was admitted means that the partition is read anew from
        there: what was in hand of it is forgotten, for it comes again.
        """
        first, last = self._seen.get(partition, (offset, offset - 1))
        if first <= offset <= last:
            return False
        if offset < first:
            self.leave([partition])
            first = offset
        self._seen[partition] = first, offset
        slot = Slot(partition=partition, offset=offset, key=key, size=size, record=record)
        slot.is_parked = self._is_crowded(partition, key)
        self._count(slot, 1)
        self._partitions[partition].append(slot)
        chain = self._chain(slot)
        if chain is not None:
            chain.append(slot)
        if chain is None or len(chain) == 1:
            self._make_ready(slot)
        return True

    def take(self) -> Slot[T] | None:
        """The next record to run, or None while none may."""
        while self._ready and self.running < self._limits.running:
            slot = self._ready.popleft()
            if slot.state is State.READY:
                slot.state = State.RUNNING
                self.running += 1
                return slot
        return None

    def settle(self, slot: Slot[T]) -> None:
        """A record that ran is done, and will never run again."""
        self._stop_running(slot)
        if slot.state is State.FORGOTTEN:
            return
        slot.state, slot.record = State.DONE, None
        self._count(slot, -1)
        self._follow(slot)
        line = self._partitions[slot.partition]
        while line and line[0].state is State.DONE:
            self._settled[slot.partition] = line.popleft().offset + 1

    def abandon(self, slot: Slot[T]) -> None:
        """A record of a forgotten partition stopped running without being done."""
        self._stop_running(slot)

    def settled(self) -> dict[Partition, int]:
        """The offset to commit, per partition in which anything was settled."""
        return dict(self._settled)

    def next_offset(self, partition: Partition) -> int | None:
        """The one after the last that was admitted; None before the first."""
        seen = self._seen.get(partition)
        return seen[1] + 1 if seen else None

    def unsettled(self) -> int:
        """Records from the first open one of each partition on, done ones among them."""
        return sum(len(line) for line in self._partitions.values())

    def first_open(self) -> list[T]:
        """Of each partition the first record that is not done."""
        heads = [line[0].record for line in self._partitions.values() if line]
        return [record for record in heads if record is not None]

    def held_back(self, partitions: Iterable[Partition]) -> int:
        """How many are done, but behind one that is not: they are read again with it."""
        lines = [self._partitions.get(partition, ()) for partition in partitions]
        return sum(slot.state is State.DONE for line in lines for slot in line)

    def forget(self, partitions: Iterable[Partition]) -> list[Slot[T]]:
        """Drop what has not begun in these partitions.  Returns what is running.

        What runs may still be settled, until `leave`.
        """
        running: list[Slot[T]] = []
        for partition in partitions:
            for slot in self._partitions.get(partition, ()):
                if slot.state is State.RUNNING:
                    slot.is_last_try = True
                    running.append(slot)
                elif slot.state is not State.DONE:
                    slot.state, slot.record = State.FORGOTTEN, None
                    self._count(slot, -1)
        return running

    def leave(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Forget these partitions wholly.  Returns the offsets to commit for them."""
        settled: dict[Partition, int] = {}
        for partition in partitions:
            for slot in self._partitions.pop(partition, ()):
                if slot.state not in (State.DONE, State.FORGOTTEN):
                    slot.state = State.FORGOTTEN
                    self._count(slot, -1)
                if slot.key is not None:
                    self._chains.pop((partition, slot.key), None)
            if partition in self._settled:
                settled[partition] = self._settled.pop(partition)
            self._seen.pop(partition, None)
        return settled

    def _stop_running(self, slot: Slot[T]) -> None:
        if slot.state not in (State.RUNNING, State.FORGOTTEN):
            raise ValueError(f"{slot.partition}@{slot.offset} is {slot.state.name}, not running")
        self.running -= 1

    def _chain(self, slot: Slot[T]) -> deque[Slot[T]] | None:
        return None if slot.key is None else self._chains[slot.partition, slot.key]

    def _is_crowded(self, partition: Partition, key: bytes | None) -> bool:
        if key is None:
            return False
        return len(self._chains.get((partition, key), ())) >= self._limits.per_key

    def _make_ready(self, slot: Slot[T]) -> None:
        slot.state = State.READY
        self._ready.append(slot)

    def _follow(self, done: Slot[T]) -> None:
        """Let the key's next record run, and move one out of the parking room."""
        if done.key is None:
            return
        chain = self._chains[done.partition, done.key]
        chain.popleft()
        if not chain:
            del self._chains[done.partition, done.key]
            return
        if chain[0].state is State.WAITING:
            self._make_ready(chain[0])
        if len(chain) >= self._limits.per_key:
            moved = chain[self._limits.per_key - 1]
            if moved.is_parked and moved.state is State.WAITING:
                self._count(moved, -1)
                moved.is_parked = False
                self._count(moved, 1)

    def _count(self, slot: Slot[T], by: int) -> None:
        if slot.is_parked:
            self.parked += by
            self.parked_bytes += by * slot.size
        else:
            self.held += by
