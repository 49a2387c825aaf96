"""Roles are asked for once a minute, and never made up where nobody could be asked."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.adapters.redis_permissions import KEEP, RedisPermissions
from reactor.command import Role
from reactor.errors import InfrastructureError
from reactor.permissions import RepositoryRef

pytestmark = pytest.mark.redis

HELLO = RepositoryRef(host="github.com", id=1, name="octo/hello")
SAME_ID = RepositoryRef(host="git.acme.example", id=1, name="octo/hello")


class Counted(MemoryPermissions):
    """Counts."""

    asked = 0

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        self.asked += 1
        return await super().role(repository, login)


@pytest.fixture
def asked() -> Counted:
    asked = Counted()
    asked.grant(HELLO, "octocat", Role.TRIAGE)
    return asked


@pytest.fixture
def kept(asked: Counted, redis_client: Redis, redis_prefix: str) -> RedisPermissions:
    return RedisPermissions(asked, redis_client, prefix=redis_prefix)


async def test_many_questions_cost_one(kept: RedisPermissions, asked: Counted) -> None:
    found = {await kept.role(HELLO, login) for login in ("octocat", "OctoCat") * 5}

    assert found == {Role.TRIAGE}
    assert asked.asked == 1


async def test_strangers_are_remembered_as_well(kept: RedisPermissions, asked: Counted) -> None:
    found = [await kept.role(HELLO, "stranger") for _ in range(3)]

    assert found == [Role.NONE] * 3
    assert asked.asked == 1


async def test_it_is_known_for_a_minute_only(
    kept: RedisPermissions, redis_client: Redis, redis_prefix: str
) -> None:
    await kept.role(HELLO, "octocat")

    left_ms = await redis_client.pttl(redis_keys.role(redis_prefix, HELLO.host, 1, "octocat"))

    assert timedelta(minutes=1) == KEEP
    assert 0 < left_ms <= 60_000


async def test_after_its_time_it_is_asked_anew(
    kept: RedisPermissions, asked: Counted, redis_client: Redis, redis_prefix: str
) -> None:
    await kept.role(HELLO, "octocat")
    await redis_client.delete(redis_keys.role(redis_prefix, HELLO.host, 1, "octocat"))
    asked.grant(HELLO, "octocat", Role.NONE)

    assert await kept.role(HELLO, "octocat") is Role.NONE


async def test_repositories_of_one_number_on_two_hosts_are_two(kept: RedisPermissions) -> None:
    await kept.role(HELLO, "octocat")

    assert await kept.role(SAME_ID, "octocat") is Role.NONE


async def test_while_nobody_can_be_asked_nothing_is_kept(
    kept: RedisPermissions, asked: Counted
) -> None:
    asked.is_away = True
    with pytest.raises(InfrastructureError):
        await kept.role(HELLO, "octocat")
    asked.is_away = False

    assert await kept.role(HELLO, "octocat") is Role.TRIAGE


async def test_what_another_version_has_kept_is_asked_anew(
    kept: RedisPermissions, redis_client: Redis, redis_prefix: str
) -> None:
    await redis_client.set(redis_keys.role(redis_prefix, HELLO.host, 1, "octocat"), b"owner\xff")

    assert await kept.role(HELLO, "octocat") is Role.TRIAGE
