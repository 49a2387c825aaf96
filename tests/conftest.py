"""Servers for the tests, one plug-in each: started when a test first asks, stopped at the end."""

import importlib.util
import sys
from pathlib import Path

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
    )
    if importlib.util.find_spec(name)
]
