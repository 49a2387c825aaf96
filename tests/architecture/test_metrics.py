"""The tables of metrics say all that there is: whoever draws a chart can rely on them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from prometheus_client import CollectorRegistry

from reactor.adapters.clock import ManualClock
from reactor.ai.calling import Called
from reactor.heartbeat import Heartbeat
from reactor.overview import Backlog
from reactor.web.metrics import GatewayMetrics
from reactor.web.model_metrics import ModelMetrics
from reactor.web.pace_metrics import PaceMetrics
from reactor.web.redis_metrics import RedisMetrics
from reactor.web.spool_metrics import SpoolMetrics, SpoolReading
from reactor.web.worker_gauges import WorkerGauges
from reactor.web.worker_metrics import WorkerMetrics

NOW = datetime(2026, 3, 14, tzinfo=UTC)
ROW = re.compile(r"^\| (`reactor_[^|]*)\| (\w+) \|(?:([a-z, ]*)\|)?[^|]*\|$", re.MULTILINE)


def documented(page: Path) -> dict[str, str]:
    """By name of a metric its type, from every row of a table that begins with one."""
    rows = ROW.findall(page.read_text("utf-8"))
    return {name: kind for names, kind, _ in rows for name in re.findall(r"`(reactor_\w+)`", names)}


def labels_documented(page: Path) -> dict[str, frozenset[str]]:
    rows = ROW.findall(page.read_text("utf-8"))
    return {
        name: frozenset(re.findall(r"\w+", labels))
        for names, _, labels in rows
        for name in re.findall(r"`(reactor_\w+)`", names)
    }


def registry() -> CollectorRegistry:
    """Of everything that there is, each thing once."""
    made = CollectorRegistry()
    gateway, worker = GatewayMetrics(made), WorkerMetrics(made)
    made.register(SpoolMetrics(SpoolReading))
    made.register(RedisMetrics(lambda: 0))
    PaceMetrics(made)
    ModelMetrics(made)(Called(model="small", outcome="stop"))
    beat = Heartbeat(owner="h/1/w", at=NOW, started_at=NOW, is_ready=True)
    full = Backlog(dead=0, forms=0, timers=0, timers_due=0, effects=0, effects_given_up=0)
    made.register(WorkerGauges(lambda: beat, lambda: full, ManualClock()))
    gateway.delivery("issues", "accepted")
    worker.settled("issues", "settled", after_s=1)
    return made


def exposed() -> Iterator[tuple[str, str]]:
    """Name and type, as Prometheus sees them."""
    for family in registry().collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        yield name, family.type


def test_every_metric_is_in_a_table_with_its_type_and_every_row_is_a_metric(root: Path) -> None:
    assert documented(root / "docs/operations.md") == dict(exposed())


def test_the_labels_of_what_was_counted_are_those_of_the_table(root: Path) -> None:
    told = labels_documented(root / "docs/operations.md")

    counted = {
        sample.name: frozenset(sample.labels)
        for family in registry().collect()
        for sample in family.samples
        if sample.name in ("reactor_deliveries_total", "reactor_settled_total")
    }

    assert len(counted) == 2
    assert {name: told[name] for name in counted} == counted


def test_every_name_in_the_example_rules_is_a_metric(root: Path) -> None:
    text = (root / "docs/operations.md").read_text("utf-8")
    rules = re.findall(r"^ +expr: (.*)$", text, re.MULTILINE)
    known = dict(exposed())

    used = {
        name.removesuffix("_bucket") for rule in rules for name in re.findall(r"reactor_\w+", rule)
    }

    assert len(rules) >= 5
    assert used - known.keys() == set()
