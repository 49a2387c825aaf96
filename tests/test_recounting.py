"""What is told of a subject is what was done there last, and not what people asked for."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.journal import JournalRecord, TickData
from reactor.ports import Commit
from reactor.recounting import SubjectExplanations
from reactor.status import ProcessHead, Status

SUBJECT = "github.com/1#7"
COMMANDS = "commands"


@dataclass
class Place:
    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        self.boards = MemoryBoards(Codec(TypeCatalog()), self.clock)
        self.explanations = SubjectExplanations(boards=self.boards)

    def head(self, id: str, delivery: str, reaction: str, **fields: object) -> ProcessHead:
        known = {
            "id": id,
            "delivery": f"github.com/{delivery}",
            "reaction": reaction,
            "subject": SUBJECT,
            "agent": "reactor",
            "planner": "utility",
            "event": id,  # that is told
            "status": Status.COMPLETED,
            "created_at": self.clock.now(),
            "updated_at": self.clock.now(),
            **fields,
        }
        return ProcessHead(**known)  # type: ignore[arg-type]

    async def ended(
        self, id: str, delivery: str, reaction: str = "triage", *, ran: str = ""
    ) -> None:
        """A process comes to its end, a minute after the one before."""
        self.clock.move(timedelta(minutes=1))
        head = self.head(id, delivery, reaction)
        opened = await self.boards.open(
            id, delivery=head.delivery, owner="a", lease=timedelta(minutes=1)
        )
        journal = [_tick(id, ran, head)] if ran else []
        await self.boards.commit(opened.lease, Commit(head=head, journal=journal, is_last=True))

    async def told(self, *, asked_in: str = "d-9") -> list[str]:
        asking = self.head("asking", asked_in, COMMANDS)
        found = await self.explanations.last(SUBJECT, asked_in=asking)
        return [each.title.partition(" in ")[0] for each in found]


def _tick(process_id: str, ran: str, head: ProcessHead) -> JournalRecord:
    data = TickData(  # type: ignore[typeddict-item]
        chosen=ran, candidates=[], not_runnable=[], left_out=0, outcome="done", error="",
        outputs=[], effects=[], inputs=[], tick=1, duration_s=0.0, attempts=1,
    )  # fmt: skip
    return JournalRecord(process_id=process_id, seq=1, kind="tick", at=head.updated_at, data=data)


@pytest.fixture
def place() -> Place:
    return Place()


async def test_all_that_one_delivery_started_is_told(place: Place) -> None:
    await place.ended("p1", "d-1", "triage", ran="triage.label")
    await place.ended("p2", "d-1", "community")

    assert await place.told() == ["p1", "p2"]


async def test_what_did_something_is_told_before_what_came_to_nothing(place: Place) -> None:
    await place.ended("p1", "d-1", ran="triage.label")
    await place.ended("p2", "d-2")

    assert await place.told() == ["p1"]


async def test_where_nothing_was_done_the_newest_is_told(place: Place) -> None:
    await place.ended("p1", "d-1")
    await place.ended("p2", "d-2")

    assert await place.told() == ["p2"]


async def test_what_people_asked_for_is_left_out(place: Place) -> None:
    await place.ended("p1", "d-1", ran="triage.label")
    await place.ended("p2", "d-2", COMMANDS, ran="commands.label")
    await place.ended("p3", "d-2", ran="triage.note")

    assert await place.told() == ["p1"]


async def test_the_delivery_that_asks_is_left_out(place: Place) -> None:
    await place.ended("p1", "d-1")
    await place.ended("p2", "d-2", ran="triage.note")

    assert await place.told(asked_in="d-2") == ["p1"]


async def test_where_nothing_is_kept_nothing_is_told(place: Place) -> None:
    assert await place.told() == []
