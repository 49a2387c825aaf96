"""Files of repositories over the fake GitHub: what is asked, as whom, and what it costs."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from reactor.adapters.github.connection import Asked, Unpaced
from reactor.adapters.github.files import GitHubFiles
from reactor.attempt import EffectDelayed
from reactor.github.hosts import Login
from reactor.github.repository_reading import FaultyFile
from reactor.github.repository_yaml import (
    MOST_BYTES,
    BadRepositoryFile,
    Fault,
    read_repository_file,
)
from reactor.permissions import RepositoryRef
from reactor.repository_files import UNCHANGED, FileUnknown, FoundFile
from tests.adapters.github.conftest import HOST, Desk
from tests.fixtures.github.fake import HEAD, REPOSITORY, REPOSITORY_ID, TOKEN, FakeGitHub
from tests.fixtures.github.faults import Fault as Trouble
from tests.fixtures.github.faults import secondary_limit
from tests.fixtures.github.state import rename

HELLO = RepositoryRef(host=HOST, id=REPOSITORY_ID, name=REPOSITORY)
PATH = ".github/reactor.yml"
TEXT = "mode: live # böb\n"


@pytest.fixture
async def files(desk: Desk) -> AsyncIterator[GitHubFiles]:
    """As the app."""
    files = GitHubFiles({HOST: desk.account})
    yield files
    files.close()


class Noting(Unpaced):
    """Notes what is asked; sends back where it is told to."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.is_too_fast = False

    def before(self, asked: Asked) -> None:
        if self.is_too_fast:
            raise EffectDelayed("too fast", 1.0, counts=False)
        self.asked.append(asked)


def write(desk: Desk, text: str = TEXT, full_name: str = REPOSITORY) -> None:
    desk.fake.repository(full_name).files[PATH] = text


async def found(files: GitHubFiles, name: str = REPOSITORY) -> FoundFile:
    answer = await files.read(HELLO, name)
    assert isinstance(answer, FoundFile)
    return answer


async def test_the_file_is_found_as_it_is(files: GitHubFiles, desk: Desk) -> None:
    write(desk)

    file = await found(files)

    assert file.text == TEXT
    assert len(file.sha) == 40
    assert file.etag.startswith(('"', 'W/"'))


async def test_one_that_is_not_there_is_none(files: GitHubFiles) -> None:
    assert await files.read(HELLO, REPOSITORY) is None
    assert await files.read(HELLO, "octo/.github") is None


async def test_what_has_not_changed_is_not_sent_again(files: GitHubFiles, desk: Desk) -> None:
    write(desk)
    etag = (await found(files)).etag

    assert await files.read(HELLO, REPOSITORY, etag=etag) == UNCHANGED

    write(desk, "mode: observe\n")
    assert isinstance(await files.read(HELLO, REPOSITORY, etag=etag), FoundFile)


async def test_it_only_reads(files: GitHubFiles, desk: Desk) -> None:
    write(desk)

    await found(files)

    assert desk.fake.writes() == []


async def test_another_repository_is_read_as_we_are_in_the_one_that_asks(
    files: GitHubFiles, desk: Desk
) -> None:
    base = {"full_name": "octo/base", "private": True, "files": {PATH: TEXT}}
    secret = {"full_name": "acme/secret", "private": True, "files": {PATH: TEXT}}
    desk.fake.seed(
        {"repositories": [base, secret], "installations": [{"id": 7, "account": "acme"}]}
    )

    assert (await found(files, "octo/base")).text == TEXT
    assert await files.read(HELLO, "acme/secret") is None


async def test_a_name_that_leads_to_another_repository_is_not_followed(
    files: GitHubFiles, desk: Desk
) -> None:
    desk.fake.seed({"repositories": [{"full_name": "octo/base", "files": {PATH: TEXT}}]})
    with desk.fake.api.lock:
        rename(desk.fake.world, "octo/base", "octo/renamed")

    with pytest.raises(FileUnknown, match="another repository"):
        await files.read(HELLO, "octo/base")


async def test_one_that_was_renamed_itself_is_found(files: GitHubFiles, desk: Desk) -> None:
    write(desk)
    with desk.fake.api.lock:
        rename(desk.fake.world, REPOSITORY, "octo/renamed")

    assert (await found(files)).text == TEXT


