"""Workers that come and go under load: nothing lost, nothing twice, subjects in order, no stand-still.

What is measured is printed (`pytest -s`): how long each took to end, and the longest time in
which nothing was settled.
"""

import asyncio
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, pairwise

import pytest

from reactor.ports import Stored
from reactor.topic import DeliveryLog
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.site import Site, terminate, until
from tests.fixtures.slow_site import (
    HOST,
    deliveries,
    is_finished,
    send,
    start_worker,
    with_slow_component,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(400),
]

SUBJECTS = 12
WORK_S = 0.05  # of one delivery
PAUSE_S = 0.06  # between two deliveries: what one worker can keep up with
BOUND_S = 20  # of a worker's end: drain (1 s), 10 s, and some for a busy machine


@dataclass
class Load:
    """Deliveries that are written all the time, in order per subject."""

    log: DeliveryLog
    ids: list[str] = field(default_factory=list)

    async def run(self) -> None:
        for n in count():
            await send(self.log, f"wait {WORK_S}", f"d-{n}", number=1 + n % SUBJECTS)
            self.ids.append(f"d-{n}")
            await asyncio.sleep(PAUSE_S)

    def subject(self, number: int) -> list[str]:
        return self.ids[number::SUBJECTS]


@dataclass
class Stage:
    """Workers under load, and somebody who looks from outside."""

    site: Site
    seen: Outside
    load: Load
    ends_s: list[float] = field(default_factory=list)

    async def join(self, *names: str) -> list[subprocess.Popen[bytes]]:
        workers = [start_worker(self.site, name) for name in names]
        await until(lambda: all(map(self.site.is_ready, names)), within_s=90)
        return workers

    async def end(self, worker: subprocess.Popen[bytes]) -> None:
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        terminate(worker)
        assert await asyncio.to_thread(worker.wait, BOUND_S) == 0
        self.ends_s.append(loop.time() - begun_s)

    async def goes_on(self, more: int = 10) -> None:
        """Return when so many that are written from now on were settled."""
        first = len(self.load.ids)
        await until(lambda: len(self.load.ids) >= first + more)
        for id in self.load.ids[first : first + more]:
            await until(lambda id=id: is_finished(self.seen, id), within_s=90)  # type: ignore[misc]


@asynccontextmanager
async def stage_of(site: Site) -> AsyncIterator[Stage]:
    """Under load for as long as the context lasts; then everything must be settled, and right."""
    with_slow_component(site, concurrency=8)
    async with outside(site) as seen, deliveries(site) as log:
        stage = Stage(site, seen, Load(log))
        writing = asyncio.create_task(stage.load.run())
        try:
            yield stage
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
        found = {id: await settled(seen, id) for id in stage.load.ids}
        check(stage, found)
        assert await seen.records(seen.topics.dead) == []


async def settled(seen: Outside, id: str) -> Stored:
    await until(lambda: is_finished(seen, id), within_s=120)
    (stored,) = await seen.processes(f"{HOST}/{id}")
    return stored


def check(stage: Stage, found: dict[str, Stored]) -> None:
    """Nothing twice, subjects in order; and print what was measured."""
    for stored in found.values():
        done = Counter(run.action for run in stored.history if run.outcome == "done")
        assert done == {"slow.wait": 1}
    for number in range(SUBJECTS):
        heads = [found[id].head for id in stage.load.subject(number)]
        for before, after in pairwise(heads):
            assert before.updated_at <= after.created_at, (before.delivery, after.delivery)
    ends = sorted(stored.head.updated_at for stored in found.values())
    still_s = max((after - before).total_seconds() for before, after in pairwise(ends))
    by: dict[str, int] = {}
    for name in ("one", "two", "three", "four", "five", "six"):
        with suppress(FileNotFoundError):
            by[name] = stage.site.log(name).count('"delivery_settled"')
    print(  # noqa: T201 - for whoever runs it with -s
        f"\nrolling: deliveries={len(found)} twice=0 out_of_order=0 "
        f"longest_stand_still_s={still_s:.1f} "
        f"ends_s={[round(s, 1) for s in stage.ends_s]} settled_by={by}"
    )


async def test_workers_are_replaced_one_after_the_other_under_load(site: Site) -> None:
    async with stage_of(site) as stage:
        old = await stage.join("one", "two", "three")
        await stage.goes_on()

        for worker, name in zip(old, ("four", "five", "six"), strict=True):
            await stage.end(worker)
            await stage.join(name)
            await stage.goes_on()


async def test_workers_are_added_and_taken_away_under_load(site: Site) -> None:
    async with stage_of(site) as stage:
        await stage.join("one")
        await stage.goes_on()

        others = await stage.join("two", "three")
        await stage.goes_on()
        for worker in others:
            await stage.end(worker)
            await stage.goes_on()
