"""What only a cluster does: keys that lie on several servers, and that move."""

import os
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as BlockingRedis
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_client import connect_to, run_all
from reactor.codec import Codec
from reactor.errors import InfrastructureError
from reactor.ports import Commit
from tests.contract.samples import CATALOG, head, run
from tests.fixtures.redis_cluster import Cluster, running_cluster
from tests.fixtures.site import until

pytestmark = pytest.mark.redis

MINUTE = timedelta(minutes=1)


async def test_processes_spread_over_all_servers(
    redis_cluster: Cluster, cluster_client: Redis, cluster_prefix: str
) -> None:
    boards = RedisBoards(cluster_client, Codec(CATALOG), prefix=cluster_prefix)

    for number in range(30):
        opened = await boards.open(f"p{number}", delivery="d", owner="a", lease=MINUTE)
        await boards.commit(opened.lease, Commit(head=head(f"p{number}")))

    for url in redis_cluster.node_urls:
        with BlockingRedis.from_url(url) as node:
            assert list(node.scan_iter(match=f"{cluster_prefix}:*:process"))


async def test_several_calls_at_once_come_back_in_their_order(
    cluster_client: Redis, cluster_prefix: str
) -> None:
    keys = [f"{cluster_prefix}:{number}" for number in range(20)]

    await run_all(cluster_client, *(("SET", key, key) for key in keys))

    found = await run_all(cluster_client, *(("GET", key) for key in keys))
    assert found == [key.encode() for key in keys]


async def test_a_process_whose_slot_moves_waits_and_is_followed(
    redis_cluster: Cluster, cluster_client: Redis, cluster_prefix: str
) -> None:
    boards = RedisBoards(cluster_client, Codec(CATALOG), prefix=cluster_prefix)
    lease = (await boards.open("p1", delivery="d", owner="a", lease=MINUTE)).lease
    await boards.commit(lease, Commit(head=head("p1"), history=[run("before")]))

    with Move(redis_cluster, redis_keys.ProcessKeys(cluster_prefix, "p1").process) as move:
        # some of its keys are not there yet, or no more: the servers say that we should wait
        with pytest.raises(InfrastructureError):
            await boards.commit(lease, Commit(head=head("p1"), history=[run("lost")]))
        move.keys()
    await boards.commit(lease, Commit(head=head("p1"), history=[run("after")]))

    stored = await boards.read("p1")
    assert stored is not None
    assert [each.action for each in stored.history] == ["before", "after"]


async def test_a_cluster_that_is_away_is_infrastructure() -> None:
    nobody = connect_to(Cluster((1, 2, 3)).endpoint)

    with pytest.raises(InfrastructureError, match="redis did not answer"):
        await run_all(nobody, ("GET", "a"), ("GET", "b"))
    with pytest.raises(InfrastructureError, match="redis did not answer"):
        await RedisBoards(nobody, Codec(CATALOG)).read("p1")

    await nobody.aclose()


async def test_a_server_of_the_cluster_that_hangs_is_waited_out(tmp_path: Path) -> None:
    with running_cluster(tmp_path) as cluster, BlockingRedis.from_url(cluster.url) as node:
        client = connect_to(replace(cluster.endpoint, timeout_s=0.5))
        boards = RedisBoards(client, Codec(CATALOG))
        processes = [f"p{number}" for number in range(12)]  # some of them lie there
        for process in processes:
            await boards.open(process, delivery="d", owner="a", lease=MINUTE)
        pid: int = node.info()["process_id"]

        os.kill(pid, signal.SIGSTOP)
        assert not await all_answer(boards, processes)
        os.kill(pid, signal.SIGCONT)

        # the others need a moment to take it for well again
        await until(lambda: all_answer(boards, processes), within_s=30)
        await client.aclose()


async def all_answer(boards: RedisBoards, processes: list[str]) -> bool:
    try:
        for process in processes:
            await boards.read(process)
    except InfrastructureError:
        return False
    return True


class Move:
    """The move of one slot from its master to another one."""

    def __init__(self, cluster: Cluster, key: str) -> None:
        nodes = [BlockingRedis.from_url(url) for url in cluster.node_urls]
        self._nodes = nodes
        self._slot = int(_ask(nodes[0], "CLUSTER KEYSLOT", key))
        self._source = next(node for node in nodes if self._is_there(node))
        self._target = next(node for node in nodes if node is not self._source)
        self._port = cluster.ports[nodes.index(self._target)]

    def __enter__(self) -> "Move":
        """From now on keys may be at either."""
        source, target = (_name(node) for node in (self._source, self._target))
        _ask(self._target, "CLUSTER SETSLOT", self._slot, "IMPORTING", source)
        _ask(self._source, "CLUSTER SETSLOT", self._slot, "MIGRATING", target)
        return self

    def keys(self) -> None:
        """Move them all."""
        keys = _ask(self._source, "CLUSTER GETKEYSINSLOT", self._slot, 1000)
        _ask(self._source, "MIGRATE", "127.0.0.1", self._port, "", 0, 5000, "KEYS", *keys)

    def __exit__(self, *_: object) -> None:
        """Everybody knows where they are now."""
        name = _name(self._target)
        for node in (self._target, self._source, *self._nodes):
            _ask(node, "CLUSTER SETSLOT", self._slot, "NODE", name)
        for node in self._nodes:
            node.close()

    def _is_there(self, node: BlockingRedis) -> bool:
        return bool(_ask(node, "CLUSTER GETKEYSINSLOT", self._slot, 1))


def _ask(node: BlockingRedis, command: str, *words: object) -> Any:
    return node.execute_command(command, *words)  # type: ignore[no-untyped-call]


def _name(node: BlockingRedis) -> str:
    name: bytes = _ask(node, "CLUSTER MYID")
    return name.decode()
