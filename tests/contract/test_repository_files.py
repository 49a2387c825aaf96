"""Every adapter of `FileStore`: what was known last of the files of repositories."""

import pytest

from reactor.adapters.memory_files import MemoryFiles
from reactor.adapters.redis_rules import RedisFiles
from reactor.repository_files import FileStore, KeptFile
from tests.contract.conftest import ON_REDIS

HOST, NAME = "github.com", "octo/hello"
FOUND = KeptFile(
    checked_at_s=1_767_225_600.25,
    etag='W/"a"',
    sha="1a" * 20,
    text="mode: live # böb\n",
    good_sha="1a" * 20,
    good_text="mode: live # böb\n",
)


@pytest.fixture
def files(adapter: str, request: pytest.FixtureRequest) -> FileStore:
    if adapter == "memory":
        return MemoryFiles()
    client, prefix, _ = ON_REDIS[adapter]
    return RedisFiles(request.getfixturevalue(client), prefix=request.getfixturevalue(prefix))


async def test_of_a_repository_that_nobody_looked_at_nothing_is_known(files: FileStore) -> None:
    assert await files.read(HOST, NAME) == KeptFile()
    assert not (await files.read(HOST, NAME)).is_known


async def test_what_was_found_is_known_whatever_the_case_of_the_name(files: FileStore) -> None:
    await files.keep(HOST, NAME, FOUND)

    assert await files.read(HOST, "Octo/Hello") == FOUND
    assert await files.read(HOST, "octo/other") == KeptFile()
    assert await files.read("git.acme.example", NAME) == KeptFile()


async def test_what_is_found_later_takes_the_place_of_it(files: FileStore) -> None:
    await files.keep(HOST, NAME, FOUND)
    none = KeptFile(checked_at_s=FOUND.checked_at_s + 1)

    await files.keep(HOST, NAME, none)

    assert await files.read(HOST, NAME) == none


async def test_it_is_fresh_until_it_is_old(files: FileStore) -> None:
    await files.keep(HOST, NAME, FOUND)

    kept = await files.read(HOST, NAME)

    assert kept.is_fresh(FOUND.checked_at_s + 59, for_s=60)
    assert not kept.is_fresh(FOUND.checked_at_s + 60, for_s=60)


async def test_after_a_change_it_is_no_longer_fresh_and_the_commit_is_known(
    files: FileStore,
) -> None:
    await files.keep(HOST, NAME, FOUND)

    await files.changed(HOST, NAME, commit="c0ffee")

    kept = await files.read(HOST, NAME)
    assert (kept.commit, kept.text) == ("c0ffee", FOUND.text)
    assert not kept.is_fresh(FOUND.checked_at_s, for_s=60)


async def test_who_asked_before_a_change_does_not_make_it_fresh(files: FileStore) -> None:
    before = await files.read(HOST, NAME)
    await files.changed(HOST, NAME, commit="c0ffee")

    await files.keep(HOST, NAME, FOUND)

    kept = await files.read(HOST, NAME)
    assert before.told < kept.told
    assert not kept.is_fresh(FOUND.checked_at_s, for_s=60)


async def test_of_a_blob_somebody_is_told_once(files: FileStore) -> None:
    told = [await files.tell_once(HOST, name, "1a") for name in (NAME, "Octo/hello")]

    assert told == [True, False]
    assert await files.tell_once(HOST, NAME, "2b")
    assert await files.tell_once("git.acme.example", NAME, "1a")
