"""Installations in processes of their own."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.site import Site, site_environ


@pytest.fixture
def site(tmp_path: Path, kafka_bootstrap: str, redis_url: str) -> Iterator[Site]:
    """On the test run's own broker and Redis."""
    prefix = f"e2e-{secrets.token_hex(6)}"
    made = Site(
        folder=tmp_path,
        environ=site_environ(
            KAFKA_BOOTSTRAP_SERVERS=kafka_bootstrap,
            REDIS_URL=redis_url,
            REACTOR_KAFKA_PREFIX=prefix,
            REACTOR_KAFKA_GROUP=prefix,
            REACTOR_REDIS_PREFIX=prefix,
            REACTOR_KAFKA_SESSION_TIMEOUT_S="6",
        ),
    )
    yield made
    made.stop()


@pytest.fixture
def embedded_site(tmp_path: Path) -> Iterator[Site]:
    """With servers that `reactor up` brings along."""
    made = Site(folder=tmp_path, environ=site_environ(REACTOR_KAFKA_SESSION_TIMEOUT_S="2"))
    yield made
    made.stop()
