"""Recorded deliveries replayed on the embedded default: rate, memory, and that nothing else happens.

    record    the real worker of a `reactor up` settles N issues, with the packages that are shipped
    same      all of them are replayed by the same version: nothing may differ
    what if   again with another `urgent_at`: those differ, and only those, whose urgency lies
              between the two thresholds by triage's own rules, which are asked here directly

benchmarks/replay.py [N [M]]   N recorded deliveries, of which memory is read at M and at the end

The floor is the same engine over the same deliveries without a journal to compare with and
without a folder: what is left is the price of a replay.  Beside it are told: the offsets of the
live group before and after, and the keys in Redis, where every effect that is executed and every
process that is run leaves some.
"""

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from installation import SECRET, Told, append_all, reactor
from reactor_triage.rules import Rules
from reactor_triage.settings import TriageSettings

from reactor.adapters.memory_records import MemoryRecords
from reactor.delivery import Delivery
from reactor.settings import Settings, load
from reactor.testing import account, delivery, issue
from reactor.topic import Topics
from reactor.wiring.kafka import bootstrap_of, kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.replay_engine import replay_engine
from reactor.wiring.servers import Place, Up, running
from streams.reader import open_reader

COUNT, EARLY = 10_000, 1_000
FLOOR = 300  # deliveries that the floor replays
OTHERWISE = 0.4  # the other threshold; the usual one is that of the settings
LINE = re.compile(
    r"replay: deliveries=(\d+) processes=(\d+) same=(\d+) different=(\d+) failed=(\d+)"
)
TEXTS = (
    "The sledge pulls to the left after a while.",
    "It crashes at start.",
    "The update has lost all our data, and nobody can work.",
    "Security: anybody can read the private keys. This is urgent!",
    "Please add a dark theme, no hurry.",
    "A typo in the docs.",
    "Regression: it worked in 1.2, and in 1.3 it hangs. Blocks our release.",
)


@dataclass(frozen=True)
class Ran:
    """What one replay told, and what it took."""

    summary: Sequence[int]  # deliveries, processes, same, different, failed
    rate: float
    early_mb: float  # memory at `EARLY` deliveries
    end_mb: float


def deliveries(count: int) -> list[Delivery]:
    """New issues of some hundred authors, in various moods."""
    return [_delivery(number) for number in range(1, count + 1)]


def _delivery(number: int) -> Delivery:
    text = TEXTS[number % len(TEXTS)]
    opened = issue(text[:60], number=number, id=number, body=text * (1 + number % 3))
    author = account(f"u{number % 300}", id=1000 + number % 300)
    return delivery(
        "issues.opened", id=f"replayed-{number}", issue={**opened, "user": author}, sender=author
    )


def expected(several: Sequence[Delivery]) -> set[str]:
    """Keys of the deliveries that another threshold makes another case of."""
    settings = TriageSettings()
    rules = Rules(settings.labels, most_labels=settings.most_labels)
    found = set[str]()
    for each in several:
        told = each.payload["issue"]
        assert isinstance(told, dict)
        urgency = rules.judge(told["title"], told["body"]).urgency
        if OTHERWISE < urgency <= settings.urgent_at:
            found.add(each.key)
    return found


async def record(up: Up, place: Place, several: Sequence[Delivery]) -> float:
    """Let the real worker settle them; seconds that it took."""
    begun = time.perf_counter()
    settings = load(up.config, {**up.environ, **place.environ}, {"gateway.produce_timeout_s": 60})
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
    ):
        ids = await append_all(kafka.deliveries, several)
    told, left = Told(up.data / "logs" / "worker.log"), set(ids)
    while left := left - told.look().keys():  # noqa: ASYNC110 - others go on
        await asyncio.sleep(0.2)
    return time.perf_counter() - begun


async def replayed(up: Up, run: str, *options: str, early: int) -> Ran:
    """Run the command, and look at its memory on the way."""
    words = [*reactor("replay", "--data", str(up.data), "--id", run, "--show", "0"), *options]
    config = ["--config", str(up.config)]
    process = await asyncio.create_subprocess_exec(
        *words, *config, stdout=asyncio.subprocess.PIPE, env={**up.environ}
    )
    assert process.stdout is not None
    reading = asyncio.create_task(process.stdout.read())
    progress, early_mb, end_mb = up.data / "replays" / run / "progress.json", 0.0, 0.0
    while process.returncode is None and not reading.done():
        with_files = progress.is_file() and json.loads(progress.read_bytes())["read"]
        try:
            end_mb = max(end_mb, psutil.Process(process.pid).memory_info().rss / 1e6)
        except psutil.NoSuchProcess:
            break
        if not early_mb and with_files and with_files >= early:
            early_mb = end_mb
        await asyncio.sleep(0.2)
    last = (await reading).decode().strip().splitlines()[-1]
    await process.wait()
    found = LINE.match(last)
    assert found, last
    rate = float(last.partition("rate=")[2].removesuffix("/s"))
    return Ran([int(each) for each in found.groups()], rate, early_mb, end_mb)


