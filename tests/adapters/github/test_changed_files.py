"""What GitHub tells of the files that a pull request changes, and what it means where it does not."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from reactor.adapters.github.changed_files import GitHubChangedFiles
from reactor.changed_files import MOST, FilesUnknown
from reactor.errors import InfrastructureError
from reactor.permissions import RepositoryRef
from reactor.status import ProcessHead
from tests.adapters.github.conftest import HOST, Desk
from tests.fixtures.github.fake import ISSUE, PULL, REPOSITORY, REPOSITORY_ID
from tests.fixtures.github.faults import Fault, secondary_limit

HELLO = RepositoryRef(host=HOST, id=REPOSITORY_ID, name=REPOSITORY)


@pytest.fixture
async def files(desk: Desk) -> AsyncIterator[GitHubChangedFiles]:
    """As the app."""
    files = GitHubChangedFiles({HOST: desk.account})
    yield files
    files.close()


def change(desk: Desk, paths: list[str]) -> None:
    pull = desk.fake.repository().issues[PULL].pull
    assert pull is not None
    pull.files[:] = paths


async def test_it_tells_their_paths_and_only_reads(files: GitHubChangedFiles, desk: Desk) -> None:
    change(desk, ["src/main.py", "docs/a page.md"])

    assert await files.of(HELLO, PULL) == ("src/main.py", "docs/a page.md")
    assert desk.fake.writes() == []


async def test_of_many_all_pages_are_read(files: GitHubChangedFiles, desk: Desk) -> None:
    paths = [f"src/{number}.py" for number in range(250)]
    change(desk, paths)

    assert list(await files.of(HELLO, PULL)) == paths


async def test_of_very_many_the_first_are_told(files: GitHubChangedFiles, desk: Desk) -> None:
    paths = [f"src/{number}.py" for number in range(MOST)]
    change(desk, paths)

    assert list(await files.of(HELLO, PULL)) == paths


async def test_what_is_no_pull_request_changes_nothing_that_could_be_told(
    files: GitHubChangedFiles,
) -> None:
    with pytest.raises(FilesUnknown, match=rf"octo/hello#{ISSUE}"):
        await files.of(HELLO, ISSUE)


@pytest.mark.parametrize(
    "fault",
    [Fault(status=502, path=".*/files"), secondary_limit(path=".*/files")],
    ids=["502", "limit"],
)
async def test_trouble_passes(files: GitHubChangedFiles, desk: Desk, fault: Fault) -> None:
    desk.fake.fail(fault)

    with pytest.raises(InfrastructureError, match=HOST):
        await files.of(HELLO, PULL)

    assert await files.of(HELLO, PULL) != ()


def head(host: str) -> ProcessHead:
    now = datetime(2026, 3, 14, tzinfo=UTC)
    return ProcessHead(
        id="p-1",
        delivery=f"{host}/d-1",
        reaction="r",
        subject=f"{host}/1#1",
        agent="a",
        planner="utility",
        created_at=now,
        updated_at=now,
        host=host,
    )


async def test_it_can_be_asked_of_hosts_whose_credentials_we_have(
    files: GitHubChangedFiles,
) -> None:
    assert await files.why_away(head(HOST)) == ""
    assert "ghe.example.com" in await files.why_away(head("ghe.example.com"))
