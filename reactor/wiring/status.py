"""Looking at an installation from outside: the broker, Redis, and what the workers say.

Everything is asked at once, and for a second and a half at most: a server that is away is told,
and the rest is shown all the same.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from reactor.adapters.clock import SystemClock
from reactor.adapters.file_spool import SpoolUnusable, size_of
from reactor.adapters.redis_client import infrastructure_errors
from reactor.adapters.redis_forms import MOST_FORMS
from reactor.adapters.redis_ledger import RedisLedger
from reactor.adapters.redis_mark import RedisMark
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.dead import Selection
from reactor.errors import InfrastructureError, ReactorError
from reactor.heartbeat import Heartbeat, Holding
from reactor.overview import Backlog, Lag, Overview, ServerSeen, SpoolSeen, lag_of_workers
from reactor.settings import Settings
from reactor.topic import Topics
from reactor.wiring.dead import open_dead
from reactor.wiring.kafka import bootstrap_of
from reactor.wiring.redis import RedisParts, redis_parts
from streams.lag import oldest_open, read_lag
from streams.reader import open_reader

PATIENCE_S = 1.5

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Asks servers, and remembers which did not answer."""

    patience_s: float
    troubles: dict[str, str] = field(default_factory=dict)  # server -> what it said

    async def of(self, server: str, question: Coroutine[Any, Any, _T]) -> _T | None:
        """The answer; None where there is none in time, or where the server refuses us."""
        try:
            async with asyncio.timeout(self.patience_s):
                return await question
        except InfrastructureError as error:
            self.troubles.setdefault(error.server, error.detail)
        except ReactorError as error:
            self.troubles.setdefault(server, str(error))
        except TimeoutError:
            self.troubles.setdefault(server, f"no answer within {self.patience_s:g} s")
        return None


async def look(settings: Settings, *, patience_s: float = PATIENCE_S) -> Overview:
    """The overview of now.  Raises `NoServer` where no address of a server is set."""
    bootstrap_of(settings)  # before anything is opened
    asked, now = _Asked(patience_s), SystemClock().now()
    async with redis_parts(settings) as redis, asyncio.TaskGroup() as group:
        lag = group.create_task(asked.of("kafka", _lag(settings)))
        workers = group.create_task(asked.of("redis", _workers(redis)))
        waiting = group.create_task(backlog(settings, redis, now=now, patience_s=patience_s))
        spool = group.create_task(asyncio.to_thread(_spool, settings.gateway.spool))
        mark = RedisMark(redis.client, prefix=redis.prefix)
        marked = group.create_task(asked.of("redis", mark.read()))
    alive = workers.result()
    return Overview(
        at=now,
        servers=tuple(
            ServerSeen(name=name, trouble=asked.troubles.get(name, ""))
            for name in ("kafka", "redis")
        ),
        lag=lag.result() or (lag_of_workers(alive) if alive else None),
        workers=alive,
        backlog=waiting.result(),
        spool=spool.result(),
        redis_lost_at=found.lost_at if (found := marked.result()) else None,
    )


async def backlog(
    settings: Settings, redis: RedisParts, *, now: datetime, patience_s: float = PATIENCE_S
) -> Backlog:
    """What waits for somebody, as far as the servers answer."""
    asked = _Asked(patience_s)
    ledger = RedisLedger(redis.client, Codec(TypeCatalog()), prefix=redis.prefix)
    async with asyncio.TaskGroup() as group:
        dead = group.create_task(asked.of("kafka", _dead(settings)))
        forms = group.create_task(asked.of("redis", redis.forms.newest(limit=MOST_FORMS)))
        timers = group.create_task(asked.of("redis", redis.timers.all()))
        effects = group.create_task(asked.of("redis", ledger.subjects_waiting()))
        given_up = group.create_task(asked.of("redis", ledger.given_up_count()))
    letters, open_forms, set_timers = dead.result(), forms.result(), timers.result()
    return Backlog(
        dead=None if letters is None else len(letters),
        oldest_dead_at=min(letters or (), default=None),
        forms=None if open_forms is None else len(open_forms),
        timers=None if set_timers is None else len(set_timers),
        timers_due=None if set_timers is None else sum(timer.due_at <= now for timer in set_timers),
        effects=effects.result(),
        effects_given_up=given_up.result(),
    )


async def _lag(settings: Settings) -> Lag:
    topics = Topics(settings.kafka.prefix)
    async with open_reader(bootstrap_of(settings), group=settings.kafka.group) as reader:
        behind = await read_lag(reader, topics.deliveries, topics.signals)
        oldest_at = await oldest_open(reader, behind)
    partitions = (
        Holding(topic=partition.topic, partition=partition.number, lag=each.lag)
        for partition, each in sorted(behind.items())
    )
    return Lag(by="broker", partitions=tuple(partitions), oldest_at=oldest_at)


async def _workers(redis: RedisParts) -> tuple[Heartbeat, ...]:
    with infrastructure_errors():
        await redis.client.ping()
    return tuple(await redis.heartbeats.alive())


async def _dead(settings: Settings) -> list[datetime]:
    """When each letter that is open was written."""
    async with open_dead(settings) as dead:
        return [entry.at async for entry in dead.desk.chosen(Selection())]


def _spool(folder: Path | None) -> SpoolSeen | None:
    if folder is None or not folder.is_dir():
        return None
    with suppress(SpoolUnusable):
        size = size_of(folder)
        return SpoolSeen(folder=str(folder), items=size.items, size=size.bytes)
    return None
