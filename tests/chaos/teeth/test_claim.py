"""The claim has teeth: without it, one delivery is on its topic as often as it was sent.

The guards behind it are off as well: whoever reads the topic here makes its change for every
record, without asking whether a process or an effect of it was there before.
"""

import asyncio

import pytest

from reactor.ports import Claim, Claims
from reactor.settings import Settings
from reactor.topic import Position
from reactor.web.intake import Intake, Patience
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from streams.reader import open_reader
from tests.chaos.teeth.deliveries import delivery

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

AT_ONCE = 5


class NoClaims:
    """The guard, off: every id is new."""

    async def claim(self, delivery: str, *, digest: str) -> Claim:
        return Claim("new")

    async def produced(self, delivery: str, position: Position, *, digest: str) -> None:
        return

    async def kept(self, delivery: str, *, digest: str) -> None:
        return

    async def release(self, delivery: str, token: str) -> None:
        return

    async def position(self, delivery: str) -> Position | None:
        return None

    async def is_kept(self, delivery: str) -> bool:
        return False


async def changes_of_one_delivery(settings: Settings, *, guarded: bool) -> int:
    """Send it several times at once, and once more later; count what a plain reader would do."""
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
    ):
        claims: Claims = redis.claims if guarded else NoClaims()
        intake = Intake(
            claims=claims, deliveries=kafka.deliveries, dead=kafka.dead, patience=Patience()
        )
        sent = delivery("same")
        await asyncio.gather(*(intake.accept(sent) for _ in range(AT_ONCE)))
        await intake.accept(sent)
        async with open_reader(kafka.bootstrap) as reader:
            return len(await reader.read_all(kafka.topics.deliveries))


async def test_with_the_claim_one_delivery_makes_one_change(settings: Settings) -> None:
    assert await changes_of_one_delivery(settings, guarded=True) == 1


async def test_without_the_claim_it_makes_as_many_as_it_was_sent(settings: Settings) -> None:
    assert await changes_of_one_delivery(settings, guarded=False) == AT_ONCE + 1
