"""Every store of processes: which of a subject came to rest last."""

from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.ports import Boards, Commit
from reactor.recounting import LatestBoards
from reactor.status import ProcessHead, Status
from tests.contract.conftest import redis
from tests.contract.samples import CATALOG, NOW, head

SUBJECT = "github.com/1#7"
Made = RedisBoards | MemoryBoards


@pytest.fixture
def made(adapter: str, request: pytest.FixtureRequest) -> Made:
    if adapter == "memory":
        return MemoryBoards(Codec(CATALOG), ManualClock())
    client, prefix = redis(request)
    return RedisBoards(client, Codec(CATALOG), prefix=prefix)


@pytest.fixture
def boards(made: Made) -> Boards:
    return made


@pytest.fixture
def latest(made: Made) -> LatestBoards:
    return made


def at(minutes: int, process_id: str, **fields: object) -> ProcessHead:
    moment = NOW + timedelta(minutes=minutes)
    known = {"subject": SUBJECT, "updated_at": moment, **fields}
    return head(process_id, Status.COMPLETED, **known)


async def rest(boards: Boards, ended: ProcessHead) -> None:
    found = await boards.open(
        ended.id, delivery=ended.delivery, owner="a", lease=timedelta(minutes=5)
    )
    await boards.commit(found.lease, Commit(head=ended, is_last=True))


async def test_the_one_that_came_to_rest_last_is_the_first(
    boards: Boards, latest: LatestBoards
) -> None:
    for minutes, process_id in enumerate(("p1", "p2", "p3")):
        await rest(boards, at(minutes, process_id))
    await rest(boards, at(9, "p1"))

    assert await latest.latest(SUBJECT, limit=9) == ["p1", "p3", "p2"]
    assert await latest.latest(SUBJECT, limit=2) == ["p1", "p3"]


async def test_those_of_other_subjects_and_those_within_others_are_left_out(
    boards: Boards, latest: LatestBoards
) -> None:
    await rest(boards, at(1, "p1"))
    await rest(boards, at(2, "p2", subject="github.com/1#8"))
    await rest(boards, at(3, "p3", parent_id="p1"))

    assert await latest.latest(SUBJECT, limit=9) == ["p1"]
    assert await latest.latest("github.com/1#9", limit=9) == []
