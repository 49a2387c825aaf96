"""The chaos suite: a whole installation under load, everything that can go wrong, and a verdict.

    python -m tests.chaos.run --seed 7 --deliveries 2000

Prints one line, and exits with 1 if anything was lost, done twice or out of order, if the dead
are not the planted ones, or if a guard had nothing to catch (then it was not tested).  What goes
on is told on standard error.  See README.md beside this file.
"""

import argparse
import asyncio
import logging
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random  # noqa: TID251 - seeded: one seed draws the same again

import httpx
import structlog
from redis.asyncio import Redis

from reactor.topic import Topics
from tests.chaos import caught, poison
from tests.chaos.faults import Breaker, draw
from tests.chaos.field import Field, Size, running
from tests.chaos.judge import Verdict, judge
from tests.chaos.outlook import Outlook, Told, outlook
from tests.chaos.sender import Sender
from tests.chaos.thinking import Thinking
from tests.chaos.traffic import Amount, Shot, Wish, body_of, plan
from tests.fixtures.site import post

_CONFLICT = Wish(number=900_001, issue=900_001, label="red", on=True)
_EXPLODES = Wish(number=900_002, issue=900_002, label="red", on=True, explodes=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asks for."""

    seed: int
    amount: Amount
    faults: int
    settle_s: float
    folder: Path
    keep: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of it."""

    accepted: int
    verdict: Verdict
    dead: int
    faults: int
    caught: dict[str, int]

    @property
    def idle(self) -> list[str]:
        """Guards that caught nothing."""
        return [guard for guard, times in self.caught.items() if not times]

    def line(self, seed: int) -> str:
        """The one line."""
        verdict = self.verdict
        guards = ",".join(f"{guard}:{times}" for guard, times in self.caught.items())
        return (
            f"chaos: seed={seed} accepted={self.accepted} finished={verdict.finished}"
            f" lost={len(verdict.lost)} twice={len(verdict.twice)}"
            f" out_of_order={len(verdict.out_of_order)} dead={self.dead} faults={self.faults}"
            f" caught={guards}"
        )


class Teller:
    """Says on standard error what goes on, and when."""

    def __init__(self) -> None:
        self._began_s = time.monotonic()

    def __call__(self, text: str) -> None:
        sys.stderr.write(f"{time.monotonic() - self._began_s:6.1f} s  {text}\n")


async def chaos(asked: Asked, tell: Teller) -> Result:
    """One run."""
    rng = Random(asked.seed)
    shots = _with_special(plan(rng, asked.amount), asked.amount)
    async with running(asked.folder, Size(seed=asked.seed)) as field:
        tell(f"everything runs; {len(shots)} POSTs over {asked.amount.over_s:.0f} s")
        await _conflict(field)
        faults = draw(rng, count=asked.faults, over_s=asked.amount.over_s, workers=field.workers)
        plant_after_s = asked.amount.over_s * rng.random()
        sender = Sender(field.url)
        async with _breaker(field, tell) as breaker, asyncio.TaskGroup() as group:
            telling = group.create_task(_tell_progress(sender, tell))
            async with asyncio.TaskGroup() as work:
                work.create_task(sender.run(shots))
                work.create_task(breaker.run(faults))
                work.create_task(_plant(field, plant_after_s))
            telling.cancel()
        tell(f"all is sent and mended; answers: {sender.answers}")
        async with outlook(field) as looking:
            told = _told(sender, shots)
            verdict, dead = await _verdict(looking, told, asked.settle_s, tell)
        for actor in field.actors.values():
            tell(f"{actor.name}: {actor.lives} lives, {actor.fell} of them begun after it fell")
        return Result(
            accepted=len(sender.accepted),
            verdict=verdict,
            dead=dead,
            faults=breaker.done,
            caught=caught.count(field.logs),
        )


def _with_special(shots: Sequence[Shot], amount: Amount) -> list[Shot]:
    """The shots, and two that are to end badly."""
    special = [
        Shot(at_s=0, delivery="c-1", wish=_CONFLICT, kind="first"),
        Shot(at_s=amount.over_s / 2, delivery="d-break", wish=_EXPLODES, kind="first"),
    ]
    return sorted([*shots, *special], key=lambda shot: shot.at_s)


@asynccontextmanager
async def _breaker(field: Field, tell: Teller) -> AsyncIterator[Breaker]:
    redis = Redis.from_url(field.redis_url, decode_responses=True)
    try:
        yield Breaker(field, Thinking(field.folder / "begun.jsonl", redis), tell)
    finally:
        await redis.aclose()


async def _conflict(field: Field) -> None:
    """An id that comes with another body, while nothing is broken."""
    other = Wish(number=900_003, issue=900_001, label="blue", on=True)
    async with httpx.AsyncClient(base_url=field.url, timeout=20) as client:
        for wish in (_CONFLICT, other):
            (await post(client, "issue_comment", body_of(wish), "c-1")).raise_for_status()


async def _plant(field: Field, after_s: float) -> None:
    """Each kind once; again where the broker was being restarted and nobody knows."""
    await asyncio.sleep(after_s)
    for kind in poison.RECORDS:
        while not await poison.is_planted(field.bootstrap, Topics().deliveries, kind):  # noqa: ASYNC110 - the broker comes back
            await asyncio.sleep(1)


async def _tell_progress(sender: Sender, tell: Teller) -> None:
    while True:
        await asyncio.sleep(15)
        tell(f"accepted {len(sender.accepted)}")


def _told(sender: Sender, shots: Sequence[Shot]) -> Told:
    return Told(
        accepted=frozenset(sender.accepted),
        wishes={shot.delivery: shot.wish for shot in shots},
        planted=frozenset({"conflict c-1", "failed d-break"}),
    )


async def _verdict(
    looking: Outlook, told: Told, settle_s: float, tell: Teller
) -> tuple[Verdict, int]:
    """Wait until nothing is missing, or for `settle_s`; then judge."""
    deadline_s = time.monotonic() + settle_s
    said_s = 0.0
    while time.monotonic() < deadline_s:
        left = await looking.unfinished(told.accepted)
        verdict = judge(seen := await looking.seen(told)) if not left else None
        if verdict and not verdict.lost and seen.planted <= set(seen.letters):
            break
        if time.monotonic() - said_s > 10:
            said_s = time.monotonic()
            tell(f"{len(left)} deliveries are unfinished" if left else "the sink is behind")
        await asyncio.sleep(1)
    await asyncio.sleep(3)  # in which a change that is one too many would arrive
    seen = await looking.seen(told)
    return judge(seen), len(seen.letters)


def _report(result: Result, asked: Asked, tell: Teller) -> int:
    verdict = result.verdict
    for fault in verdict.faults[:50]:
        tell(fault)
    for call in verdict.late:
        tell(f"late, and nobody's fault: {call}")
    if result.idle:
        tell(f"not tested, for it had nothing to catch: {', '.join(result.idle)}")
    sys.stdout.write(result.line(asked.seed) + "\n")
    is_good = not verdict.faults and not result.idle
    if not is_good or asked.keep:
        tell(f"logs and data: {asked.folder}")
    else:
        shutil.rmtree(asked.folder)
    return 0 if is_good else 1


def _asked(words: Sequence[str] | None = None) -> Asked:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deliveries", type=int, default=2_000)
    parser.add_argument("--subjects", type=int, default=200)
    parser.add_argument("--over", type=float, default=240, help="seconds of sending and breaking")
    parser.add_argument("--faults", type=int, default=32)
    parser.add_argument("--settle", type=float, default=180, help="seconds to come to rest in")
    parser.add_argument("--folder", type=Path, help="empty; for logs and data")
    parser.add_argument("--keep", action="store_true", help="leave it there")
    given = parser.parse_args(words)
    folder = given.folder or Path(tempfile.mkdtemp(prefix=f"chaos-{given.seed}-"))
    return Asked(
        seed=given.seed,
        amount=Amount(deliveries=given.deliveries, subjects=given.subjects, over_s=given.over),
        faults=given.faults,
        settle_s=given.settle,
        folder=folder.resolve(),
        keep=given.keep,
    )


def main() -> int:
    """Run, tell, and say how it went."""
    asked, tell = _asked(), Teller()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)  # a broker goes away here
    result = asyncio.run(chaos(asked, tell))
    return _report(result, asked, tell)


if __name__ == "__main__":
    sys.exit(main())
