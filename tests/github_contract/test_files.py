"""The file of a repository is asked for, and told of, as GitHub's description has it."""

from time import monotonic
from urllib.parse import quote

import pytest

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.connection import Wire
from reactor.adapters.github.files import GitHubFiles
from reactor.adapters.github.installations import Installations, MemoryInstallations
from reactor.github.hosts import Login
from reactor.github.repository_file import PATH
from reactor.github.repository_reading import FaultyFile
from reactor.github.repository_yaml import Fault
from reactor.permissions import RepositoryRef
from reactor.repository_files import UNCHANGED, FoundFile
from tests.fixtures.github.fake import APP_ID, HEAD, REPOSITORY, REPOSITORY_ID, AppKey, FakeGitHub
from tests.github_contract.watched import Watched

pytestmark = [pytest.mark.prism, pytest.mark.timeout(300)]

HELLO = RepositoryRef(host="github.com", id=REPOSITORY_ID, name=REPOSITORY)


async def test_a_file_is_read_again_only_if_it_changed_and_its_faults_are_shown(
    compared: Watched, fake: FakeGitHub, key: AppKey
) -> None:
    fake.repository().files[PATH] = "mode: life\n"
    account = Account(
        login=Login(app_id=APP_ID, private_key=key.private_pem),
        wire=Wire(host="github.com", api_url=compared.url, timeout_s=60),
        installations=Installations(MemoryInstallations(), monotonic),
        monotonic_s=monotonic,
    )
    files = GitHubFiles({"github.com": account})
    faulty = FaultyFile(
        asker=HELLO,
        repository=REPOSITORY,
        sha="b" * 40,
        commit=HEAD,
        faults=(Fault(1, 7, "it must be observe, approve or live"),),
        has_good_one=False,
    )

    try:
        found = await files.read(HELLO, REPOSITORY)
        assert isinstance(found, FoundFile)
        again = await files.read(HELLO, REPOSITORY, etag=found.etag)
        await files.tell(faulty)
    finally:
        files.close()
        account.close()

    assert again == UNCHANGED
    assert f"GET /repos/{REPOSITORY}/contents/{quote(PATH, safe='')}" in compared.requests
    assert f"POST /repos/{REPOSITORY}/check-runs" in compared.requests
    assert compared.violations == []
