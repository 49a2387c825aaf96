"""Every adapter of `Heartbeats`: who lives is told, with what it said last."""

import asyncio
from datetime import timedelta

from reactor.heartbeat import Heartbeat, Heartbeats, Holding
from tests.contract.samples import NOW

LONG = timedelta(minutes=5)
AT_ONCE = timedelta(microseconds=1)  # the shortest that any adapter keeps


def heartbeat(owner: str = "host/1/worker", **more: object) -> Heartbeat:
    fields: dict[str, object] = {"at": NOW, "started_at": NOW, "is_ready": True}
    return Heartbeat(owner=owner, **{**fields, **more})  # type: ignore[arg-type]


async def test_the_last_of_each_owner_comes_back_as_it_was_by_owner(heartbeats: Heartbeats) -> None:
    last = heartbeat(
        "b/2/worker-2",
        holds=(Holding(topic="r.deliveries", partition=3, lag=17),),
        settled=5,
        settled_per_s=2.5,
        oldest_at=NOW - LONG,
        http="http://127.0.0.1:9100",
    )
    await heartbeats.beat(heartbeat("b/2/worker-2"), keep=LONG)
    await heartbeats.beat(last, keep=LONG)
    await heartbeats.beat(heartbeat("a/1/worker-1"), keep=LONG)

    assert await heartbeats.alive() == [heartbeat("a/1/worker-1"), last]
    assert (last.host, last.name, last.lag) == ("b", "worker-2", 17)


async def test_who_was_silent_for_too_long_is_not_alive(heartbeats: Heartbeats) -> None:
    await heartbeats.beat(heartbeat("b/1/w"), keep=AT_ONCE)
    await heartbeats.beat(heartbeat("a/1/w"), keep=LONG)

    async with asyncio.timeout(10):
        while len(alive := await heartbeats.alive()) > 1:  # noqa: ASYNC110 - of a server
            await asyncio.sleep(0.001)

    assert alive == [heartbeat("a/1/w")]


async def test_who_has_ended_in_order_is_gone_at_once(heartbeats: Heartbeats) -> None:
    await heartbeats.beat(heartbeat(), keep=LONG)

    await heartbeats.gone("host/1/worker")
    await heartbeats.gone("host/1/worker")

    assert await heartbeats.alive() == []


async def test_nobody_is_alive_where_nobody_ever_said_so(heartbeats: Heartbeats) -> None:
    assert await heartbeats.alive() == []
