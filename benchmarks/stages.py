"""Where a worker's time goes: the whole path in this process, under cProfile, by stage.

Shares are of the processor time of the thread that does the work; Faust reads from the broker in
one of its own.  A profiler costs many small functions more than a few large ones, so this tells
where to look, not how much there is to win.
"""

import asyncio
import cProfile
import os
import pstats
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from installation import Site, append_all, installed, writing
from throughput import servers

from reactor import logs
from reactor.cli.serving import run_serving
from reactor.delivery import Delivery
from reactor.settings import load
from reactor.topic import Position
from reactor.wiring.worker import processor, spare_collections

SIZE = 2_000  # bytes of a delivery
WARM_UP, PROFILED = 80, 300  # deliveries

# file, function: whose time, with all that it calls, is that of a stage
STAGES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "read: Faust, decode, facts": (
        ("streams/host.py", "_read"),
        ("transport/consumer.py", "_drain_messages"),
        ("streams/codec.py", "decode"),
        ("reactor/timed.py", "__call__"),
    ),
    "open: lease and load": (("adapters/redis_boards.py", "open"),),
    "begin: board, seeds": (("reactor/process.py", "__init__"),),
    "observe": (("reactor/world.py", "observe"),),
    "decide": (("reactor/process.py", "_choose"), ("reactor/process.py", "_move")),
    "act": (("reactor/acting.py", "run"),),
    "land and record": (("reactor/results.py", "settle"), ("reactor/process.py", "_rest")),
    "commit": (("adapters/redis_boards.py", "commit"),),
    "send to Redis, for all": (("adapters/redis_batches.py", "_fly"),),
    "publish decisions": (("streams/producer.py", "publish"),),
    "send to Kafka": (("producer/sender.py", "_send_produce_req"),),
    "log": (("structlog/_base.py", "_proxy_to_logger"),),
}


@dataclass
class Counting:
    """Says when so many deliveries are settled."""

    settled: int = 0

    async def until(self, count: int) -> None:
        """Wait for that."""
        while self.settled < count:  # noqa: ASYNC110 - the work goes on meanwhile
            await asyncio.sleep(0.02)


async def profiled(site: Site) -> pstats.Stats:
    """A worker over a backlog, once it has compiled what it needs."""
    async with writing(site) as log:
        await append_all(log, site.deliveries(WARM_UP + PROFILED))
    counting, profiler = Counting(), cProfile.Profile()
    async with processor(load(site.config, site.environ), owner="bench") as ready:
        settle = ready._settle

        async def counted(delivery: Delivery, position: Position) -> None:
            await settle(delivery, position)
            counting.settled += 1

        ready._settle = counted
        spare_collections()
        await ready.start()
        await counting.until(WARM_UP)
        profiler.enable()
        await counting.until(WARM_UP + PROFILED)
        profiler.disable()
        await ready.stop()
    return pstats.Stats(profiler)


def print_stages(scenario: str, stats: pstats.Stats) -> None:
    """The share of each stage, and of what is none of them."""
    table: dict[tuple[str, int, str], tuple[int, int, float, float]] = stats.stats  # type: ignore[attr-defined]
    whole = sum(own_s for _, _, own_s, *_ in table.values())
    print(f"\n{scenario:<32}{'share':>7}")
    left = whole
    for stage, functions in STAGES.items():
        seconds = sum(
            with_callees_s
            for (path, _, name), (_, _, _, with_callees_s, *_) in table.items()
            if any(path.endswith(file) and name == function for file, function in functions)
        )
        left -= seconds
        print(f"  {stage:<30}{seconds / whole:>7.0%}")
    print(f"  {'everything between them':<30}{left / whole:>7.0%}", flush=True)


async def main(environ: Mapping[str, str]) -> None:
    """Profile both scenarios."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "log").open("w") as log, redirect_stderr(log):
            logs.configure(level="info", style="json")
            await profile(environ, folder)


async def profile(environ: Mapping[str, str], folder: Path) -> None:
    """One table after the other."""
    installed(folder)
    sys.path.insert(0, str(folder))
    async with servers(environ) as (bootstrap, redis_url):
        for scenario in ("three", "triage"):
            site = Site(bootstrap, redis_url, folder, SIZE, scenario)
            print_stages(scenario, await profiled(site))


if __name__ == "__main__":
    run_serving(main(os.environ))  # noqa: TID251 - the one place where it is read
