"""One delivery once more: the same worker over a memory of its own, and nothing is sent.

    delivery -> its records of then -> each reaction that listens now -> its processes -> compared

Ids and attempts are those of then.  What came to a process from outside (answers, wakes, kills)
comes to it again, at the same point.  What can't be replayed is told and harms nothing else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from reactor.delivery import Delivery
from reactor.follow_up import FollowUp
from reactor.journal import JournalRecord
from reactor.ports import Boards
from reactor.recalling import recalling
from reactor.replay.clock import StandingClock
from reactor.replay.decided import seed_of
from reactor.replay.document import Replayed
from reactor.replay.found import Found, Records
from reactor.replay.outside import Heard, heard, signal_of
from reactor.runner import Runner
from reactor.signal import Signal, as_delivery, retrying
from reactor.status import ProcessHead
from reactor.steering import Steering
from reactor.topic import GivenUp
from reactor.worker import Gate, Listener, Reader, Reading, Settled, Worker


class Then(Protocol):
    """The records of then; what `reactor.records.Records` offers of them."""

    async def of_process(self, process_id: str) -> Sequence[JournalRecord]:
        """All of a process, in order; none where it is not known."""
        ...

    async def of_delivery(self, key: str) -> Sequence[str]:
        """Ids of the processes that a delivery (its `key`) started."""
        ...


class NowhereToPublish:
    """Fits the port `JournalLog`: the records of now are compared, and not kept."""

    async def publish(self, records: Sequence[JournalRecord]) -> None:
        """Nothing comes of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What one delivery is replayed in; afterwards it is dropped."""

    boards: Boards
    runner: Runner
    follow_up: FollowUp


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaying:
    """Replays deliveries, one after the other."""

    listeners: Sequence[Listener]
    reader: Reader
    gate: Gate
    then: Then
    clock: StandingClock
    memory: Callable[[], Memory]  # a new one each time
    reactions: frozenset[str] = frozenset()  # of others nothing is started; none named: of all

    async def replay(self, delivery: Delivery) -> list[Replayed]:
        """Every process that it started then or starts now.  Raises what `then` raises."""
        then = await self._then(delivery)
        found = Found(delivery=delivery, then=then)
        with recalling(then) as unrecorded:
            memory = self.memory()
            try:
                await self._run(found, memory)
            except Exception as error:  # noqa: BLE001 - a reader or a gate may raise anything
                found.note(error)
            for process in await memory.boards.started_by(delivery.key):
                stored = await memory.boards.read(process)
                if stored is not None:  # else it was opened, and could not begin
                    found.now[process] = await memory.boards.journal(process)
                    found.heads[process] = stored.head
        return found.compared(unrecorded)

    async def _then(self, delivery: Delivery) -> Records:
        """By process; of those reactions only that are meant."""
        then: dict[str, Sequence[JournalRecord]] = {}
        for process in await self.then.of_delivery(delivery.key):
            records = await self.then.of_process(process)
            if not self.reactions or seed_of(records).get("reaction") in self.reactions:
                then[process] = records
        return then

    async def _run(self, found: Found, memory: Memory) -> None:
        delivery, reading = found.delivery, self._reading(found)
        if reading is None:
            return
        wanted = [
            listener
            for listener in self.listeners
            if (not self.reactions or listener.reaction.name in self.reactions)
            and listener.wants(delivery, reading)
        ]
        if not wanted:
            return
        self.clock.stand(delivery.received_at)
        admission = await self.gate.admit(delivery, reading)
        if admission.refused and not found.then:
            return
        delivery = replace(delivery, causation=admission.causation, unclaimed=False)
        for listener in wanted:
            try:
                await self._run_one(found, memory, (delivery, reading, listener))
            except Exception as error:  # noqa: BLE001 - what a component raises is told
                found.note(error, reaction=listener.reaction.name)

    def _reading(self, found: Found) -> Reading | None:
        try:
            return self.reader(found.delivery)
        except GivenUp:  # as then: it became a dead letter
            if found.then:
                raise
            return None

    async def _run_one(
        self, found: Found, memory: Memory, what: tuple[Delivery, Reading, Listener]
    ) -> None:
        """The process of one reaction, its further attempts, and all that they heard."""
        delivery, reading, listener = what
        worker = Worker(
            listeners=(listener,),
            reader=lambda _: reading,
            runner=memory.runner,
            boards=memory.boards,
            journal=NowhereToPublish(),
        )
        steering = Steering(worker=worker, follow_up=memory.follow_up, clock=self.clock)
        attempts = found.attempts(listener.reaction.name)
        self._stand(found, attempts.get(delivery.attempt, ()))
        heads = (await worker.settle(delivery)).heads
        for number in sorted({delivery.attempt, *attempts}):
            if number > delivery.attempt:
                if not heads:
                    return
                self._stand(found, attempts[number])
                again = retrying(heads[0].id, attempt=number)
                heads = (await self._tell(steering, again)).heads
            for head in heads:
                events = heard(found.then.get(head.id, ()))
                heads = (await self._follow(steering, head, events),)

    async def _follow(
        self, steering: Steering, head: ProcessHead, events: Sequence[Heard]
    ) -> ProcessHead:
        """Let it hear what it heard then."""
        for event in events:
            self.clock.stand(event.at)
            signal = signal_of(event, head)
            if signal is None:  # it has not come to the same point
                break
            head = (await self._tell(steering, signal)).heads[-1]
        return head

    async def _tell(self, steering: Steering, signal: Signal) -> Settled:
        return await steering.settle(as_delivery(signal, at=self.clock.now()))

    def _stand(self, found: Found, records: Sequence[JournalRecord]) -> None:
        """Where the process began, or where its delivery came."""
        self.clock.stand(records[0].at if records else found.delivery.received_at)
