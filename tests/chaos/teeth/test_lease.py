"""The fence of a lease has teeth: without it, a worker that slept through its lease writes.

Two workers run one process.  The first stops in the middle of an action for longer than its
lease, the second takes over and decides otherwise, then the first goes on.  The ledger behind it
is off, and would be of no help: what the two decide on are different effects, each with a key of
its own.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import pytest
from redis.asyncio import Redis

from reactor import Effect, Package, Platform, Runner, Start, action, component
from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_keys import ProcessKeys
from reactor.codec import Codec
from reactor.ports import Commit, Lease, LeaseLost
from reactor.waiting import Wish
from tests.contract.stores import RedisStore

pytestmark = pytest.mark.redis


@dataclass(frozen=True)
class Asked:
    text: str


START = Start(
    process_id="p-1",
    delivery="github.com/d-1",
    reaction="label",
    subject="github.com/1#7",
    facts=[("event", Asked("colour, please"))],
    host="github.com",
    cause="c-1",
)


class Paint(Effect):
    colour: str


@dataclass
class Mind:
    """What one worker would decide, and when."""

    colour: str
    thinking: asyncio.Event = field(default_factory=asyncio.Event)
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)


@component(name="painter", effects=(Paint,))
class Painter:
    def __init__(self, mind: Mind) -> None:
        self._mind = mind

    @action(value=0.9)
    async def decide(self, asked: Asked) -> Paint:
        self._mind.thinking.set()
        await self._mind.may_go_on.wait()
        return Paint(colour=self._mind.colour)


class Unfenced(RedisBoards):
    """The guard, off: a commit goes through whoever has the lease by now."""

    async def commit(self, lease: Lease, commit: Commit) -> Wish | None:
        self._commits = count(id(self))  # so that it is not taken for the other's, sent twice
        key = ProcessKeys(self._prefix, lease.process_id).process
        owner, fence = await self._client.hmget(key, "owner", "fence")
        assert isinstance(owner, bytes)
        assert isinstance(fence, bytes)
        now = Lease(lease.process_id, owner.decode(), int(fence))
        return await super().commit(now, commit)


def runner(mind: Mind, client: Redis, prefix: str, *, fenced: bool) -> Runner:
    platform = Platform(
        packages=[Package(name="team", components=(Painter,))],
        services={Mind: mind},
        types=(Asked,),
    )
    kind = RedisBoards if fenced else Unfenced
    return Runner(
        platform=platform,
        boards=kind(client, Codec(platform.catalog), prefix=prefix),
        clock=SystemClock(),
        owner=f"worker of {mind.colour}",
    )


async def colours_wished_for(client: Redis, prefix: str, *, fenced: bool) -> Sequence[str]:
    """By the process as it is stored in the end: what any ledger would be given to send."""
    sleeper, other = Mind("red"), Mind("blue")
    slept = runner(sleeper, client, prefix, fenced=fenced)
    taking_over = runner(other, client, prefix, fenced=fenced)
    with slept, taking_over:
        sleeping = asyncio.create_task(slept.run(START))
        await sleeper.thinking.wait()
        await RedisStore(slept.boards, client, prefix).let_leases_run_out()
        other.may_go_on.set()
        await taking_over.run(START)

        sleeper.may_go_on.set()
        (outcome,) = await asyncio.gather(sleeping, return_exceptions=True)
        assert isinstance(outcome, LeaseLost) is fenced
        stored = await taking_over.boards.read(START.process_id)
    assert stored
    return sorted(record.effect.describe() for record in stored.effects)


async def test_with_the_fence_only_who_took_over_decides(
    redis_client: Redis, redis_prefix: str
) -> None:
    assert await colours_wished_for(redis_client, redis_prefix, fenced=True) == [
        "Paint(colour='blue')"
    ]


async def test_without_the_fence_both_decide(redis_client: Redis, redis_prefix: str) -> None:
    assert await colours_wished_for(redis_client, redis_prefix, fenced=False) == [
        "Paint(colour='blue')",
        "Paint(colour='red')",
    ]
