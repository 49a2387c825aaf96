"""Live effects: workers are killed at every step of sending; each change is made exactly once."""

import json
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import product

import pytest

from reactor.ledger import Fate
from reactor.testing import delivery, issue
from reactor.topic import DeliveryLog
from reactor.wiring.redis import redis_parts
from reactor.wiring.sending import make_ledger
from tests.fixtures.bell import Sink, install_bell
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.site import Site, until
from tests.fixtures.slow_site import deliveries

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(500),
]

LEASE_S = 2
LATER = datetime(2026, 6, 1, tzinfo=UTC).isoformat()


@dataclass
class Bells:
    """Workers that send, the topic that they read, and the sink that they change."""

    site: Site
    sink: Sink
    log: DeliveryLog
    seen: Outside
    numbers: dict[str, int] = field(default_factory=dict)
    replaced: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, name: str) -> subprocess.Popen[bytes]:
        return self.site.start_worker(name, "--config", str(self.site.folder / "reactor.yaml"))

    async def start_ready(self, name: str) -> subprocess.Popen[bytes]:
        worker = self.start(name)
        await until(lambda: self.site.is_ready(name), within_s=90)
        return worker

    async def replace_the_dead(self) -> None:
        """Start a new worker for each that was killed."""
        for number, worker in enumerate(list(self.site.processes)):
            if worker.poll() is not None and worker not in self.replaced:
                self.replaced.append(worker)
                await self.start_ready(f"worker-{number}-again")

    async def wish(self, title: str, id: str, **fields: object) -> None:
        """An issue of that title is opened; each title is a subject of its own."""
        number = self.numbers.setdefault(title, len(self.numbers) + 1)
        opened = issue(title, number=number, **fields)
        await self.log.append(delivery("issues.opened", id=id, issue=opened))

    async def fates(self, id: str) -> dict[str, Fate]:
        """By kind of effect, where those of a delivery stand."""
        found: dict[str, Fate] = {}
        for stored in await self.seen.processes(f"github.com/{id}"):
            async with redis_parts(self.seen.settings) as redis:
                ledger = make_ledger(self.seen.settings, redis, self.seen.platform)
                keys = {each.key: each.effect.kind for each in stored.effects}
                fates = await ledger.fates(stored.head.subject, keys)
            found |= {keys[key]: fate for key, fate in fates.items()}
        return found

    async def all_done(self, id: str) -> bool:
        fates = await self.fates(id)
        return len(fates) == 3 and all(fate.state == "done" for fate in fates.values())

    def caught(self, guard: str) -> int:
        """How often the workers have said that the guard caught something."""
        logs = [path.read_text() for path in self.site.folder.glob("worker-*.log")]
        lines = [json.loads(line) for log in logs for line in log.splitlines() if line[:1] == "{"]
        return sum(
            line.get("event") == "guard_caught" and line.get("guard") == guard for line in lines
        )


@asynccontextmanager
async def _bells(site: Site) -> AsyncIterator[Bells]:
    sink, names = install_bell(site.folder)
    site.environ = {**site.environ, **names}
    settings = {
        "reactions": [{"name": "bells", "on": "issues", "scope": ["bell"], "effects": "live"}],
        "repositories": {"*": {"without_file": "live"}},
        "worker": {"lease_s": LEASE_S},
    }
    (site.folder / "reactor.yaml").write_text(json.dumps(settings))
    async with AsyncExitStack() as stack:
        log = await stack.enter_async_context(deliveries(site))
        seen = await stack.enter_async_context(outside(site))
        yield Bells(site, sink, log, seen)


@pytest.fixture
async def bells(site: Site) -> AsyncIterator[Bells]:
    async with _bells(site) as found:
        yield found


async def test_a_worker_killed_while_it_sends_is_followed_by_one_that_looks_first(
    bells: Bells,
) -> None:
    """Killed before the change, the next worker makes it; killed after it, it finds it."""
    for name in ("worker-a", "worker-b"):
        await bells.start_ready(name)
    tries: dict[str, dict[str, int]] = {}

    for step, kind in product(("asked", "written"), ("mark", "say")):
        title = f"{step} {kind}"
        bells.sink.kill_at(step, f"{kind}-{title}")
        await bells.wish(title, f"{step}-{kind}")
        await until(lambda id=f"{step}-{kind}": bells.all_done(id), within_s=90)  # type: ignore[misc]
        fates = await bells.fates(f"{step}-{kind}")
        tries[title] = {found: fate.attempts for found, fate in fates.items()}
        await bells.replace_the_dead()

    assert tries == {
        "asked mark": {"Mark": 2, "Say": 1, "Welcome": 1},
        "asked say": {"Mark": 1, "Say": 2, "Welcome": 1},
        "written mark": {"Mark": 2, "Say": 1, "Welcome": 1},
        "written say": {"Mark": 1, "Say": 2, "Welcome": 1},
    }
    assert all(bells.sink.of(title) == ["mark", "say"] for title in tries)
    assert Counter(line["kind"] for line in bells.sink.lines)["welcome"] == 4
    assert bells.caught("ledger") == 1  # the note that was written and found again


async def test_what_was_intended_when_its_worker_was_killed_is_sent_in_order_by_the_next(
    bells: Bells,
) -> None:
    bells.sink.hold("it crashes")
    first = await bells.start_ready("worker-a")
    await bells.wish("it crashes", "d-1")

    async def is_sending() -> bool:
        fates = await bells.fates("d-1")
        return {kind: fate.state for kind, fate in fates.items()} == {
            "Mark": "sending",
            "Say": "intended",
            "Welcome": "intended",
        }

    await until(is_sending, within_s=90)
    first.kill()
    bells.sink.let_go("it crashes")
    bells.start("worker-b")
    await until(lambda: bells.all_done("d-1"), within_s=90)

    assert [line["kind"] for line in bells.sink.lines] == ["mark", "say", "welcome"]


async def test_a_second_hook_and_a_re_read_record_change_nothing_a_later_wish_does(
    bells: Bells,
) -> None:
    first = await bells.start_ready("worker-a")
    await bells.wish("it crashes", "d-1")
    await until(lambda: bells.all_done("d-1"), within_s=90)
    first.kill()  # with luck before it has committed its offset: then the record is read again
    await bells.start_ready("worker-b")

    await bells.wish("it crashes", "d-2")  # the same happened, under another id
    await bells.wish("it crashes", "d-1")  # and the record lies on the topic once more
    await until(lambda: bells.all_done("d-2"), within_s=90)
    after_repeats = bells.sink.of("it crashes")
    await bells.wish("it crashes", "d-3", updated_at=LATER)  # somebody does it again
    await until(lambda: bells.all_done("d-3"), within_s=90)

    assert after_repeats == ["mark", "say"]
    assert bells.sink.of("it crashes") == ["mark", "say", "say"]
    assert Counter(line["kind"] for line in bells.sink.lines)["welcome"] == 1
    (stored,) = await bells.seen.processes("github.com/d-1")
    fates = await bells.fates("d-2")
    assert {fate.process_id for fate in fates.values()} == {stored.head.id}
    assert bells.caught("ledger") == 4  # all three of d-2, and the welcome of d-3
