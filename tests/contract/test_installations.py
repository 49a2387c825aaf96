"""Every adapter of `InstallationStore`: which installation of our app a repository belongs to."""

import pytest
from redis.asyncio import Redis

from reactor.adapters.github.installations import InstallationStore, MemoryInstallations
from reactor.adapters.redis_installations import RedisInstallations


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
def store(request: pytest.FixtureRequest) -> InstallationStore:
    if request.param == "memory":
        return MemoryInstallations()
    client: Redis = request.getfixturevalue("redis_client")
    return RedisInstallations(client, prefix=request.getfixturevalue("redis_prefix"))


async def test_what_was_written_is_read_and_of_others_nothing_is_known(
    store: InstallationStore,
) -> None:
    await store.write("github.com", 1296269, 42)

    assert await store.read("github.com", 1296269) == 42
    assert await store.read("github.com", 1) is None
    assert await store.read("git.acme.example", 1296269) is None


async def test_the_newest_one_counts(store: InstallationStore) -> None:
    await store.write("github.com", 1296269, 42)
    await store.write("github.com", 1296269, 43)

    assert await store.read("github.com", 1296269) == 43


async def test_one_that_is_no_more_is_forgotten(store: InstallationStore) -> None:
    await store.write("github.com", 1296269, 42)
    await store.write("github.com", 1296269, None)
    await store.write("github.com", 1296269, None)

    assert await store.read("github.com", 1296269) is None