async def test_a_file_that_is_too_long_is_seen_to_be(files: GitHubFiles, desk: Desk) -> None:
    write(desk, "# " + "x" * MOST_BYTES)

    with pytest.raises(BadRepositoryFile, match="longer than"):
        read_repository_file((await found(files)).text)


async def test_without_credentials_there_is_no_file(desk: Desk) -> None:
    write(desk)
    desk.login = Login()
    desk.open()
    files = GitHubFiles({HOST: desk.account})

    assert await files.read(HELLO, REPOSITORY) is None
    assert await files.read(RepositoryRef(host="elsewhere", id=1, name="a/b"), "a/b") is None
    assert desk.fake.requests() == []
    files.close()


@pytest.mark.parametrize("name", ["", "octo", "octo/..", "octo/hello/../secret", "octo/a?b=c"])
async def test_what_is_no_repository_is_not_asked_for(
    files: GitHubFiles, desk: Desk, name: str
) -> None:
    with pytest.raises(FileUnknown, match="no repository is called so"):
        await files.read(HELLO, name)

    assert desk.fake.requests() == []


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble(kind="before", method="GET", status=502),
        Trouble(kind="drop", method="GET"),
        secondary_limit(),
    ],
)
async def test_while_the_host_is_in_trouble_nobody_can_tell_of_any_file(
    files: GitHubFiles, desk: Desk, trouble: Trouble
) -> None:
    await files.read(HELLO, REPOSITORY)  # there is a token
    desk.fake.fail(replace(trouble, times=9))

    with pytest.raises(FileUnknown) as caught:
        await files.read(HELLO, REPOSITORY)

    assert caught.value.can_pass


async def test_a_trouble_that_passes_at_once_is_nobodys_business(
    files: GitHubFiles, desk: Desk
) -> None:
    write(desk)
    desk.fake.fail(Trouble(method="GET", path=r"/repos/.*/contents/.*", times=2))

    assert (await found(files)).text == TEXT


async def test_it_goes_before_what_nobody_waits_for(fake_github: FakeGitHub) -> None:
    noted = Noting()
    desk = Desk(fake_github, Login(token=TOKEN), pace=noted)
    desk.open()
    files = GitHubFiles({HOST: desk.account})

    await files.read(HELLO, REPOSITORY)

    assert [asked.priority for asked in noted.asked] == [1]
    noted.is_too_fast = True
    with pytest.raises(FileUnknown) as caught:
        await files.read(HELLO, REPOSITORY)
    assert caught.value.is_ours
    files.close()


async def test_where_the_app_may_read_no_contents_it_says_which_permission_it_lacks(
    files: GitHubFiles, desk: Desk
) -> None:
    with desk.fake.api.lock:
        desk.fake.world.installations[42].permissions.pop("contents")

    with pytest.raises(FileUnknown, match="lacks a permission") as caught:
        await files.read(HELLO, REPOSITORY)

    assert not caught.value.of_host


# Told of faults ------------------------------------------------------------------------------


def faulty(commit: str = HEAD) -> FaultyFile:
    return FaultyFile(
        asker=HELLO,
        repository=REPOSITORY,
        sha="b" * 40,
        commit=commit,
        faults=(Fault(3, 7, "it must be observe, approve or live"),),
        has_good_one=True,
    )


async def test_faults_are_shown_beside_the_commit_that_brought_them(
    files: GitHubFiles, desk: Desk
) -> None:
    await files.tell(faulty())

    (check,) = desk.fake.repository().checks.values()
    assert (check.head_sha, check.fields["conclusion"]) == (HEAD, "failure")
    (annotation,) = check.fields["output"]["annotations"]
    assert (annotation["path"], annotation["start_line"]) == (PATH, 3)
    assert annotation["message"] == "it must be observe, approve or live"


async def test_without_a_commit_there_is_no_place_to_show_them(
    files: GitHubFiles, desk: Desk
) -> None:
    with pytest.raises(FileUnknown, match="known commit"):
        await files.tell(faulty(commit=""))

    assert desk.fake.writes() == []


async def test_a_token_can_show_them_nowhere(by_token: Desk) -> None:
    files = GitHubFiles({HOST: by_token.account})

    with pytest.raises(FileUnknown, match="only an app"):
        await files.tell(faulty())

    assert by_token.fake.writes() == []
    files.close()
