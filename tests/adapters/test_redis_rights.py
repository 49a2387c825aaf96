"""The user of docs/operations.md may do what Reactor does (the contract suites), and no more."""

import pytest
from redis.asyncio import Redis
from redis.exceptions import NoPermissionError

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
        "DEBUG SLEEP 0",
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
