"""What the steps of a process add to the counts."""

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from reactor import Runner, Start, action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.listening import ReadyToPlan
from reactor.package import Package
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.status import ProcessHead
from reactor.web.metrics import MOST_EVENTS
from reactor.web.worker_metrics import WorkerMetrics


@dataclass(frozen=True)
class Fact:
    text: str


@component
class Team:
    @action(value=0.9)
    async def find(self) -> Fact:
        return Fact("found")

    @action(value=0.5)
    async def fail(self, fact: Fact) -> None:
        raise ValueError("no")


def value(metrics: WorkerMetrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


async def test_decisions_runs_and_ends_of_processes_are_counted() -> None:
    clock, metrics = ManualClock(), WorkerMetrics(CollectorRegistry())
    package = Package(name="team", components=(Team,), settings=None, goals=())
    platform = Platform(packages=[package], services={Clock: clock})
    boards = MemoryBoards(Codec(platform.catalog), clock)
    runner = Runner(platform=platform, boards=boards, clock=clock, owner="w", listeners=(metrics,))

    with runner:
        await runner.run(Start(process_id="p1", delivery="d", reaction="r", subject="s", facts=()))

    find, fail = ({"component": "team", "action": f"team.{name}"} for name in ("find", "fail"))
    assert value(metrics, "reactor_actions_total", **find, outcome="done") == 1
    assert value(metrics, "reactor_actions_total", **fail, outcome="failed") == 1
    assert value(metrics, "reactor_action_seconds_count", **find) == 1
    rests = [
        sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "reactor_processes_total" and sample.labels["reaction"] == "r"
    ]
    assert rests == [1]
    planned = {"reaction": "r", "planner": "utility"}
    assert value(metrics, "reactor_decisions_total", **planned, outcome="action") == 2
    assert value(metrics, "reactor_planning_seconds_count", planner="utility") == 3


def test_processes_that_stop_before_their_plan_do_not_add_up() -> None:
    metrics, now = WorkerMetrics(CollectorRegistry()), ManualClock().now()

    def head(number: int) -> ProcessHead:
        return ProcessHead(
            id=f"p{number}",
            delivery="d",
            reaction="r",
            subject="s",
            agent="a",
            planner="utility",
            created_at=now,
            updated_at=now,
        )

    tracemalloc.start()
    for number in range(3_000):
        metrics(ReadyToPlan(head=head(number), at=now, conditions=0))
        if number == 1_500:
            before, _ = tracemalloc.get_traced_memory()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert after - before < 20_000  # bytes; 1,500 ids and moments would be 150,000


def test_names_of_events_that_a_sender_invents_do_not_add_up() -> None:
    metrics = WorkerMetrics(CollectorRegistry())

    for number in range(MOST_EVENTS + 50):
        metrics.settled(f"event_{number}", "settled", after_s=1.0)

    assert value(metrics, "reactor_settled_total", event="other", outcome="settled") == 50


def make(change: Callable[[WorkerMetrics], None]) -> WorkerMetrics:
    metrics = WorkerMetrics(CollectorRegistry())
    change(metrics)
    return metrics


def test_places_that_come_and_go_are_counted_by_what_told_so() -> None:
    metrics = make(lambda counts: counts.changed("issues.deleted"))

    assert value(metrics, "reactor_lifecycle_changes_total", change="issues.deleted") == 1


def test_a_clock_of_a_gateway_that_is_ahead_makes_no_negative_time() -> None:
    metrics = make(lambda counts: counts.settled("issues", "settled", after_s=-3.0))

    assert value(metrics, "reactor_settle_seconds_sum") == 0
