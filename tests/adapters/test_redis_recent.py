"""The index of recent processes in Redis: bounded, kept beside commits, never in their way."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_keys import ProcessKeys, recent
from reactor.adapters.redis_recent import RecentIndex
from reactor.codec import Codec
from reactor.ports import Commit, Place
from tests.contract.samples import CATALOG, NOW, head

pytestmark = pytest.mark.redis

DAY_MS = 24 * 60 * 60 * 1000


async def change(boards: RedisBoards, process_id: str, *, after_s: float = 0) -> None:
    opened = await boards.open(
        process_id, delivery="github.com/d-1", owner="a", lease=timedelta(minutes=5)
    )
    at = NOW + timedelta(seconds=after_s)
    await boards.commit(opened.lease, Commit(head=head(process_id, updated_at=at)))


async def ids(boards: RedisBoards, limit: int = 10) -> list[str]:
    return [each.head.id for each in await boards.recent(limit=limit)]


async def test_the_oldest_make_room(redis_client: Redis, redis_prefix: str) -> None:
    index = RecentIndex(redis_client, Codec(CATALOG), prefix=redis_prefix, keep_ms=1000, most=3)

    for number in range(5):
        at = NOW + timedelta(seconds=number)
        for step in index.steps_to(Place(at, f"p{number}")):
            await redis_client.execute_command(*step)  # type: ignore[no-untyped-call]

    assert await redis_client.zrange(recent(redis_prefix), 0, -1) == [b"p2", b"p3", b"p4"]


async def test_it_expires_when_nothing_is_committed_for_as_long_as_open_processes_are_kept(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)

    await change(boards, "p1")

    assert 89 * DAY_MS < await redis_client.pttl(recent(redis_prefix)) <= 90 * DAY_MS


async def test_a_process_that_has_expired_is_left_out_and_the_page_is_filled_all_the_same(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    for number in range(6):
        await change(boards, f"p{number}", after_s=number)
    for gone in ("p5", "p3", "p2"):
        await redis_client.delete(ProcessKeys(redis_prefix, gone).process)

    assert await ids(boards, limit=2) == ["p4", "p1"]
    assert await ids(boards, limit=9) == ["p4", "p1", "p0"]


async def test_a_change_that_comes_late_does_not_put_a_process_back(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    await change(boards, "p1", after_s=9)
    await change(boards, "p2", after_s=5)

    await change(boards, "p1", after_s=1)

    assert await ids(boards) == ["p1", "p2"]


async def test_a_commit_is_kept_even_if_the_index_can_not_be_written(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    await redis_client.set(recent(redis_prefix), "something else")

    await change(boards, "p1")

    stored = await boards.read("p1")
    assert stored is not None
    assert stored.commits == 1
