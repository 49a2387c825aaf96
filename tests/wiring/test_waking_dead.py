"""A process that fails after its last wake: its letter is that of a signal, and can be retried."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from reactor.adapters.redis_boards import RedisBoards
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.dead import DeadDesk, Selection
from reactor.follow_up import waking
from reactor.settings import load
from reactor.signal import as_delivery
from reactor.status import ProcessHead, Status, process_id
from reactor.testing import delivery, issue
from reactor.wiring.dead import open_dead
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.worker import processor
from tests.fixtures.plugins import install_package
from tests.fixtures.poisons import POISON_REACTIONS, POISONS

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(180)]


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await holds():  # noqa: ASYNC110 - the condition lies in Redis
            await asyncio.sleep(0.05)


async def test_the_letter_of_a_process_that_failed_when_it_was_woken_leads_to_its_next_attempt(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    install_package(tmp_path, "poisons", POISONS)
    (tmp_path / "reactor.yaml").write_text(POISON_REACTIONS.replace("max_wakes: 0", "max_wakes: 1"))
    settings = load(None, environ)
    opened = delivery("issues.opened", issue=issue("hangs"))

    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_parts(settings))
        large = large_bodies(settings, redis)
        kafka = await stack.enter_async_context(kafka_parts(settings, large))
        boards = RedisBoards(redis.client, Codec(TypeCatalog()), prefix=settings.redis.prefix)

        async def head(attempt: int) -> ProcessHead | None:
            stored = await boards.read(
                process_id(delivery=opened.key, reaction="poisons", attempt=attempt)
            )
            return stored.head if stored else None

        async def stands(status: Status, *, attempt: int = 1) -> bool:
            found = await head(attempt)
            return found is not None and found.status is status

        async with processor(settings, owner="w") as running:
            await running.start()
            await kafka.deliveries.append(opened)
            await until(lambda: stands(Status.STUCK))
            stuck = await head(1)
            assert stuck is not None
            await kafka.signals.append(as_delivery(waking(stuck), at=opened.received_at))
            await until(lambda: stands(Status.FAILED))

            dead = await stack.enter_async_context(open_dead(settings))
            await until(lambda: is_listed(dead.desk))
            (entry,) = [each async for each in dead.desk.chosen(Selection())]
            assert (entry.delivery, entry.event) == (opened.key, "issues.opened")
            assert (entry.failed_process, entry.attempt) == (stuck.id, 1)

            (tmp_path / "mended").touch()
            await dead.desk.retry(entry, by="ann", at=opened.received_at)
            await until(lambda: stands(Status.TERMINATED, attempt=2))
            await running.stop()

    assert (tmp_path / "rung").read_text().splitlines() == ["hangs"]


async def is_listed(desk: DeadDesk) -> bool:
    return len(await desk.listed(Selection())) == 1
