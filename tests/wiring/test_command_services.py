"""What commands ask for is there over Redis and the topics, by the types that actions name."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest

from reactor.adapters.clock import SystemClock
from reactor.approving import ApprovalDesk, Spoken, Taken
from reactor.effect import EffectRecord
from reactor.prompting import Prompting
from reactor.recounting import Explanations
from reactor.restarting import Restarts, delivery_of
from reactor.settings import Settings, load
from reactor.status import ProcessHead
from reactor.wiring.command_services import command_services, prompting
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.platform import install
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.sending import make_ledger
from tests.test_restarting import asked, restart

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(120)]


@dataclass
class Servers:
    settings: Settings
    redis: RedisParts
    kafka: KafkaParts


@pytest.fixture
async def servers(environ: dict[str, str]) -> AsyncIterator[Servers]:
    settings = load(None, environ)
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_parts(settings))
        bodies = large_bodies(settings, redis)
        yield Servers(
            settings, redis, await stack.enter_async_context(kafka_parts(settings, bodies))
        )


class Nowhere:
    """An outlet that sends nothing."""

    async def take(self, head: ProcessHead, effects: Sequence[EffectRecord]) -> None:
        return None


async def test_what_is_to_be_looked_at_anew_lies_on_the_topic(servers: Servers) -> None:
    clock = SystemClock()
    restarts = command_services(servers.settings, servers.redis, servers.kafka, clock)[Restarts]
    assert hasattr(restarts, "start")

    await restarts.start(restart())

    key = delivery_of(restart(), clock=clock).key
    assert await servers.redis.claims.position(key) is not None


async def test_where_nothing_was_done_nothing_is_told_and_nothing_waits(servers: Servers) -> None:
    made = command_services(servers.settings, servers.redis, servers.kafka, SystemClock())
    desk, explanations = made[ApprovalDesk], made[Explanations]
    assert hasattr(desk, "take")
    assert hasattr(explanations, "last")

    assert await desk.take(Spoken(subject="github.com/1#7", by="ann")) == Taken()
    assert await explanations.last("github.com/1#7", asked_in=asked()) == []


@pytest.mark.parametrize("wanted", [False, True])
async def test_people_are_told_what_waits_where_the_settings_say_so(
    servers: Servers, *, wanted: bool
) -> None:
    effects = servers.settings.effects.model_copy(update={"prompt": wanted})
    settings = servers.settings.model_copy(update={"effects": effects})
    clock, outlet = SystemClock(), Nowhere()
    installed = install(settings, firsts=servers.redis.firsts, clock=clock, points=())
    ledger = make_ledger(settings, servers.redis, installed.platform)

    found = prompting(settings, servers.redis, outlet, ledger)

    assert isinstance(found, Prompting) is wanted
    assert wanted or found is outlet
