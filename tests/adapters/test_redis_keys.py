"""The table of keys says all that there is: an operator can rely on it."""

import re
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_bodies import RedisBodies
from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.adapters.redis_contexts import RedisContexts
from reactor.adapters.redis_forms import RedisForms
from reactor.adapters.redis_outcomes import RedisOutcomes
from reactor.adapters.redis_storms import RedisBotEvents
from reactor.adapters.redis_timers import RedisTimers
from reactor.codec import Codec
from reactor.encoded import Encoded
from reactor.ports import Commit
from reactor.topic import Position
from tests.contract.samples import CATALOG, NOW, board, effect, head, record, run, timer

ROW = re.compile(r"^    (PREFIX:\S+) +(hash|list|zset|string) ", re.MULTILINE)


def documented() -> dict[str, str]:
    """Pattern of a key -> its type, as in the table."""
    rows = ROW.findall(redis_keys.__doc__ or "")
    return {
        re.sub("ID|DELIVERY|SUBJECT|DIGEST|ENTITY|NAME|CONTEXT", ".+", re.escape(key)): kind
        for key, kind in rows
    }


@pytest.mark.redis
async def test_every_key_is_in_the_table_with_its_type_and_every_row_is_in_use(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    claims = RedisClaims(redis_client, prefix=redis_prefix)
    lease = await boards.open("p1", delivery="h/d-1", owner="a", lease=timedelta(minutes=1))
    commit = Commit(
        head=head("p1"),
        changes=board().changes_since(0),
        history=[run()],
        effects=[effect("k1")],
        journal=[record("p1", 1)],
    )
    await boards.commit(lease.lease, commit)
    await boards.mark_sent({"p1": 1})
    await claims.claim("h/d-1", digest="aa")
    await claims.produced("h/d-1", Position("t", 0, 0), digest="aa")
    firsts = RedisFirsts(redis_client, prefix=redis_prefix)
    await firsts.claim_new("h/1#7", purpose="welcome", process_id="p1")
    bodies = RedisBodies(redis_client, prefix=redis_prefix, keep=timedelta(minutes=1))
    await bodies.put("d-1", b"large")
    await RedisForms(redis_client, prefix=redis_prefix).add("p1-1", asked_at=NOW)
    contexts = RedisContexts(redis_client, prefix=redis_prefix)
    await contexts.save("h/1", {"mood": Encoded("str", b'"calm"')})
    await RedisOutcomes(redis_client, prefix=redis_prefix).ignore("h/d-2", "no_reaction")
    bots = RedisBotEvents(redis_client, prefix=redis_prefix, limit=1, window=timedelta(minutes=1))
    await bots.count("h/1#7", "h/d-1")
    timers = RedisTimers(redis_client, prefix=redis_prefix)
    await timers.put(timer())
    await timers.lead("a", lease=timedelta(minutes=1))

    seen = set()
    async for key in redis_client.scan_iter(match=f"{redis_prefix}:*"):
        name = key.decode().replace(redis_prefix, "PREFIX", 1)
        kind = await redis_client.type(key)
        matches = [
            row
            for row, of in documented().items()
            if re.fullmatch(row, name) and of.encode() == kind
        ]
        assert len(matches) == 1, name
        seen.add(matches[0])

    assert seen == set(documented())
