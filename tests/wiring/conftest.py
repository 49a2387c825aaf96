"""What a worker of one test is told: the servers of the tests, and names of its own on them."""

import secrets

import pytest


@pytest.fixture
def environ(kafka_bootstrap: str, redis_url: str) -> dict[str, str]:
    """For `load`; modules that need more override it with `{**environ, ...}`."""
    prefix = f"wiring-{secrets.token_hex(6)}"
    return {
        "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
        "REDIS_URL": redis_url,
        "REACTOR_KAFKA_PREFIX": prefix,
        "REACTOR_KAFKA_GROUP": prefix,
        "REACTOR_REDIS_PREFIX": prefix,
    }
