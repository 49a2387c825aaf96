"""Spans really arrive at a collector, with their parents, and without what may be secret."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from reactor import Platform, Runner, Start, action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.adapters.otel import OtelTracer
from reactor.codec import Codec
from reactor.package import Package
from reactor.ports import Clock
from reactor.tracing import span, traced_by
from tests.fixtures.collector import Collector, collecting

pytestmark = pytest.mark.timeout(30)


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as made:
        yield made


@pytest.fixture
def tracer(collector: Collector) -> OtelTracer:
    return OtelTracer(collector.endpoint, service="reactor-test", instance="here")


def test_spans_nest_as_blocks_do_and_say_what_was_noted(
    collector: Collector, tracer: OtelTracer
) -> None:
    with traced_by(tracer), span("outer", delivery_id="d-7") as outer:
        with span("inner") as inner:
            inner.note(outcome="done", attempts=2)
        outer.note(status="accepted")
    tracer.close()

    (inner_seen,), (outer_seen,) = collector.named("inner"), collector.named("outer")
    assert outer_seen.parent == ""
    assert (inner_seen.parent, inner_seen.trace) == (outer_seen.id, outer_seen.trace)
    assert outer_seen.noted == {"delivery_id": "d-7", "status": "accepted"}
    assert inner_seen.noted == {"outcome": "done", "attempts": 2}
    assert outer_seen.service == "reactor-test"


def test_a_parent_from_elsewhere_goes_before_the_one_around_it(
    collector: Collector, tracer: OtelTracer
) -> None:
    with traced_by(tracer):
        with span("accept") as accept:
            travelling = accept.traceparent
        with span("around"), span("settle", parent=travelling):
            pass
    tracer.close()

    (accepted,), (settled,) = collector.named("accept"), collector.named("settle")
    assert (settled.parent, settled.trace) == (accepted.id, accepted.trace)


def test_a_parent_that_is_none_begins_a_trace_of_its_own(
    collector: Collector, tracer: OtelTracer
) -> None:
    with traced_by(tracer), span("settle", parent="not a parent"):
        pass
    tracer.close()

    assert [seen.parent for seen in collector.spans] == [""]


async def test_tasks_are_part_of_where_they_began(collector: Collector, tracer: OtelTracer) -> None:
    async def work() -> None:
        with span("task"):
            await asyncio.sleep(0)

    with traced_by(tracer), span("outer"):
        async with asyncio.TaskGroup() as group:
            group.create_task(work())
    await asyncio.to_thread(tracer.close)

    (outer,), (task,) = collector.named("outer"), collector.named("task")
    assert task.parent == outer.id


def test_an_error_is_noted_by_its_class_and_its_text_is_not_sent(
    collector: Collector, tracer: OtelTracer
) -> None:
    with pytest.raises(ValueError, match="hush"), traced_by(tracer), span("failing"):
        raise ValueError("hush, a secret")
    tracer.close()

    (seen,) = collector.spans
    assert seen.is_error
    assert "hush" not in repr(seen)


def test_a_collector_that_is_away_holds_nobody_up_for_ever() -> None:
    tracer = OtelTracer("http://127.0.0.1:9", service="s", instance="i")

    with traced_by(tracer), span("lost"):
        pass
    tracer.close()  # the test has a time-out


@dataclass(frozen=True)
class Fact:
    text: str


@component
class Team:
    @action(value=0.9)
    async def find(self) -> Fact:
        with span("call"):
            return Fact("found")

    @action(value=0.5)
    def look(self, fact: Fact) -> None:
        with span("call", thread=threading.current_thread().name):
            raise ValueError("no")


async def test_a_process_its_actions_and_what_they_call_are_one_tree(
    collector: Collector, tracer: OtelTracer
) -> None:
    clock = ManualClock()
    package = Package(name="team", components=(Team,), settings=None, goals=())
    platform = Platform(packages=[package], services={Clock: clock})
    boards = MemoryBoards(Codec(platform.catalog), clock)
    runner = Runner(platform=platform, boards=boards, clock=clock, owner="w")
    start = Start(process_id="p1", delivery="d", reaction="r", subject="s", facts=())

    with traced_by(tracer), runner:
        ran = await runner.run(start)
    await asyncio.to_thread(tracer.close)

    (process,) = collector.named("process")
    assert process.noted == {"process_id": "p1", "reaction": "r", "status": ran.head.status.value}
    find, look = sorted(collector.named("action"), key=lambda seen: str(seen.noted["action"]))
    assert (find.parent, look.parent) == (process.id, process.id)
    assert find.noted == {
        "component": "team",
        "action": "team.find",
        "outcome": "done",
        "attempts": 1,
    }
    assert look.noted["outcome"] == "failed"
    assert {seen.parent for seen in collector.named("call")} == {find.id, look.id}
