"""What was given up, in Redis: how long it lives, and how its index is mended."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_keys import LedgerKeys
from reactor.adapters.redis_ledger import RedisLedger
from reactor.codec import Codec
from reactor.ledger import GivenUp, Outcome, Sending
from tests.contract.ledgers import PLENTY, SUBJECT, at, intent
from tests.contract.samples import CATALOG, NOW

LEASE = timedelta(seconds=30)
MEMBER = f"{SUBJECT} k1"

pytestmark = pytest.mark.redis


@pytest.fixture
def ledger(redis_client: Redis, redis_prefix: str) -> RedisLedger:
    return RedisLedger(redis_client, Codec(CATALOG), prefix=redis_prefix)


async def settle(ledger: RedisLedger, outcome: Outcome, *, after_s: float = 0) -> None:
    found = await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=at(after_s))
    assert isinstance(found, Sending)
    assert await ledger.finish(found, outcome, now=at(after_s))


async def give_up(ledger: RedisLedger) -> GivenUp:
    await ledger.enrol([intent()], PLENTY, now=NOW)
    await settle(ledger, Outcome(state="given_up", reason="away"))
    (given_up,) = await ledger.given_up(limit=9)
    return given_up


async def test_given_up_it_expires_and_driven_again_it_does_not(
    ledger: RedisLedger, redis_client: Redis, redis_prefix: str
) -> None:
    row = LedgerKeys(redis_prefix, SUBJECT).row("k1")
    given_up = await give_up(ledger)
    before = await redis_client.ttl(row)

    await ledger.retry(given_up, now=at(1))

    assert before > 0
    assert await redis_client.ttl(row) == -1


async def test_one_driven_again_by_somebody_who_died_at_it_is_looked_at_by_who_lists(
    ledger: RedisLedger, redis_client: Redis, redis_prefix: str
) -> None:
    given_up = await give_up(ledger)
    await ledger.retry(given_up, now=at(1))
    await redis_client.delete(redis_keys.effects(redis_prefix))
    await redis_client.zadd(redis_keys.given_up(redis_prefix), {MEMBER: 1})

    listed = await ledger.given_up(limit=9)

    assert listed == []
    assert [each.subject for each in await ledger.waiting(now=at(9), limit=9)] == [SUBJECT]


async def test_an_entry_of_one_that_was_done_since_is_taken_out(
    ledger: RedisLedger, redis_client: Redis, redis_prefix: str
) -> None:
    given_up = await give_up(ledger)
    await ledger.retry(given_up, now=at(1))
    await settle(ledger, Outcome(state="done"), after_s=2)
    await redis_client.zadd(redis_keys.given_up(redis_prefix), {MEMBER: 1})

    listed = await ledger.given_up(limit=9)

    assert listed == []
    assert await ledger.given_up_count() == 0


async def test_who_drives_again_what_was_given_up_anew_leaves_it_in_the_index(
    ledger: RedisLedger, redis_client: Redis, redis_prefix: str
) -> None:
    """Between the row and the index of a retry, a worker can have given it up again."""
    seen = await give_up(ledger)
    await redis_client.zadd(redis_keys.given_up(redis_prefix), {MEMBER: 2**52})  # a newer entry

    await ledger.retry(seen, now=at(1))

    assert await redis_client.zscore(redis_keys.given_up(redis_prefix), MEMBER) == 2**52


async def test_the_index_holds_many_and_gives_the_newest(
    ledger: RedisLedger, redis_client: Redis, redis_prefix: str
) -> None:
    await give_up(ledger)
    stale = {f"{SUBJECT} gone{number}": 2**52 + number for number in range(450)}
    await redis_client.zadd(redis_keys.given_up(redis_prefix), stale)

    listed = await ledger.given_up(limit=1)

    assert [each.intent.key for each in listed] == ["k1"]
    assert await ledger.given_up_count() == 1
