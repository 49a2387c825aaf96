"""What Redis says in trouble is explained; only what stays wrong for good has a remedy."""

import asyncio

import pytest
from redis import exceptions
from redis.asyncio import Redis

from reactor.adapters.redis_client import connect, run_all
from reactor.adapters.redis_trouble import remedy, told
from reactor.errors import InfrastructureError
from tests.adapters.conftest import OwnServer

PASSING = [
    (exceptions.BusyLoadingError("Redis is loading the dataset in memory"), "reads its data"),
    (exceptions.ReadOnlyError("You can't write against a read only replica."), "a replica"),
    (exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), "full"),
    (exceptions.MasterDownError("Link with MASTER is down"), "lost its master"),
    (exceptions.ClusterDownError("The cluster is down"), "part of the cluster"),
    (exceptions.ResponseError("MISCONF Redis is configured to save RDB snapshots"), "its disk"),
    (exceptions.ResponseError("NOREPLICAS Not enough good replicas to write."), "replicas"),
    (exceptions.ConnectionError("Error 111 connecting to 127.0.0.1:1."), "Error 111"),
    (exceptions.TimeoutError("Timeout reading from 127.0.0.1:1"), "Timeout"),
]
FOR_GOOD = [
    (exceptions.AuthenticationError("invalid username-password pair"), "REDIS_URL"),
    (exceptions.NoPermissionError("this user has no permissions"), "docs/operations.md"),
    (exceptions.MovedError("5798 127.0.0.1:7001"), "redis.cluster"),
]


@pytest.mark.parametrize(("error", "hint"), PASSING, ids=lambda each: type(each).__name__)
def test_what_passes_is_explained_and_waited_for(error: Exception, hint: str) -> None:
    assert remedy(error) is None
    assert hint in told(error)


@pytest.mark.parametrize(("error", "hint"), FOR_GOOD, ids=lambda each: type(each).__name__)
def test_what_stays_wrong_has_a_remedy(error: Exception, hint: str) -> None:
    assert hint in (remedy(error) or "")


def test_what_the_client_wraps_is_found() -> None:
    wrapped = exceptions.RedisClusterException("Redis Cluster cannot be connected.")
    wrapped.__cause__ = exceptions.AuthenticationError("invalid username-password pair")

    assert "REDIS_URL" in (remedy(wrapped) or "")


@pytest.mark.redis
async def test_a_server_that_a_script_holds_up_is_waited_out(
    own_server: OwnServer, own_client: Redis
) -> None:
    operator, other = connect(own_server.url, timeout_s=20), connect(own_server.url, timeout_s=20)
    await operator.config_set("lua-time-limit", 20)
    endless = asyncio.ensure_future(other.eval("while true do end", 0))

    async with asyncio.timeout(20):
        said = ""
        while not said:
            said = await refusal(own_client)
    await operator.script_kill()
    with pytest.raises(exceptions.ResponseError, match="killed"):
        await endless

    assert "a script holds it up" in said
    assert await run_all(own_client, ("GET", "key")) == [None]
    await operator.aclose()
    await other.aclose()


async def refusal(client: Redis) -> str:
    """What it says; "" where it answers."""
    try:
        await run_all(client, ("GET", "key"))
    except InfrastructureError as error:
        return str(error)
    return ""
