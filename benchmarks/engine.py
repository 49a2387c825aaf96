"""Ticks a second in memory, as a ratio to calling the same actions directly.

Four events run through the community, duplicates, hello and triage packages.  `floor` calls the methods that
the engine chose, with the arguments that it passed, and nothing else; `threads` does the same
with sync methods in a thread, as the engine must run them so that they can't block it; `process`
is the engine (observe, decide, act, decision records); `runner` adds the store in memory, with
everything encoded as it is for Redis.  The four take turns, so that a busy moment of the machine
hits all of them; the median of the rounds counts.  Ratios are of processor time, which a
neighbour on the machine changes least; ticks a second are by the clock on the wall.

Then one run under cProfile says where the engine's own time goes.
"""

import asyncio
import cProfile
import pstats
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from inspect import isawaitable
from itertools import count
from operator import itemgetter
from pathlib import Path
from statistics import median

from reactor_community import COMPONENTS as COMMUNITY
from reactor_duplicates import COMPONENTS as DUPLICATES
from reactor_hello import COMPONENTS as HELLO
from reactor_triage import COMPONENTS as TRIAGE

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryBoards
from reactor.adapters.memory_changed_files import NoFilesToAsk
from reactor.adapters.memory_conversations import MemoryConversations
from reactor.adapters.memory_issues import MemoryIssues
from reactor.adapters.memory_timers import MemoryTimers
from reactor.ai import Ai
from reactor.ai.without import without_models
from reactor.codec import Codec
from reactor.community import ChangedFiles, CommunityStore, Conversations, IssueIndex
from reactor.execution import Execution, Executor
from reactor.github.effects import EFFECT_TYPES
from reactor.github.event import Event
from reactor.github.facts import FACT_TYPES, cause_of, facts_of
from reactor.installed import Action
from reactor.options import ProcessOptions
from reactor.package import Package
from reactor.platform import Platform
from reactor.process import Engine, Process
from reactor.recording import recording
from reactor.reminders import Reminders
from reactor.runner import Runner
from reactor.start import Start
from reactor.testing import account, event, issue, pull_request

ROUNDS = 7
ROUND_S = 0.6  # of each of the four, per round
MODULES_SHOWN = 14

URGENT = "Everything is down: data loss after the update, crash at start!"
PHASES = (
    ("observe", "world.py", "observe"),
    ("decide", "deciding.py", "choose"),
    ("act", "execution.py", "run"),
    ("land the result", "landing.py", "land"),
    ("write the record", "record.py", "tick"),
)


class EverNew:
    """Everybody is seen for the first time, in every run; fits the port `Firsts`."""

    async def claim_new(self, entity: str, *, purpose: str, process_id: str) -> bool:
        """Always."""
        return True


@dataclass(frozen=True)
class Call:
    """One call that the engine made."""

    action: Action
    arguments: Mapping[str, object]


