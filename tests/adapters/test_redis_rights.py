"""The user of docs/operations.md may do what Reactor does (the contract suites), and no more."""

import secrets

import pytest
from redis import Redis as BlockingRedis
from redis.asyncio import Redis
from redis.exceptions import NoPermissionError

from reactor.adapters.redis_client import Endpoint
from reactor.adapters.redis_standing import examine
from reactor.adapters.redis_trouble import UnusableRedis
from tests.fixtures.redis_cluster import Cluster
from tests.fixtures.redis_user import documented_cluster_rights, documented_rights

pytestmark = pytest.mark.redis


@pytest.mark.parametrize(
    "command",
    [
        "FLUSHALL",
        "FLUSHDB",
        "KEYS *",
        "SCAN 0",
        "RANDOMKEY",
        "CONFIG GET maxmemory",
        "CONFIG SET maxmemory 1",
        "ACL LIST",
        "SCRIPT FLUSH",
        "CLIENT KILL TYPE normal",
        "MONITOR",
        "SHUTDOWN",
        "REPLICAOF NO ONE",
        "SUBSCRIBE news",
        "PUBLISH news hello",
        "GET somebody-elses",
        "SET somebody-elses 1",
        "DEL somebody-elses",
    ],
)
async def test_what_is_not_granted_is_refused(least_rights_client: Redis, command: str) -> None:
    with pytest.raises(NoPermissionError):
        await least_rights_client.execute_command(*command.split(" "))  # type: ignore[no-untyped-call]


async def test_a_script_may_do_no_more_than_its_user(
    least_rights_client: Redis, redis_prefix: str
) -> None:
    script = "return redis.call('GET', KEYS[1])"

    assert await least_rights_client.eval(script, 1, f"{redis_prefix}:ours") is None
    with pytest.raises(NoPermissionError):
        await least_rights_client.eval(script, 1, "somebody-elses")


async def test_on_a_cluster_one_more_right_is_needed(redis_cluster: Cluster) -> None:
    name, password = f"user-{secrets.token_hex(4)}", secrets.token_hex(8)
    url = redis_cluster.url.replace("redis://", f"redis://{name}:{password}@")
    endpoint = Endpoint(url=url, is_cluster=True)
    set_user = ("ACL", "SETUSER", name)

    on_every_node(redis_cluster, *set_user, "on", f">{password}", *documented_rights())
    with pytest.raises(UnusableRedis, match=r"docs/operations\.md"):
        await examine(endpoint, prefix="reactor")
    on_every_node(redis_cluster, *set_user, *documented_cluster_rights())

    assert (await examine(endpoint, prefix="reactor")).version
    on_every_node(redis_cluster, "ACL", "DELUSER", name)


def on_every_node(cluster: Cluster, *words: str) -> None:
    for url in cluster.node_urls:
        with BlockingRedis.from_url(url) as node:
            node.execute_command(*words)
