"""From the settings to Redis: where it is, and what is said of it at the start."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from reactor.adapters.redis_client import Endpoint
from reactor.adapters.redis_trouble import UnusableRedis
from reactor.children import free_port
from reactor.settings import RedisSettings, Settings
from reactor.wiring.redis import NoServer, endpoint_of, look_at_redis


def settings(url: str | None, **more: object) -> Settings:
    return Settings(redis=RedisSettings.model_validate({"url": url, **more}))


def test_the_settings_lead_to_redis() -> None:
    given = settings("rediss://a:b@redis:7/0", cluster=True, ca_file=Path("/ca.pem"), timeout_s=0.5)

    endpoint = endpoint_of(given)

    assert (endpoint.is_cluster, endpoint.ca_file, endpoint.timeout_s) == (True, "/ca.pem", 0.5)
    assert endpoint.where == "redis:7"


def test_without_an_address_there_is_no_redis() -> None:
    with pytest.raises(NoServer, match="REDIS_URL"):
        endpoint_of(settings(None))


async def test_one_that_is_away_at_the_start_is_told_and_waited_for_later() -> None:
    with capture_logs() as logs:
        await look_at_redis(settings(f"redis://127.0.0.1:{free_port()}/0", timeout_s=1))

    assert [each["event"] for each in logs] == ["redis_away"]


@pytest.mark.redis
async def test_one_that_can_not_be_used_ends_the_start(redis_url: str) -> None:
    with pytest.raises(UnusableRedis, match=r"set redis\.cluster to false"):
        await look_at_redis(settings(redis_url, cluster=True))


def test_a_password_is_in_no_description_of_where_redis_is() -> None:
    endpoint = Endpoint(url="redis://a:hunter2@redis:6379/0")

    assert "hunter2" not in endpoint.where + repr(endpoint)
