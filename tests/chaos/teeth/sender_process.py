"""Takes one effect of one process and sends it, in a process of its own that dies on the way.

    python -m tests.chaos.teeth.sender_process REDIS_URL PREFIX FOLDER ledger|bare CAUSE DELIVERY

The change is a line in FOLDER/comments, with the key of the effect as its marker.  `bare` sends
without a ledger: nobody knows there what was begun before, so nobody looks.  Where FOLDER has a file

    kill    the process kills itself right after its change, before anybody is told of it
    stop    it stops itself (SIGSTOP) right before its change, after all that it looks at

and takes the file away first, so that the next one goes on.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reactor import (
    AlreadyDone,
    Attempt,
    Effect,
    Package,
    Platform,
    ProcessHead,
    component,
    executes,
)
from reactor.adapters.clock import SystemClock
from reactor.effect import EffectRecord, effect_key
from reactor.settings import Settings, load
from reactor.status import process_id
from reactor.wiring.redis import redis_parts
from reactor.wiring.sending import SendingParts, make_ledger, sending

SUBJECT = "github.com/1296269#7"


class Comment(Effect):
    """A comment."""

    text: str


@dataclass(frozen=True)
class Wall:
    """Where comments are."""

    folder: Path

    @property
    def comments(self) -> list[str]:
        """Their markers."""
        file = self.folder / "comments"
        return file.read_text().split() if file.exists() else []

    def write(self, marker: str) -> None:
        """One more."""
        self._fall("stop", signal.SIGSTOP)
        handle = os.open(self.folder / "comments", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{marker}\n".encode())
        os.close(handle)
        self._fall("kill", signal.SIGKILL)

    def _fall(self, how: str, number: signal.Signals) -> None:
        order = self.folder / how
        if order.exists():
            order.unlink()
            os.kill(os.getpid(), number)


@component(name="wall", effects=(Comment,))
class Commenting:
    """Writes on the wall."""

    def __init__(self, wall: Wall) -> None:
        self._wall = wall

    @executes
    async def comment(self, effect: Comment, attempt: Attempt) -> object:
        """Look first where an earlier try may have got through."""
        if attempt.may_be_done and attempt.key in self._wall.comments:
            return AlreadyDone(attempt.key)
        self._wall.write(attempt.key)
        return effect.text


class Bare:
    """The guard, off: what is wished for is done, each time that it is wished for."""

    def __init__(self, wall: Wall) -> None:
        self._wall = wall

    async def take(self, head: ProcessHead, effects: Sequence[EffectRecord]) -> None:
        """Do it."""
        for record in effects:
            self._wall.write(record.key)


def wish(cause: str, delivery: str) -> tuple[ProcessHead, EffectRecord]:
    """A process that wants a comment because of `cause`; and the comment."""
    now, effect = datetime(2026, 1, 1, tzinfo=UTC), Comment(text="heard")
    head = ProcessHead(
        id=process_id(delivery=delivery, reaction="notes"),
        delivery=delivery,
        reaction="notes",
        subject=SUBJECT,
        agent="reactor",
        planner="utility",
        created_at=now,
        updated_at=now,
        host="github.com",
        cause=cause,
    )
    record = EffectRecord(
        key=effect_key(effect, host="github.com", subject=SUBJECT, cause=cause),
        effect=effect,
        subject=SUBJECT,
        action="wall.note",
        mode="live",
        state="intended",
    )
    return head, record


async def main(words: Sequence[str]) -> None:
    """Have it taken, and wait until it is done."""
    url, prefix, folder, manner, cause, delivery = words
    wall, clock = Wall(Path(folder)), SystemClock()
    head, record = wish(cause, delivery)
    if manner == "bare":
        await Bare(wall).take(head, [record])
        return
    settings = _settings(url, prefix)
    package = Package(name="wall", components=(Commenting,))
    platform = Platform(packages=[package], services={Wall: wall})
    async with redis_parts(settings) as redis:
        ledger, owner = make_ledger(settings, redis, platform), str(os.getpid())
        parts = SendingParts(platform=platform, ledger=ledger, clock=clock, owner=owner)
        async with sending(settings, parts) as sender:
            await sender.take(head, [record])
            while await ledger.subjects_waiting():  # noqa: ASYNC110 - the ledger may be another's
                await asyncio.sleep(0.05)


def _settings(url: str, prefix: str) -> Settings:
    """With a turn that is over soon after who had it was killed."""
    settings = load(None, {"REDIS_URL": url, "REACTOR_REDIS_PREFIX": prefix})
    worker = settings.worker.model_copy(update={"lease_s": 1.0})
    return settings.model_copy(update={"worker": worker})


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
