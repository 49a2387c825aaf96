"""Every adapter of `Permissions`: who may do what in a repository, and nobody by mistake."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from time import monotonic

import pytest

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.connection import Wire
from reactor.adapters.github.installations import Installations, MemoryInstallations
from reactor.adapters.github.permissions import GitHubPermissions
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.command import Role
from reactor.errors import InfrastructureError
from reactor.github.hosts import Login
from reactor.permissions import Permissions, RepositoryRef
from tests.fixtures.github.fake import TOKEN, FakeGitHub, running
from tests.fixtures.github.faults import Fault

HOST = "github.com"
SECRET = RepositoryRef(host=HOST, id=5, name="octo/secret")  # strangers have no role here
OTHER = RepositoryRef(host=HOST, id=6, name="octo/other")


@dataclass
class Site:
    """An adapter, and what stands behind it."""

    permissions: Permissions
    grant: Callable[[str, Role], None]  # in SECRET
    go_away: Callable[[], None]  # for the next question


@pytest.fixture(params=["memory", "github"])
async def site(request: pytest.FixtureRequest) -> AsyncIterator[Site]:
    if request.param == "memory":
        memory = MemoryPermissions()

        def go_away() -> None:
            memory.is_away = True

        yield Site(memory, lambda login, role: memory.grant(SECRET, login, role), go_away)
        return
    seed = {
        "tokens": {TOKEN: "octo"},
        "repositories": [
            {"full_name": each.name, "id": each.id, "private": True, "is_organisation": False}
            for each in (SECRET, OTHER)
        ],
    }
    with running(seed) as fake:
        account = Account(
            login=Login(token=TOKEN),
            wire=Wire(host=HOST, api_url=fake.url),
            installations=Installations(MemoryInstallations(), monotonic),
            monotonic_s=monotonic,
        )
        permissions = GitHubPermissions({HOST: account})
        yield Site(permissions, granted_by(fake), lambda: fake.fail(Fault(status=502)))
        permissions.close()
        account.close()


def granted_by(fake: FakeGitHub) -> Callable[[str, Role], None]:
    def grant(login: str, role: Role) -> None:
        with fake.api.lock:
            fake.world.user(login)
            fake.repository(SECRET.name).roles[login.lower()] = str(role)

    return grant


@pytest.mark.parametrize("role", Role)
async def test_a_role_is_told_as_it_was_granted(site: Site, role: Role) -> None:
    site.grant("Hubot", role)

    assert await site.permissions.role(SECRET, "hubot") is role
    assert await site.permissions.role(SECRET, "HUBOT") is role


async def test_a_role_in_one_repository_is_none_in_another(site: Site) -> None:
    site.grant("hubot", Role.ADMIN)

    assert await site.permissions.role(OTHER, "hubot") is Role.NONE


@pytest.mark.parametrize("login", ["nobody-of-this-name", "", "a b", "../octo", "x" * 300, "é"])
async def test_who_is_not_there_has_no_role(site: Site, login: str) -> None:
    assert await site.permissions.role(SECRET, login) is Role.NONE


async def test_while_the_host_is_away_nothing_is_granted(site: Site) -> None:
    site.grant("hubot", Role.ADMIN)
    site.go_away()

    with pytest.raises(InfrastructureError, match=HOST):
        await site.permissions.role(SECRET, "hubot")
