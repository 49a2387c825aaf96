"""Whatever is wrong with Redis is an `InfrastructureError`: wait and try again, lose nothing."""

import os
import signal
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.adapters.redis_client import connect
from reactor.children import free_port
from reactor.codec import Codec
from reactor.errors import InfrastructureError
from reactor.ports import Commit, Lease
from reactor.status import Status
from reactor.topic import Position
from tests.adapters.conftest import OwnServer
from tests.contract.samples import CATALOG, head, run

pytestmark = pytest.mark.redis

MINUTE = timedelta(minutes=1)


async def opened(boards: RedisBoards) -> Lease:
    return (await boards.open("p1", delivery="d", owner="a", lease=MINUTE)).lease


async def test_every_method_says_that_nobody_answers() -> None:
    client = connect(f"redis://127.0.0.1:{free_port()}/0", timeout_s=0.5)
    boards = RedisBoards(client, Codec(CATALOG))
    claims, firsts = RedisClaims(client), RedisFirsts(client)
    lease = Lease("p1", "a", 1)

    for call in (
        boards.open("p1", delivery="d", owner="a", lease=MINUTE),
        boards.commit(lease, Commit(head=head("p1"))),
        boards.release(lease),
        boards.read("p1"),
        boards.journal("p1"),
        boards.mark_sent({"p1": 1}),
        boards.started_by("d"),
        boards.recent(limit=1),
        claims.claim("d", digest="aa"),
        claims.produced("d", Position("t", 0, 0), digest="aa"),
        claims.release("d", "token"),
        claims.position("d"),
        firsts.claim_new("e", purpose="p", process_id="p1"),
    ):
        with pytest.raises(InfrastructureError, match="redis did not answer"):
            await call
    await client.aclose()


@pytest.mark.parametrize(
    ("trouble", "cure"),
    [
        ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),  # OOM
        ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),  # READONLY
        ("CONFIG SET min-replicas-to-write 3", "CONFIG SET min-replicas-to-write 0"),  # NOREPLICAS
        ("CONFIG SET requirepass secret", "CONFIG SET requirepass ''"),  # NOAUTH
    ],
)
async def test_a_server_that_refuses_writes_is_waited_out_and_nothing_is_half_kept(
    own_server: OwnServer, own_client: Redis, trouble: str, cure: str
) -> None:
    boards = RedisBoards(own_client, Codec(CATALOG))
    lease = await opened(boards)
    await boards.commit(lease, Commit(head=head("p1"), history=[run("a")]))
    operator = connect(own_server.url)
    await operator.execute_command(*trouble.split())  # type: ignore[no-untyped-call]
    await own_client.connection_pool.disconnect()

    with pytest.raises(InfrastructureError):
        await boards.commit(lease, Commit(head=head("p1"), history=[run("b")] * 3))
    await operator.execute_command(*cure.replace("''", "").split(" "))  # type: ignore[no-untyped-call]
    await boards.commit(lease, Commit(head=head("p1", Status.COMPLETED), history=[run("c")]))

    stored = await boards.read("p1")
    assert stored is not None
    assert [each.action for each in stored.history] == ["a", "c"]
    await operator.aclose()


async def test_a_server_that_hangs_is_given_up_after_the_time_out(own_server: OwnServer) -> None:
    client = connect(own_server.url, timeout_s=0.2)
    boards = RedisBoards(client, Codec(CATALOG))
    lease = await opened(boards)
    pid = int((await client.info("server"))["process_id"])

    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(InfrastructureError):
            await boards.commit(lease, Commit(head=head("p1"), history=[run("a")]))
    finally:
        os.kill(pid, signal.SIGCONT)

    await boards.commit(lease, Commit(head=head("p1"), history=[run("b")]))
    stored = await boards.read("p1")
    assert stored is not None
    assert stored.history[-1].action == "b"
    await client.aclose()
