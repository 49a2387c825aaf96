"""What GitHub tells of roles, and what it means where it tells us nothing."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from reactor.adapters.github.permissions import GitHubPermissions, role_in
from reactor.command import Role
from reactor.errors import InfrastructureError
from reactor.permissions import PermissionUnknown, RepositoryRef
from tests.adapters.github.conftest import HOST, Desk
from tests.fixtures.github.fake import REPOSITORY, REPOSITORY_ID
from tests.fixtures.github.faults import Fault, bad_credentials, secondary_limit

HELLO = RepositoryRef(host=HOST, id=REPOSITORY_ID, name=REPOSITORY)


@pytest.fixture
async def permissions(desk: Desk) -> AsyncIterator[GitHubPermissions]:
    """As the app."""
    permissions = GitHubPermissions({HOST: desk.account})
    yield permissions
    permissions.close()


async def test_the_app_asks_as_its_installation(permissions: GitHubPermissions) -> None:
    found = [await permissions.role(HELLO, who) for who in ("maintainer", "triager", "octocat")]

    assert found == [Role.MAINTAIN, Role.TRIAGE, Role.READ]


async def test_it_only_reads(permissions: GitHubPermissions, desk: Desk) -> None:
    await permissions.role(HELLO, "maintainer")

    assert desk.fake.writes() == []


@pytest.mark.parametrize("path", ["", "octo", "octo/..", "octo/hello/../secret", "octo/a?b=c"])
async def test_what_is_no_repository_is_not_asked_for(
    permissions: GitHubPermissions, desk: Desk, path: str
) -> None:
    with pytest.raises(PermissionUnknown, match="no repository is called so"):
        await permissions.role(RepositoryRef(host=HOST, id=1, name=path), "maintainer")

    assert desk.fake.requests() == []


async def test_a_host_that_nobody_named_is_not_asked(permissions: GitHubPermissions) -> None:
    elsewhere = RepositoryRef(host="git.acme.example", id=1, name=REPOSITORY)

    with pytest.raises(PermissionUnknown, match=r"name it in github\.hosts"):
        await permissions.role(elsewhere, "maintainer")


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=500, path=".*/permission"),
        Fault(kind="drop", path=".*/permission"),
        secondary_limit(path=".*/permission"),
        bad_credentials(path=".*/permission", times=2),
    ],
    ids=["500", "cut off", "limit", "token refused"],
)
async def test_trouble_passes_and_grants_nothing(
    permissions: GitHubPermissions, desk: Desk, fault: Fault
) -> None:
    desk.fake.fail(fault)

    with pytest.raises(InfrastructureError, match=HOST):
        await permissions.role(HELLO, "maintainer")

    assert await permissions.role(HELLO, "maintainer") is Role.MAINTAIN


async def test_a_host_that_will_not_tell_grants_nothing(
    permissions: GitHubPermissions, desk: Desk
) -> None:
    desk.fake.fail(
        Fault(
            status=403,
            path=".*/permission",
            message="Must have push access to view collaborator permission.",
        )
    )

    with pytest.raises(PermissionUnknown, match=r"maintainer may do in octo/hello .*push access"):
        await permissions.role(HELLO, "maintainer")


@pytest.mark.parametrize(
    ("answer", "role"),
    [
        ({"permission": "write", "role_name": "maintain"}, Role.MAINTAIN),
        ({"permission": "read", "role_name": "triage"}, Role.TRIAGE),
        ({"permission": "admin"}, Role.ADMIN),
        ({"permission": "write", "role_name": "security-lead"}, Role.WRITE),
        (
            {
                "permission": "read",
                "role_name": "first-responder",
                "user": {"permissions": {"admin": False, "triage": True, "pull": True}},
            },
            Role.TRIAGE,
        ),
        ({"permission": "admin", "user": {"permissions": {"pull": False}}}, Role.NONE),
        ({"user": {"permissions": {"admin": "yes"}}}, Role.NONE),
        ({"permission": "none", "role_name": "none"}, Role.NONE),
        ({"permission": 5, "role_name": None, "user": None}, Role.NONE),
        ({}, Role.NONE),
        ([], Role.NONE),
        (None, Role.NONE),
    ],
)
def test_only_what_an_answer_says_is_granted(answer: Any, role: Role) -> None:
    assert role_in(answer) is role
