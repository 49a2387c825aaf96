"""Servers for the tests, one plug-in each: started when a test first asks, stopped at the end."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import settings

_ROOT = str(Path(__file__).parents[1])
if _ROOT not in sys.path:  # so that `tests.fixtures` is found however pytest was started
    sys.path.insert(0, _ROOT)

pytest_plugins = [
    name
    for name in (
        "tests.fixtures.redis_server",
        "tests.fixtures.redis_cluster",
        "tests.fixtures.redis_user",
        "tests.fixtures.kafka_broker",
        "tests.fixtures.certificates",
        "tests.fixtures.guarded_kafka",
        "tests.fixtures.github.plugin",
        "tests.fixtures.models.plugin",
    )
    if importlib.util.find_spec(name)
]

# How long an example takes says how busy the machine is; a hang is what pytest's time-out is for.
settings.register_profile("reactor", deadline=None)
settings.load_profile("reactor")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long", action="store_true", help="run the tests marked `long` as well (make guard)"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long tests to those who ask for them."""
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]