async def floor(settings: Settings, several: Sequence[Delivery]) -> float:
    """Deliveries a second by the engine alone."""
    async with replay_engine(settings, MemoryRecords()) as engine:
        await engine.replaying.replay(several[0])  # what is made once
        begun = time.perf_counter()
        for each in several[:FLOOR]:
            await engine.replaying.replay(each)
        return min(FLOOR, len(several)) / (time.perf_counter() - begun)


async def committed(settings: Settings) -> None:
    """Return once the live group has committed all that it has settled."""
    topic = Topics(settings.kafka.prefix).deliveries
    async with open_reader(bootstrap_of(settings), group=settings.kafka.group) as reader:
        while True:
            extents = await reader.extents(topic)
            offsets = await reader.committed(extents)
            if all(extent.end == (offsets[each] or 0) for each, extent in extents.items()):
                return
            await asyncio.sleep(0.2)


async def standing(settings: Settings) -> tuple[Mapping[str, int | None], int]:
    """Committed offsets of the live group, and how many keys are in Redis."""
    topic = Topics(settings.kafka.prefix).deliveries
    async with open_reader(bootstrap_of(settings), group=settings.kafka.group) as reader:
        offsets = await reader.committed(await reader.extents(topic))
    async with redis_parts(settings) as redis:
        keys = int(await redis.client.dbsize())
    return {str(partition.number): offset for partition, offset in offsets.items()}, keys


def differing(up: Up, run: str) -> set[str]:
    """The deliveries that differ, by its results."""
    with (up.data / "replays" / run / "results.jsonl").open("rb") as lines:
        found = [json.loads(line) for line in lines]
    return {each["delivery"] for each in found if each["verdict"] == "different"}


async def main(count: int, early: int) -> int:
    """Measure, print, and say whether all was as it has to be."""
    with TemporaryDirectory() as folder:
        up, several = _up(Path(folder)), deliveries(count)
        async with running(up) as (place, _):
            took_s = await record(up, place, several)
            print(f"recorded by the real worker: {count} in {took_s:.0f} s, {count / took_s:.0f}/s")
            settings = load(up.config, {**up.environ, **place.environ})
            up = _knowing(up, place)
            await committed(settings)
            before = await standing(settings)
            same = await replayed(up, "same", early=early)
            change = f"components.triage.urgent_at={OTHERWISE}"
            other = await replayed(up, "what-if", "--set", change, early=early)
            after = await standing(settings)
            alone = await floor(settings, several)
        wanted, found = expected(several), differing(up, "what-if")
    for name, ran in (("same version", same), (change, other)):
        print(
            f"{name}: {ran.rate:.0f}/s, different {ran.summary[3]}, failed {ran.summary[4]},"
            f" {ran.early_mb:.0f} MB at {early}, {ran.end_mb:.0f} MB at {count}"
        )
    print(f"floor, the engine alone: {alone:.0f}/s; a replay is {same.rate / alone:.2f} of it")
    print(f"expected differences {len(wanted)}, found {len(found)}, equal: {wanted == found}")
    print(f"live group's offsets unchanged: {before[0] == after[0]} ({after[0]})")
    print(f"keys in Redis before and after: {before[1]}, {after[1]}")
    is_fine = (
        same.summary[:5] == [count, count, count, 0, 0]
        and wanted == found
        and before[0] == after[0]
    )
    return 0 if is_fine else 1


def _up(folder: Path) -> Up:
    config = folder / "reactor.yaml"
    config.write_text('reactions: [{name: everything, on: "*", terminate_when_stuck: true}]')
    environ = {**os.environ, "GITHUB_WEBHOOK_SECRET": SECRET, "LOG_LEVEL": "info"}  # noqa: TID251
    environ = {
        k: v for k, v in environ.items() if k not in ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL")
    }
    settings = load(config, environ)
    gateway = settings.gateway.model_copy(update={"port": 0})
    return Up(
        settings=settings.model_copy(update={"gateway": gateway}),
        config=config,
        data=folder / "data",
        environ=environ,
        has_console=False,
        quiet=True,
    )


def _knowing(up: Up, place: Place) -> Up:
    """With the servers in the environment, for commands."""
    environ = {**up.environ, **place.environ, "REACTOR_DATA": str(up.data)}
    return Up(settings=up.settings, config=up.config, data=up.data, environ=environ)


if __name__ == "__main__":
    told = [int(word) for word in sys.argv[1:]]
    sys.exit(asyncio.run(main(*(told + [COUNT, EARLY][len(told) :]))))
