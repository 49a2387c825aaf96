"""Counts of a worker, for Prometheus: what it decided, how long that took, what failed.

All labels are bounded: events by `Few`, the rest by what is installed and set.  What can be looked
up at any time (lag, in flight) is in `worker_gauges`.
"""

from datetime import datetime
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram

from reactor.listening import (
    ActionFinished,
    CameToRest,
    PlanFormulated,
    ProcessEvent,
    ReadyToPlan,
    Waiting,
)
from reactor.web.labels import Few
from reactor.web.metrics import MOST_EVENTS

_QUICK_S = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5)
_ACTION_S = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_SETTLE_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600)


_MOST_PLANNED = 1_000  # far more than are planned for at once

_Metric = TypeVar("_Metric", Counter, Histogram)


class WorkerMetrics:
    """What a worker did.  Fits `ProcessListener`; is told the rest by whoever does it."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._event = Few(MOST_EVENTS)
        self._ready_at: dict[str, datetime] = {}  # of processes that are planned for just now
        self._children: dict[tuple[int, tuple[str, ...]], Any] = {}  # of metrics of every tick
        self._settled = _counter(
            registry, "settled", "Deliveries and signals, by what came of them.", "event outcome"
        )
        self._settle_s = Histogram(
            "reactor_settle_seconds",
            "From the moment the gateway had a delivery until it was settled.",
            buckets=_SETTLE_S,
            registry=registry,
        )
        self._processes = _counter(
            registry, "processes", "Processes that came to rest, by where.", "reaction status"
        )
        self._decisions = _counter(
            registry,
            "decisions",
            "Answers of planners: a plan, the goal holds already, or nothing.",
            "reaction planner outcome",
        )
        self._planning_s = _seconds(
            registry, "planning", "From a look at the board to a plan.", "planner", _QUICK_S
        )
        self._actions = _counter(
            registry, "actions", "Runs of actions, by outcome.", "component action outcome"
        )
        self._action_s = _seconds(
            registry, "action", "Runs of actions, retries included.", "component action", _ACTION_S
        )
        self._dead = _counter(registry, "dead_letters", "Records given up, by reason.", "reason")
        self._effects = _counter(
            registry, "effects", "Effects, by kind and by what became of them.", "kind state"
        )
        self._errors = _counter(
            registry, "server_errors", "Times that work waited for a server.", "server"
        )
        self._changes = _counter(
            registry,
            "lifecycle_changes",
            "Issues, repositories and installations that came, went or were suspended.",
            "change",
        )
        self._caught = _counter(
            registry, "guards_caught", "Times that a guard kept something from happening.", "guard"
        )
        self._troubles = _counter(
            registry, "component_troubles", "What went wrong in components.", "component kind"
        )
        self._faulty_files = _counter(
            registry,
            "repository_file_faults",
            "Files .github/reactor.yml that were found to have faults.",
            "",
        )

    def __call__(self, event: ProcessEvent, /) -> None:
        """Count a step of a process."""
        match event:
            case ReadyToPlan():
                if len(self._ready_at) >= _MOST_PLANNED:  # a process can stop before its plan
                    self._ready_at.pop(next(iter(self._ready_at)))
                self._ready_at[event.head.id] = event.at
            case PlanFormulated():
                self._planned(event)
            case ActionFinished():
                component = event.run.action.partition(".")[0]
                labels = component, event.run.action
                self._child(self._action_s, *labels).observe(event.run.duration_s)
                self._child(self._actions, *labels, event.run.outcome).inc()
            case CameToRest() | Waiting():
                self._ready_at.pop(event.head.id, None)
                self._processes.labels(event.head.reaction, str(event.head.status)).inc()

    def settled(self, event: str, outcome: str, *, after_s: float) -> None:
        """A delivery or a signal was settled so long after it had come."""
        self._settled.labels(self._event(event), outcome).inc()
        self._settle_s.observe(max(0.0, after_s))

    def gave_up(self, reason: str) -> None:
        """A dead letter was written; reasons are constant words."""
        self._dead.labels(reason).inc()

    def effect(self, kind: str, state: str) -> None:
        """An effect came to a state.

        "queued", "held", "repeated", "sent", "delayed", "refused", "given_up", "lost".
        """
        self._effects.labels(kind, state).inc()

    def waited_for(self, server: str) -> None:
        """A server was away, and what needed it is tried again."""
        self._errors.labels(server).inc()

    def changed(self, change: str) -> None:
        """A place came or went; `change` is a kind of delivery, one of some twenty."""
        self._changes.labels(change).inc()

    def caught(self, guard: str) -> None:
        """A guard caught something: "claim", "lease", "ledger", "order"."""
        self._caught.labels(guard).inc()

    def trouble(self, component: str, kind: str) -> None:
        """With a component: "failed", "timeout", "result", "blocked", "resting"."""
        self._troubles.labels(component, kind).inc()

    def faulty_file(self) -> None:
        """The file of a repository has faults; each content counts once."""
        self._faulty_files.inc()

    def _planned(self, event: PlanFormulated) -> None:
        head, plan = event.head, event.decision.plan
        outcome = "nothing" if plan is None else "action" if plan else "goal"
        self._child(self._decisions, head.reaction, head.planner, outcome).inc()
        if (ready_at := self._ready_at.pop(head.id, None)) is not None:
            took_s = (event.at - ready_at).total_seconds()
            self._child(self._planning_s, head.planner).observe(max(0.0, took_s))

    def _child(self, metric: _Metric, *labels: str) -> _Metric:
        """`metric.labels(...)`, which takes longer than counting: once for each, not every tick."""
        key = id(metric), labels
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = metric.labels(*labels)
        return child


def _counter(registry: CollectorRegistry, name: str, said: str, labels: str) -> Counter:
    return Counter(f"reactor_{name}", said, labels.split(), registry=registry)


def _seconds(
    registry: CollectorRegistry, name: str, said: str, labels: str, buckets: tuple[float, ...]
) -> Histogram:
    return Histogram(
        f"reactor_{name}_seconds", said, labels.split(), buckets=buckets, registry=registry
    )
