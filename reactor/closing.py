"""Closing: what a delivery says of places is acted upon, before its reactions hear of it.

    read -> absences begin or end -> caches forget -> what rests there is killed, what is held refused

An absence is durable before what rests there is looked for, and a process that comes to rest is
listed before its place is looked at: so one of the two finds it.  Everything can be done twice:
whoever reads the delivery again, does it again.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from reactor.attempt import EffectGivenUp, EffectRefused
from reactor.delivery import Delivery
from reactor.effect import Effect
from reactor.ledger import Held, Intent, Ledger, Ruling
from reactor.lifecycle import NEVER, Absence, Absences, Change, is_part_of
from reactor.ports import Clock, OpenProcesses
from reactor.signal import LIFECYCLE, Signal, as_delivery
from reactor.status import ProcessHead
from reactor.topic import DeliveryLog

_MOST_HELD = 10_000  # that are looked through

Reads = Callable[[Delivery], Change | None]
Forgets = Callable[[Change], Awaitable[None]]
"""Drops what was kept of the places of a change.  Raises `InfrastructureError`."""

Knows = Callable[[Change], Awaitable[Iterable[str]]]
"""The repositories (places) of an installation, as far as they are known."""

StartedBy = Callable[[str], Awaitable[Collection[str]]]
"""The processes that a delivery has started, by its key."""

PlaceOf = Callable[[Effect, str], str | None]
"""The place that an effect of a subject needs; None: it needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """What came of a change, for people."""

    change: Change  # with all places that it meant
    killed: int  # processes that were told to end
    refused: int  # effects that were held for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Acts on changes; safe to be called at once.  Methods may raise `InfrastructureError`."""

    reads: Reads
    knows: Knows
    forgets: Sequence[Forgets]
    absences: Absences
    open: OpenProcesses
    started_by: StartedBy
    signals: DeliveryLog
    ledger: Ledger
    place_of: PlaceOf
    clock: Clock
    tells: Callable[[Acted], None]

    async def hear(self, delivery: Delivery) -> None:
        """Act on what a delivery says of places; most say nothing."""
        change = self.reads(delivery)
        if change is None:
            return
        found = await self.knows(change) if change.installation is not None else ()
        places = tuple(dict.fromkeys((*change.places, *found)))
        change = replace(change, places=places)
        for place in places:
            await self.absences.end(place, change.ends)
            if change.begins is not None:
                await self.absences.begin(place, change.begins)
        killed, refused = await self._end(places, change.begins)
        if change.forgets:  # at last: who reads it again has to know of the same places
            for forget in self.forgets:
                await forget(change)
        self.tells(Acted(change=change, killed=killed, refused=refused))

    async def _end(self, places: Sequence[str], absence: Absence | None) -> tuple[int, int]:
        """End what waits there; how many processes and effects that were."""
        if absence is None:
            return 0, 0
        killed = 0
        if absence.is_for_good:
            its_own = await self.started_by(absence.delivery)  # where it is read again
            for place in places:
                for process_id in await self.open.at(place):
                    if process_id not in its_own:
                        await self._kill(process_id, absence)
                        killed += 1
        return killed, await self._refuse(places, absence) if absence.word in NEVER else 0

    async def _kill(self, process_id: str, absence: Absence) -> None:
        kill = Signal(
            id=f"kill-{absence.word}-{process_id}",
            kind="kill",
            process_id=process_id,
            by=LIFECYCLE,
            reason=absence.why,
        )
        await self.signals.append(as_delivery(kill, at=self.clock.now()))

    async def _refuse(self, places: Sequence[str], absence: Absence) -> int:
        """Refuse what is held for a person there."""
        ruling = Ruling(is_approved=False, by=LIFECYCLE, reason=absence.why)
        refused = 0
        for held in await self.ledger.held(until=self.clock.now(), limit=_MOST_HELD):
            if self._needs_one_of(held, places):
                record = held.intent.record
                await self.ledger.rule(record.subject, record.key, ruling, now=self.clock.now())
                refused += 1
        return refused

    def _needs_one_of(self, held: Held, places: Sequence[str]) -> bool:
        record = held.intent.record
        needed = self.place_of(record.effect, record.subject)
        return needed is not None and any(is_part_of(needed, place) for place in places)

    # Processes that rest ----------------------------------------------------------------------

    async def rests(self, head: ProcessHead) -> None:
        """A process has come to rest, and may go on; unless its place has gone meanwhile.

        What was started by the very delivery that told so may wait for whatever it likes.
        """
        await self.open.add(head.id, subject=head.subject)
        for absence in await self.absences.of(head.subject):
            if absence.is_for_good and absence.delivery != head.delivery:
                await self._kill(head.id, absence)
                return

    async def is_over(self, head: ProcessHead) -> None:
        """A process that has rested before has ended."""
        await self.open.remove(head.id, subject=head.subject)

    # Effects that are to be sent ---------------------------------------------------------------

    async def look_for(self, intent: Intent) -> None:
        """Whether the place that an effect needs is there.

        Raises `EffectRefused` where it will never be made, and `EffectGivenUp` where a person can
        drive it again once that is over.
        """
        record = intent.record
        place = self.place_of(record.effect, record.subject)
        absences = await self.absences.of(place) if place is not None else ()
        if not absences:
            return
        never = next((each for each in absences if each.word in NEVER), None)
        raise EffectRefused(never.why) if never else EffectGivenUp(absences[0].why)