class Recording(Executor):
    """Notes what is called with what."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    async def run(self, action: Action, arguments: Callable[[], Mapping[str, object]]) -> Execution:
        """As an executor does."""
        self.calls.append(Call(action, arguments()))
        return await super().run(action, arguments)


def new_platform() -> Platform:
    """The packages that label and answer, with nobody known yet, ever."""
    packages = {
        "community": COMMUNITY,
        "duplicates": DUPLICATES,
        "hello": HELLO,
        "triage": TRIAGE,
    }
    clock = SystemClock()
    services = {
        Ai: without_models(),
        ChangedFiles: NoFilesToAsk(),
        CommunityStore: CommunityStore(EverNew()),
        Conversations: MemoryConversations(),
        IssueIndex: IssueIndex(MemoryIssues()),
        Reminders: Reminders(MemoryTimers(clock)),
    }
    return Platform(
        packages=[Package(name=name, components=classes) for name, classes in packages.items()],
        services=recording(services),
        types=(*FACT_TYPES, *EFFECT_TYPES),
    )


def events() -> tuple[Event, ...]:
    """An urgent issue, one without a body, a large pull request, and a star."""
    return (
        event("issues.opened", issue=issue(URGENT, body="It crashes. " * 40)),
        event("issues.opened", issue=issue("Question", user=account("newcomer"))),
        event("pull_request.opened", pull_request=pull_request("Rewrite", changed_files=40)),
        event("star.created", starred_at="2026-03-01T10:00:00Z"),
    )


def start_for(event: Event) -> Start:
    """What the worker would start."""
    return Start(
        process_id="p-bench",
        delivery=f"{event.host}/{event.delivery_id}",
        reaction="bench",
        subject=event.subject_key,
        facts=facts_of(event),
        options=ProcessOptions(terminate_when_stuck=True),
        host=event.host,
        cause=cause_of(event),
        event=event.kind,
    )


class Bench:
    """The four ways to run the same actions; each call is one lap over all events."""

    def __init__(self, executor: Executor) -> None:
        self._platform, self._executor = new_platform(), executor
        self._starts = [start_for(event) for event in events()]
        self._engine = Engine(self._platform, SystemClock(), executor)
        self._codec = Codec(self._platform.catalog)
        self._numbers = count()
        self.calls: list[Call] = []

    async def record(self) -> None:
        """Let the engine choose once, and note what it calls."""
        with Recording() as recording:
            for start in self._starts:
                await Process(Engine(self._platform, SystemClock(), recording), start).run()
            self.calls = recording.calls

    async def floor(self) -> None:
        """The same methods, called."""
        for call in self.calls:
            found = call.action.call(**call.arguments)
            if isawaitable(found):
                await found

    async def threads(self) -> None:
        """The same methods, through the executor."""
        for call in self.calls:
            await self._executor.run(call.action, lambda call=call: call.arguments)  # type: ignore[misc]

    async def process(self) -> None:
        """The engine."""
        for start in self._starts:
            await Process(self._engine, start).run()

    async def runner(self) -> None:
        """The engine and the store."""
        clock = SystemClock()
        boards = MemoryBoards(self._codec, clock)
        runner = Runner(
            platform=self._platform,
            boards=boards,
            clock=clock,
            owner="bench",
            executor=self._executor,
        )
        for start in self._starts:
            await runner.run(replace(start, process_id=f"p-{next(self._numbers)}"))


@dataclass(frozen=True)
class Lap:
    """What one lap takes, in seconds."""

    wall_s: float
    cpu_s: float  # of all threads


async def time_laps(lap: Callable[[], Awaitable[None]]) -> Lap:
    """The mean of the laps that fit into `ROUND_S`."""
    wall_s, cpu_s, laps = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - wall_s < ROUND_S:
        await lap()
        laps += 1
    return Lap((time.perf_counter() - wall_s) / laps, (time.process_time() - cpu_s) / laps)


async def compare(bench: Bench) -> dict[str, Lap]:
    """The median lap of each way."""
    ways = {way.__name__: way for way in (bench.floor, bench.threads, bench.process, bench.runner)}
    rounds = [{name: await time_laps(way) for name, way in ways.items()} for _ in range(ROUNDS)]
    return {
        name: Lap(
            wall_s=median(each[name].wall_s for each in rounds),
            cpu_s=median(each[name].cpu_s for each in rounds),
        )
        for name in ways
    }


async def profile(bench: Bench) -> pstats.Stats:
    """The engine alone, for a second or two."""
    profiler = cProfile.Profile()
    started = time.perf_counter()
    while time.perf_counter() - started < 2:
        profiler.enable()
        await bench.process()
        profiler.disable()
    return pstats.Stats(profiler)


def module_of(path: str) -> str:
    """`/x/reactor/plan/utility.py` -> `reactor.plan.utility`; packages of others by their name."""
    parts = Path(path).with_suffix("").parts
    for root in (
        "reactor",
        "reactor_triage",
        "reactor_community",
        "reactor_duplicates",
        "reactor_hello",
    ):
        if root in parts:
            return ".".join(parts[parts.index(root) :])
    if "site-packages" in parts:
        return parts[parts.index("site-packages") + 1]
    return "asyncio" if "asyncio" in parts else "python and built-ins"


def print_profile(stats: pstats.Stats, ticks: int) -> None:
    """Shares of the time by phase and by module, without the waiting for threads."""
    table: dict[tuple[str, int, str], tuple[int, int, float, float]] = stats.stats  # type: ignore[attr-defined]
    own: dict[str, float] = defaultdict(float)
    phases: dict[str, float] = defaultdict(float)
    for (path, _, name), (_, _, own_s, with_callees_s, *_) in table.items():
        if "poll" in name and path == "~":
            continue  # nothing to do: a sync action runs in its thread
        own[module_of(path)] += own_s
        for phase, file, function in PHASES:
            if name == function and Path(path).parent.name == "reactor" and path.endswith(file):
                phases[phase] += with_callees_s
    whole, share = sum(own.values()), itemgetter(1)
    print(f"\nwhere the engine's time goes, under cProfile ({ticks} ticks a lap)")
    print(f"{'phase':<36}{'share':>7}    without its waiting for threads: act is its own")
    for phase, seconds in sorted(phases.items(), key=share, reverse=True):
        print(f"  {phase:<34}{seconds / whole:>7.0%}")
    print(f"{'module (own time)':<36}{'share':>7}")
    for module, seconds in sorted(own.items(), key=share, reverse=True)[:MODULES_SHOWN]:
        print(f"  {module:<34}{seconds / whole:>7.0%}")


async def main() -> None:
    """Measure, and print."""
    with Executor() as executor:
        bench = Bench(executor)
        await bench.record()
        ticks = len(bench.calls)
        laps = await compare(bench)
        print(f"{ROUNDS} rounds of {ROUND_S} s each; a lap is 4 processes, {ticks} ticks")
        print(f"{'':<12}{'ticks/s':>10}{'CPU us/tick':>13}{'x floor':>10}{'x threads':>11}")
        for name, lap in laps.items():
            ratios = f"{lap.cpu_s / laps['floor'].cpu_s:>10.1f}{lap.cpu_s / laps['threads'].cpu_s:>11.1f}"
            print(f"{name:<12}{ticks / lap.wall_s:>10,.0f}{lap.cpu_s / ticks * 1e6:>13.0f}{ratios}")
        print_profile(await profile(bench), ticks)


if __name__ == "__main__":
    asyncio.run(main())
