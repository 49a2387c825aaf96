"""What is told of a Redis at the start: what has to be changed, what is at risk, or to wait."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis as BlockingRedis
from redis.asyncio import Redis

from reactor.adapters.redis_client import Endpoint, connect_to, run_all
from reactor.adapters.redis_standing import examine
from reactor.adapters.redis_trouble import UnusableRedis
from reactor.children import free_port
from reactor.errors import InfrastructureError
from tests.fixtures.redis_cluster import Cluster
from tests.fixtures.redis_process import server_process, wait_for_pong

pytestmark = pytest.mark.redis

SAFE = ("--appendonly", "yes", "--appendfsync", "always")


@contextmanager
def server(folder: Path, *words: str, password: str | None = None) -> Iterator[Endpoint]:
    """A server with these settings, from its first answer on."""
    port = free_port()
    with (
        server_process(folder, port, *words),
        BlockingRedis(port=port, password=password, socket_timeout=5) as client,
    ):
        wait_for_pong(client, folder)
        yield Endpoint(url=f"redis://127.0.0.1:{port}/0", timeout_s=5)


async def test_a_server_that_keeps_everything_has_no_risks(tmp_path: Path) -> None:
    with server(tmp_path, *SAFE) as endpoint:
        standing = await examine(endpoint, prefix="reactor")

    assert standing.risks == ()
    assert int(standing.version.split(".")[0]) >= 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "appendonly is no"),
        (("--appendonly", "yes", "--appendfsync", "everysec"), "appendfsync is everysec"),
        ((*SAFE, "--maxmemory-policy", "allkeys-lru"), "maxmemory-policy is allkeys-lru"),
    ],
)
async def test_what_may_be_forgotten_is_told(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    with server(tmp_path, *words) as endpoint:
        standing = await examine(endpoint, prefix="reactor")

    assert [risk for risk in standing.risks if risk.startswith(said)] == list(standing.risks) != []


async def test_a_replica_is_told(tmp_path: Path) -> None:
    words = (*SAFE, "--replicaof", f"127.0.0.1 {free_port()}")

    with server(tmp_path, *words) as endpoint:
        standing = await examine(endpoint, prefix="reactor")

    assert standing.risks == (
        "it is a replica, and can't be written to: redis.url should name the master",
    )


@pytest.mark.parametrize("user", ["", ":wrong@", "nobody:wrong@"])
async def test_a_wrong_password_is_not_waited_for_and_never_told(tmp_path: Path, user: str) -> None:
    with server(tmp_path, *SAFE, "--requirepass", "right", password="right") as endpoint:
        url = endpoint.url.replace("redis://", f"redis://{user}")
        with pytest.raises(UnusableRedis, match=r"correct the user and the password") as caught:
            await examine(Endpoint(url=url), prefix="reactor")

    assert endpoint.where in str(caught.value)
    assert str(caught.value).count("correct the user") == 1
    assert "wrong@" not in str(caught.value)


async def test_a_user_with_the_documented_rights_will_do(
    least_rights_url: str, redis_prefix: str
) -> None:
    await examine(Endpoint(url=least_rights_url), prefix=redis_prefix)


@pytest.mark.parametrize("missing", ["-info", "-eval", "resetkeys"])
async def test_a_user_without_a_right_is_told_where_to_read_of_it(
    redis_client: Redis, least_rights_url: str, redis_prefix: str, missing: str
) -> None:
    name = least_rights_url.split("//")[1].split(":")[0]
    await redis_client.execute_command("ACL", "SETUSER", name, missing)  # type: ignore[no-untyped-call]

    with pytest.raises(UnusableRedis, match=r"docs/operations\.md"):
        await examine(Endpoint(url=least_rights_url), prefix=redis_prefix)


async def test_a_cluster_has_to_be_called_one(redis_cluster: Cluster) -> None:
    with pytest.raises(UnusableRedis, match=r"set redis\.cluster to true"):
        await examine(Endpoint(url=redis_cluster.url), prefix="reactor")

    await examine(redis_cluster.endpoint, prefix="reactor")


async def test_one_server_must_not_be_called_a_cluster(redis_url: str) -> None:
    with pytest.raises(UnusableRedis, match=r"set redis\.cluster to false"):
        await examine(Endpoint(url=redis_url, is_cluster=True), prefix="reactor")


async def test_a_server_that_is_away_is_waited_for() -> None:
    nobody = Endpoint(url=f"redis://127.0.0.1:{free_port()}/0", timeout_s=1)

    with pytest.raises(InfrastructureError, match="redis did not answer"):
        await examine(nobody, prefix="reactor")


async def test_what_a_full_server_says_is_explained(tmp_path: Path) -> None:
    with server(tmp_path, *SAFE, "--maxmemory", "1") as endpoint:
        client = connect_to(endpoint)

        with pytest.raises(InfrastructureError, match=r"it is full: give it more memory"):
            await run_all(client, ("SET", "reactor:key", "value"))

        await client.aclose()
