"""Settings over the servers of the test run, with names of the test's own."""

import os

import pytest

from reactor.settings import Settings, load
from tests.fixtures.site import site_environ


@pytest.fixture
def session_s() -> float:
    """Apache Kafka allows no less than 6 s; joining the embedded broker takes half of it."""
    return 6.0 if "KAFKA_BOOTSTRAP_SERVERS" in os.environ else 2.0  # noqa: TID251 - of the run


@pytest.fixture
def settings(
    kafka_bootstrap: str, kafka_prefix: str, redis_url: str, redis_prefix: str
) -> Settings:
    """Of an installation on the test run's own broker and Redis."""
    environ = site_environ(
        KAFKA_BOOTSTRAP_SERVERS=kafka_bootstrap,
        REDIS_URL=redis_url,
        REACTOR_KAFKA_PREFIX=kafka_prefix,
        REACTOR_KAFKA_GROUP=kafka_prefix,
        REACTOR_REDIS_PREFIX=redis_prefix,
        REACTOR_KAFKA_PARTITIONS="1",
    )
    return load(None, environ)
