"""How a Redis server stands: can it be used, and does it keep what it is given?"""

from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisClusterException, RedisError, ResponseError

from reactor.adapters.redis_client import Endpoint, connect_to
from reactor.adapters.redis_trouble import UnusableRedis, bare, remedy, told
from reactor.errors import InfrastructureError

_OLDEST = (6, 2)
_NOTHING = "return 1"  # a script that does nothing, with one key of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A server that can be used."""

    version: str
    risks: tuple[str, ...]  # how it may forget what it was given, a sentence each


async def examine(endpoint: Endpoint, *, prefix: str) -> Standing:
    """Ask the server at the endpoint's URL; of a cluster, that node.

    Raises `UnusableRedis` where waiting would not help, `InfrastructureError` where it might.
    """
    as_one = Endpoint(url=endpoint.url, ca_file=endpoint.ca_file, timeout_s=endpoint.timeout_s)
    client = connect_to(as_one)
    try:
        info: dict[str, Any] = await client.info()
        is_cluster = info.get("redis_mode") == "cluster"
        if is_cluster != endpoint.is_cluster:
            raise _other_mode(endpoint, is_cluster=is_cluster)
        await _may_write(endpoint, prefix)
        return Standing(
            version=str(info.get("redis_version", "?")),
            risks=_risks(info, await _appendfsync(client)),
        )
    except (RedisError, RedisClusterException, OSError) as error:
        if change := remedy(error):
            raise UnusableRedis(endpoint.where, bare(error), change) from error
        raise InfrastructureError("redis", told(error)) from error
    finally:
        await client.aclose()


async def _may_write(endpoint: Endpoint, prefix: str) -> None:
    """Run a script as we always do, with a key of ours; it changes nothing."""
    client = connect_to(endpoint)
    try:
        await client.eval(_NOTHING, 1, f"{prefix}:nothing")
    finally:
        await client.aclose()


async def _appendfsync(client: Redis) -> str:
    """When it writes to its disk; "" where it does not tell us."""
    try:
        return str((await client.config_get("appendfsync")).get("appendfsync", ""))
    except ResponseError:  # we need not have the right to ask
        return ""


def _risks(info: dict[str, Any], appendfsync: str) -> tuple[str, ...]:
    version, policy = str(info.get("redis_version", "")), info.get("maxmemory_policy")
    found = []
    if version and _numbers(version) < _OLDEST:
        found.append(f"Redis {version} is older than 6.2, the oldest that is tested: upgrade it")
    if policy not in (None, "noeviction"):
        found.append(f"maxmemory-policy is {policy}: keys may vanish; set it to noeviction")
    if info.get("aof_enabled") == 0:
        found.append("appendonly is no: a restart forgets what was done; set it to yes")
    elif appendfsync not in ("", "always"):
        found.append(
            f"appendfsync is {appendfsync}: a crash forgets what was done last; set it to always"
        )
    if info.get("role") == "slave":
        found.append("it is a replica, and can't be written to: redis.url should name the master")
    return tuple(found)


def _other_mode(endpoint: Endpoint, *, is_cluster: bool) -> UnusableRedis:
    if is_cluster:
        return UnusableRedis(
            endpoint.where, "it is a node of a Redis Cluster", "set redis.cluster to true"
        )
    return UnusableRedis(endpoint.where, "it is no cluster", "set redis.cluster to false")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
