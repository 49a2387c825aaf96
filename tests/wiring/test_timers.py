"""Timers of the settings: put once, moved by nobody, and fired by a worker on real servers."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_timers import MemoryTimers
from reactor.delivery import Subject
from reactor.settings import Settings, load
from reactor.timer import Timer
from reactor.wiring.timers import set_timers
from reactor.wiring.worker import processor

CLOCK = ManualClock()
NOW = CLOCK.now()
MINUTE = timedelta(minutes=1)


def settings_of(folder: Path, timers: str, environ: dict[str, str] | None = None) -> Settings:
    file = folder / "reactor.yaml"
    file.write_text(f"timers: {timers}\nreactions: [{{name: sweeping, on: timer.sweep}}]\n")
    return load(file, environ or {})


async def due(timers: MemoryTimers) -> dict[str, float]:
    """Seconds from now until each is due."""
    return {timer.id: (timer.due_at - NOW).total_seconds() for timer in await timers.all()}


async def test_those_of_the_settings_are_put_and_starting_again_moves_none(tmp_path: Path) -> None:
    timers = MemoryTimers(CLOCK)
    settings = settings_of(
        tmp_path, "[{name: sweep, every_s: 60}, {name: nightly, cron: 0 3 * * *}]"
    )

    await set_timers(settings, timers, now=NOW)
    await set_timers(settings, timers, now=NOW + 0.5 * MINUTE)

    assert await due(timers) == {"settings:sweep": 60, "settings:nightly": 3 * 3600}


async def test_what_the_settings_say_no_more_is_cancelled_and_the_rest_is_left_alone(
    tmp_path: Path,
) -> None:
    timers = MemoryTimers(CLOCK)
    await set_timers(settings_of(tmp_path, "[{name: a, every_s: 60}]"), timers, now=NOW)
    form = Timer(
        id="form:p1-1", due_at=NOW + MINUTE, name="answer", subject=Subject(key="p1", name="p1")
    )
    await timers.put(form)

    await set_timers(settings_of(tmp_path, "[{name: b, every_s: 90}]"), timers, now=NOW)

    assert await due(timers) == {"form:p1-1": 60, "settings:b": 90}


async def test_another_schedule_counts_from_now(tmp_path: Path) -> None:
    timers = MemoryTimers(CLOCK)
    await set_timers(settings_of(tmp_path, "[{name: a, every_s: 60}]"), timers, now=NOW)

    await set_timers(settings_of(tmp_path, "[{name: a, every_s: 90}]"), timers, now=NOW)

    assert await due(timers) == {"settings:a": 90}


@pytest.fixture
def told() -> Iterator[LogCapture]:
    capture = LogCapture()
    structlog.configure(
        processors=[capture], wrapper_class=structlog.make_filtering_bound_logger("INFO")
    )
    yield capture
    structlog.reset_defaults()


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0.01)


@pytest.mark.kafka
@pytest.mark.redis
@pytest.mark.timeout(60)
async def test_a_worker_fires_a_timer_and_runs_the_reaction_that_names_it(
    tmp_path: Path, environ: dict[str, str], told: LogCapture
) -> None:
    short = {**environ, "REACTOR_KAFKA_SESSION_TIMEOUT_S": "6"}
    settings = settings_of(tmp_path, "[{name: sweep, every_s: 1}]", short)

    def settled() -> list[dict[str, object]]:
        return [dict(e) for e in told.entries if e["event"] == "delivery_settled"]

    async with processor(settings, owner="worker-1") as worker:
        await worker.start()
        await until(lambda: len(settled()) >= 2)
        await worker.stop()

    first, second, *_ = settled()
    assert first["event_name"] == second["event_name"] == "timer.sweep"
    assert first["delivery_id"] != second["delivery_id"]
    assert first["subject"] == "timer sweep"
    assert [list(each["processes"].values()) for each in (first, second)] == [  # type: ignore[attr-defined]
        ["TERMINATED"],
        ["TERMINATED"],
    ]
