"""Commits whose answers get lost: whoever opens the process again goes on from what was kept."""

import secrets
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.errors import InfrastructureError
from reactor.ports import Commit, Lease
from tests.adapters.proxy import Proxy
from tests.contract.samples import CATALOG, effect, head, record, run

pytestmark = pytest.mark.redis

COMMITS = 5


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(losses=st.lists(st.integers(0, 4), min_size=COMMITS, max_size=COMMITS))
async def test_every_tick_is_kept_once_however_many_answers_are_lost(
    proxy: Proxy, wired_client: Redis, redis_prefix: str, losses: list[int]
) -> None:
    boards = RedisBoards(wired_client, Codec(CATALOG), prefix=redis_prefix)
    process = secrets.token_hex(8)  # of this example alone
    lease, done = await resumed(boards, process)

    for lost in losses:
        proxy.answers_to_lose = lost
        target = done + 1
        while done < target:  # as a worker does: wait, open again, go on from what is there
            try:
                await boards.commit(lease, tick(process, target))
                done = target
            except InfrastructureError:
                lease, done = await resumed(boards, process)

    proxy.answers_to_lose = 0
    stored = await boards.read(process)
    assert stored is not None
    names = [f"n{number}" for number in range(1, COMMITS + 1)]
    assert [each.action for each in stored.history] == names
    assert [each.key for each in stored.effects] == names
    assert [each.seq for each in await boards.journal(process)] == list(range(1, COMMITS + 1))


async def resumed(boards: RedisBoards, process: str) -> tuple[Lease, int]:
    """Open it, as often as it takes; how many ticks are kept."""
    while True:
        try:
            opened = await boards.open(process, delivery="d", owner="a", lease=timedelta(minutes=1))
        except InfrastructureError:
            continue
        return opened.lease, len(opened.stored.history) if opened.stored else 0


def tick(process: str, number: int) -> Commit:
    return Commit(
        head=head(process),
        history=[run(f"n{number}")],
        effects=[effect(f"n{number}")],
        journal=[record(process, number)],
    )
