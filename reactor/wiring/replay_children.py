"""Replays that the console has begun: each a `reactor replay` of its own, ended with the console.

A child that is ended leaves its folder behind, from which it can go on.
"""

import asyncio
import secrets
import shutil
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reactor.censoring import Censor
from reactor.children import Child, ChildFailed, Running, start
from reactor.ports import Clock
from reactor.replay.folder import Run, Runs
from reactor.web.console.replays import AskedReplay, NotBegun

COMMAND = (sys.executable, "-m", "reactor", "replay")
MOST = 2  # at once: each keeps a processor busy
_LOG = "console.log"  # in the folder of the run
_LONGEST_LOG = 4_000  # characters of what a child has said that are looked at
_GRACE_S = 5.0  # what it found so far is written down each second
_BEGIN_S = 60.0  # imports, and settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayStart:
    """How a child is begun."""

    environ: Mapping[str, str] = field(default_factory=dict)
    config: Path | None = None
    command: Sequence[str] = COMMAND  # what is run, with the options behind it
    censor: Censor = field(default_factory=Censor)  # knows the secrets that a child may tell of


class ReplayChildren:
    """Fits the port `Replays`."""

    def __init__(self, data: Path, clock: Clock, how: ReplayStart) -> None:
        self._data, self._clock, self._how = data, clock, how
        self._running: dict[str, Running] = {}
        self._lock = asyncio.Lock()

    @property
    def runs(self) -> Runs:
        """Their folders."""
        return Runs(self._data)

    async def begin(self, asked: AskedReplay) -> str:
        """Begin one; its id.  Raises `NotBegun`."""
        run = self.runs.run(f"{self._clock.now():%Y%m%dT%H%M%S}-{secrets.token_hex(2)}")
        at = self._how.config
        config = [f"--config={at.absolute()}"] if at else []
        await self._start(run, [f"--id={run.id}", *config, *_options(asked)])
        return run.id

    async def go_on(self, run: str) -> None:
        """Go on with one that was stopped.  Raises `NotBegun`, `UnknownRun`."""
        found = self.runs.run(run)
        await asyncio.to_thread(lambda: found.request)  # whether there is one
        await self._start(found, [f"--resume={found.id}"])

    async def stop(self, run: str) -> bool:
        """Stop one that was begun here."""
        child = self._running.pop(run, None)
        if child is None or not child.is_alive:
            return False
        await child.stop()
        return True

    async def close(self) -> None:
        """End all of them, also one that is just being begun."""
        async with self._lock, asyncio.TaskGroup() as group:
            for child in self._running.values():
                group.create_task(child.stop())
        self._running.clear()

    async def _start(self, run: Run, options: list[str]) -> None:
        async with self._lock:
            self._running = {name: each for name, each in self._running.items() if each.is_alive}
            if run.id in self._running or await asyncio.to_thread(lambda: run.is_at_work):
                raise NotBegun("it is running already")
            if len(self._running) >= MOST:
                raise NotBegun(f"{MOST} replays run already; wait until one is done, or stop one")
            await asyncio.to_thread(run.folder.mkdir, parents=True, exist_ok=True)
            log = run.folder / _LOG
            await asyncio.to_thread(log.write_bytes, b"")

            was_begun = await asyncio.to_thread(lambda: run.is_begun)

            def has_begun() -> bool:
                return run.is_begun and (not was_begun or run.is_at_work or run.is_done)

            async def is_ready() -> bool:
                return await asyncio.to_thread(has_begun)

            child = Child(
                name="replay",
                # values stand with their option, so that none can be an option itself
                argv=[
                    *self._how.command,
                    *(f"--data={self._data.absolute()}", *options),
                ],
                is_ready=is_ready,
                log=log,
                grace_s=_GRACE_S,
                start_timeout_s=_BEGIN_S,
            )
            try:
                self._running[run.id] = await start(child, self._how.environ)
            except ChildFailed as failed:
                why = await asyncio.to_thread(_last_words, log, self._how.censor) or str(failed)
                if not was_begun:
                    await asyncio.to_thread(shutil.rmtree, run.folder, ignore_errors=True)
                raise NotBegun(why) from failed


@asynccontextmanager
async def replay_children(
    data: Path, clock: Clock, how: ReplayStart
) -> AsyncIterator[ReplayChildren]:
    """For as long as the context lasts; those that run are ended then."""
    children = ReplayChildren(data, clock, how)
    try:
        yield children
    finally:
        await children.close()


def _options(asked: AskedReplay) -> list[str]:
    one = [f"--{name}={word}" for name, word in asked.one.items() if word]
    return one + [f"--{name}={word}" for name, words in asked.several.items() for word in words]


def _last_words(log: Path, censor: Censor) -> str:
    """What a child that did not begin has said last: its error, without what is secret."""
    try:
        text = log.read_text("utf-8", "replace")[-_LONGEST_LOG:]
    except OSError:
        return ""
    lines = [line.strip(" │╭╮╰╯─") for line in text.splitlines()]
    told = [line for line in lines if line and not line.startswith(("replay ", "Usage:", "Try "))]
    return censor.text(" ".join(told[-6:]).removeprefix("reactor: "))
