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


async def test_the_repositories_of_one_are_told_and_those_of_others_not(
    store: InstallationStore,
) -> None:
    await store.write("github.com", 1, 42)
    await store.write("github.com", 2, 42)
    await store.write("github.com", 3, 43)
    await store.write("git.acme.example", 4, 42)

    assert sorted(await store.repositories("github.com", 42)) == [1, 2]
    assert await store.repositories("github.com", 44) == []


async def test_several_are_forgotten_at_once_and_again_without_harm(
    store: InstallationStore,
) -> None:
    for repository_id in (1, 2, 3):
        await store.write("github.com", repository_id, 42)

    for _ in range(2):
        await store.forget("github.com", [1, 3, 9])
    await store.forget("github.com", [])

    assert await store.repositories("github.com", 42) == [2]
