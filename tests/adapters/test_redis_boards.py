"""What the port does not say of processes in Redis: round trips, repeats, keys and their lives."""

import asyncio
from datetime import timedelta

import pytest
from redis.asyncio import Redis
from redis.crc import key_slot

from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_keys import ProcessKeys
from reactor.blackboard import Blackboard, Put, UnknownValue
from reactor.catalog import TypeCatalog
from reactor.codec import Codec, UnknownEffect
from reactor.ports import Commit, Lease, LeaseHeld, LeaseLost, Opened
from reactor.status import Status
from tests.adapters.proxy import Proxy
from tests.contract.samples import CATALOG, NOW, board, effect, head, record, run

pytestmark = pytest.mark.redis

DAY_MS = 24 * 60 * 60 * 1000


async def opened(boards: RedisBoards, owner: str = "a", lease_s: float = 300) -> Opened:
    lease = timedelta(seconds=lease_s)
    return await boards.open("p1", delivery="github.com/d-1", owner=owner, lease=lease)


def whole_commit(status: Status = Status.RUNNING) -> Commit:
    return Commit(
        head=head("p1", status),
        changes=board().changes_since(0),
        history=[run()],
        effects=[effect("k1")],
        journal=[record("p1", 1)],
    )


async def test_opening_and_committing_are_one_round_trip_each(
    proxy: Proxy, wired_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(wired_client, Codec(CATALOG), prefix=redis_prefix)
    await boards.commit((await opened(boards)).lease, whole_commit())  # the scripts are known now
    before = proxy.round_trips

    lease = (await opened(boards)).lease
    after_opening = proxy.round_trips
    await boards.commit(lease, Commit(head=head("p1"), history=[run("b")] * 10))

    assert after_opening - before == 1
    assert proxy.round_trips - after_opening == 1


async def test_a_commit_whose_answer_was_lost_is_sent_again_and_kept_once(
    proxy: Proxy, wired_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(wired_client, Codec(CATALOG), prefix=redis_prefix)
    lease = (await opened(boards)).lease
    await boards.commit(lease, whole_commit())

    proxy.answers_to_lose = 1
    await boards.commit(lease, Commit(head=head("p1"), history=[run("b")]))

    stored = await boards.read("p1")
    assert proxy.answers_to_lose == 0
    assert stored is not None
    assert [each.action for each in stored.history] == ["triage.assess", "b"]
    assert stored.commits == 2


async def test_a_last_commit_whose_answer_was_lost_is_sent_again_and_kept_once(
    proxy: Proxy, wired_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(wired_client, Codec(CATALOG), prefix=redis_prefix)
    await boards.commit((await opened(boards)).lease, whole_commit())
    lease = (await opened(boards)).lease

    proxy.answers_to_lose = 1
    await boards.commit(lease, Commit(head=head("p1"), history=[run("b")], is_last=True))

    assert proxy.answers_to_lose == 0
    stored = (await opened(boards, "b")).stored
    assert stored is not None
    assert [each.action for each in stored.history] == ["triage.assess", "b"]


async def test_many_processes_are_marked_in_one_round_trip(
    proxy: Proxy, wired_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(wired_client, Codec(CATALOG), prefix=redis_prefix)
    await boards.mark_sent({"p1": 1})  # the script is known now
    before = proxy.round_trips

    await boards.mark_sent({f"p{number}": 1 for number in range(20)})

    assert proxy.round_trips - before == 1


async def test_an_opening_whose_answer_was_lost_gives_a_lease_that_counts(
    proxy: Proxy, wired_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(wired_client, Codec(CATALOG), prefix=redis_prefix)
    await boards.release((await opened(boards)).lease)

    proxy.answers_to_lose = 1
    lease = (await opened(boards)).lease

    await boards.commit(lease, whole_commit())
    assert proxy.answers_to_lose == 0


async def test_the_same_content_committed_twice_on_purpose_is_kept_twice(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    lease = (await opened(boards)).lease
    same = Commit(head=head("p1"), history=[run()])

    await boards.commit(lease, same)
    await boards.commit(lease, same)

    stored = await boards.read("p1")
    assert stored is not None
    assert len(stored.history) == 2


async def test_the_first_commit_of_a_new_holder_is_never_taken_for_a_repeat(
    redis_client: Redis, redis_prefix: str
) -> None:
    for owner in ("a", "b", "c"):
        boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
        lease = (await opened(boards, owner)).lease
        await boards.commit(lease, Commit(head=head("p1"), history=[run(owner)]))
        await boards.release(lease)

    stored = await boards.read("p1")

    assert stored is not None
    assert [each.action for each in stored.history] == ["a", "b", "c"]


async def test_a_server_that_forgot_the_scripts_is_told_again(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    await redis_client.script_flush()
    lease = (await opened(boards)).lease
    await redis_client.script_flush()

    await boards.commit(lease, whole_commit())

    assert await boards.started_by("github.com/d-1") == ["p1"]
    assert await boards.read("p1") is not None


async def test_leases_run_out_by_the_clock_of_the_server(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    old = (await opened(boards, "a", lease_s=0.05)).lease

    new = await opened_in_turn(boards, "b")

    assert new.fence > old.fence
    with pytest.raises(LeaseLost):
        await boards.commit(old, whole_commit())


async def opened_in_turn(boards: RedisBoards, owner: str) -> Lease:
    """As a runner does it: ask again until the lease has run out."""
    while True:
        try:
            return (await opened(boards, owner)).lease
        except LeaseHeld as held:
            await asyncio.sleep(held.retry_in_s)


async def test_a_fence_is_never_given_again_even_when_the_process_has_expired(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    old = (await opened(boards, "a")).lease
    await redis_client.delete(ProcessKeys(redis_prefix, "p1").process)

    new = (await opened(boards, "a")).lease

    assert new.fence > old.fence


async def test_fences_grow_even_when_the_clock_of_the_server_was_set_back(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    await opened(boards, "a")
    in_the_future = 4_000_000_000_000
    await redis_client.hset(ProcessKeys(redis_prefix, "p1").process, "fence", str(in_the_future))

    lease = (await opened(boards, "a")).lease

    assert lease.fence == in_the_future + 1
    await boards.commit(lease, whole_commit())


async def test_every_key_of_a_process_lies_in_one_slot(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    await boards.commit((await opened(boards)).lease, whole_commit())

    keys = [key async for key in redis_client.scan_iter(match=f"{redis_prefix}:{{p1}}:*")]

    assert len(keys) == 5
    assert len({key_slot(key) for key in keys}) == 1


@pytest.mark.parametrize(
    ("status", "days"), [(Status.RUNNING, 90), (Status.WAITING, 90), (Status.COMPLETED, 30)]
)
async def test_every_key_expires_and_a_finished_process_sooner(
    redis_client: Redis, redis_prefix: str, status: Status, days: int
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    await boards.commit((await opened(boards)).lease, whole_commit(status))

    keys = ProcessKeys(redis_prefix, "p1")
    lives = [await redis_client.pttl(key) for key in (*keys.board, keys.journal)]
    link = await redis_client.pttl(f"{redis_prefix}:started:{{github.com/d-1}}")

    assert all((days - 1) * DAY_MS < life <= days * DAY_MS for life in lives)
    assert 89 * DAY_MS < link <= 90 * DAY_MS


async def test_a_process_that_was_opened_and_never_committed_expires_too(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(
        redis_client, Codec(CATALOG), prefix=redis_prefix, keep_open=timedelta(days=2)
    )

    await opened(boards)

    assert 0 < await redis_client.pttl(ProcessKeys(redis_prefix, "p1").process) <= 2 * DAY_MS


async def test_reading_a_finished_process_again_does_not_keep_it_longer(
    redis_client: Redis, redis_prefix: str
) -> None:
    boards = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    lease = (await opened(boards)).lease
    await boards.commit(lease, whole_commit(Status.COMPLETED))
    process = ProcessKeys(redis_prefix, "p1").process
    await redis_client.pexpire(process, DAY_MS)

    await opened(boards)

    assert await redis_client.pttl(process) <= DAY_MS


async def test_what_a_component_left_behind_is_kept_and_shown_as_unknown(
    redis_client: Redis, redis_prefix: str
) -> None:
    with_types = RedisBoards(redis_client, Codec(CATALOG), prefix=redis_prefix)
    without = RedisBoards(redis_client, Codec(TypeCatalog()), prefix=redis_prefix)
    lease = (await opened(with_types)).lease
    await with_types.commit(lease, whole_commit())

    found = await opened(without)
    facts = Blackboard(now=lambda: NOW, changes=found.stored.changes if found.stored else ())
    facts.add("still working", producer="triage.assess")
    assert found.stored is not None
    commit = Commit(
        head=found.stored.head,
        changes=facts.changes_since(len(found.stored.changes)),
        effects=found.stored.effects,
    )
    await without.commit(found.lease, commit)

    first = found.stored.changes[0]
    assert isinstance(first, Put)
    assert isinstance(first.entry.value, UnknownValue)
    assert isinstance(found.stored.effects[0].effect, UnknownEffect)
    again = await with_types.read("p1")
    assert again is not None
    assert again.changes[:-1] == board().changes_since(0)
    assert again.effects == (effect("k1"),)
