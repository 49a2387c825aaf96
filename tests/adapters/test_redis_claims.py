"""What the port does not say of claims in Redis: round trips, repeats, and how long they live."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.ports import Claim
from reactor.topic import Position
from tests.adapters.proxy import Proxy

pytestmark = pytest.mark.redis

WHERE = Position("reactor.deliveries", 0, 5)


async def test_a_claim_is_one_round_trip(
    proxy: Proxy, wired_client: Redis, redis_prefix: str
) -> None:
    claims = RedisClaims(wired_client, prefix=redis_prefix)
    await claims.claim("github.com/d-0", digest="00")  # the script is known now
    before = proxy.round_trips

    await claims.claim("github.com/d-1", digest="aa")

    assert proxy.round_trips - before == 1


async def test_a_claim_whose_answer_was_lost_is_still_ours(
    proxy: Proxy, wired_client: Redis, redis_prefix: str
) -> None:
    claims = RedisClaims(wired_client, prefix=redis_prefix)
    await claims.claim("github.com/d-0", digest="00")

    proxy.answers_to_lose = 1
    answer = await claims.claim("github.com/d-1", digest="aa")

    assert proxy.answers_to_lose == 0
    assert answer == Claim("new")


async def test_a_pending_claim_lives_a_minute_and_a_produced_one_as_long_as_it_is_kept(
    redis_client: Redis, redis_prefix: str
) -> None:
    claims = RedisClaims(redis_client, prefix=redis_prefix, keep=timedelta(hours=2))
    key = redis_keys.claim(redis_prefix, "github.com/d-1")

    await claims.claim("github.com/d-1", digest="aa")
    pending = await redis_client.pttl(key)
    await claims.produced("github.com/d-1", WHERE, digest="aa")
    produced = await redis_client.pttl(key)

    assert 0 < pending <= 60_000
    assert 60_000 < produced <= 2 * 60 * 60 * 1000
    assert await redis_client.pttl(redis_keys.body(redis_prefix, "aa")) > 60_000


async def test_a_claim_made_before_an_outage_and_forgotten_leaves_the_position_known(
    redis_client: Redis, redis_prefix: str
) -> None:
    claims = RedisClaims(redis_client, prefix=redis_prefix)
    await claims.claim("github.com/d-1", digest="aa")
    await redis_client.delete(redis_keys.claim(redis_prefix, "github.com/d-1"))

    await claims.produced("github.com/d-1", WHERE, digest="aa")

    assert await claims.position("github.com/d-1") == WHERE
    assert await redis_client.pttl(redis_keys.claim(redis_prefix, "github.com/d-1")) > 0


async def test_a_claim_that_ran_out_does_not_release_its_successor(
    redis_client: Redis, redis_prefix: str
) -> None:
    claims = RedisClaims(redis_client, prefix=redis_prefix)
    expired = await claims.claim("github.com/d-1", digest="aa")
    await redis_client.delete(redis_keys.claim(redis_prefix, "github.com/d-1"))
    await claims.claim("github.com/d-1", digest="aa")

    await claims.release("github.com/d-1", expired.token)

    assert await claims.claim("github.com/d-1", digest="aa") == Claim("pending")


async def test_who_was_first_is_remembered_for_ever_unless_told_otherwise(
    redis_client: Redis, redis_prefix: str
) -> None:
    for_ever = RedisFirsts(redis_client, prefix=redis_prefix)
    for_a_day = RedisFirsts(redis_client, prefix=redis_prefix, keep=timedelta(days=1))

    await for_ever.claim_new("one", purpose="welcome", process_id="p1")
    await for_a_day.claim_new("two", purpose="welcome", process_id="p1")

    assert await redis_client.pttl(redis_keys.first(redis_prefix, "one")) == -1
    assert 0 < await redis_client.pttl(redis_keys.first(redis_prefix, "two")) <= 86_400_000
