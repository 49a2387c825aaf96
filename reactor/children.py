"""Child processes: started in order, watched, restarted, stopped in reverse; none is left behind.

Every child runs under `reactor.guardian`, which ends it when this process is gone, kill -9
included.  What a child is (a broker, a worker) is not known here.
"""

import asyncio
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reactor.errors import ReactorError

_GUARDIAN = Path(__file__).with_name("guardian.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """One process to run."""

    name: str
    argv: Sequence[str]
    is_ready: Callable[[], Awaitable[bool]]  # asked until it says yes
    environ: Mapping[str, str] = field(default_factory=dict)  # added to the parent's
    log: Path | None = None  # where its output goes; None: to ours
    grace_s: float = 8.0  # between SIGTERM and SIGKILL
    start_timeout_s: float = 30.0
    ready_file: Path | None = None  # what it tells with that it is ready: gone before each start
    restart_with: frozenset[str] = frozenset()  # names of others: when one ends, so must we


class ChildFailed(ReactorError):
    """A child did not start, or ended too often."""

    def __init__(self, name: str, what: str, log: Path | None) -> None:
        super().__init__(name, what, log)
        self.name, self.what, self.log = name, what, log

    def __str__(self) -> str:
        where = f"; its output is in {self.log}" if self.log else ""
        return f"the {self.name} process {self.what}{where}"


class Running:
    """One child that was started."""

    def __init__(self, child: Child, process: asyncio.subprocess.Process) -> None:
        self.child, self.process = child, process

    @property
    def is_alive(self) -> bool:
        """Whether its guardian, and so the child, still runs."""
        return self.process.returncode is None

    async def stop(self) -> None:
        """SIGTERM, and SIGKILL when the grace is over.  Returns when it is gone."""
        if not self.is_alive:
            return
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        if self.process.stdin:
            self.process.stdin.close()  # starts the guardian's own grace
        await self.process.wait()


async def start(child: Child, environ: Mapping[str, str]) -> Running:
    """Start a child and wait until it is ready.  Raises `ChildFailed`, leaving nothing behind."""
    if child.ready_file:  # of one that was killed, which would speak for the next
        await asyncio.to_thread(child.ready_file.unlink, missing_ok=True)
    output = child.log.open("ab") if child.log else None
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            str(_GUARDIAN),
            str(child.grace_s),
            *child.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=output or None,
            stderr=asyncio.subprocess.STDOUT if output else None,
            env={**environ, **child.environ},
            start_new_session=True,  # Ctrl-C is for the parent alone, which stops us in order
        )
    finally:
        if output:
            output.close()
    running = Running(child, process)
    try:
        await _until_ready(running)
    except BaseException:
        await running.stop()
        raise
    return running


async def _until_ready(running: Running) -> None:
    child = running.child
    try:
        async with asyncio.timeout(child.start_timeout_s):
            while not await child.is_ready():
                if not running.is_alive:
                    code = running.process.returncode
                    raise ChildFailed(child.name, f"ended at once (exit {code})", child.log)
                await asyncio.sleep(0.05)
    except TimeoutError:
        what = f"was not ready after {child.start_timeout_s:.0f} s"
        raise ChildFailed(child.name, what, child.log) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarts:
    """How often a child that ends is started again; the wait doubles each time."""

    most: int = 20  # within the window: about eight minutes of a child that never gets ready
    window_s: float = 600.0  # what ended longer ago is forgotten
    first_wait_s: float = 0.5  # before the second restart; the first is at once
    longest_wait_s: float = 30.0

    def wait_s(self, before: int) -> float:
        """The wait before a restart, with so many before it in the window."""
        if not before:
            return 0.0
        return float(min(self.first_wait_s * 2 ** (before - 1), self.longest_wait_s))


@dataclass(slots=True, eq=False)
class _Place:
    """One child, whichever process it is just now."""

    running: Running
    starting: asyncio.Task[None] | None = None  # what starts it again
    waits_for: int = 0  # others that have to be back first (`restart_with`)

    @property
    def is_watched(self) -> bool:
        """Whether its end is news."""
        return self.starting is None and not self.waits_for


class Children:
    """Several children: started in order, restarted when they end, stopped in reverse."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        restarts: Restarts | None = None,
        on_event: Callable[[str, str], None] = lambda _name, _what: None,
    ) -> None:
        self._environ, self._restarts, self._on_event = environ, restarts or Restarts(), on_event
        self._groups: list[list[_Place]] = []  # those of one group start and stop at once
        self._news = asyncio.Event()  # one more is to be watched
        self._restarted: dict[str, list[float]] = {}  # when, in the loop's seconds

    async def start(self, child: Child) -> Running:
        """Start one more; the later it is started, the earlier it is stopped."""
        running = await self._start(child)
        self._groups.append([_Place(running)])
        return running

    async def start_all(self, children: Sequence[Child]) -> None:
        """Start several at once; they are stopped at once, too.

        One of those before that ends meanwhile is started again; if one of these goes with it
        (`restart_with`), all of these begin anew.  Raises the first `ChildFailed`; of these
        children none is left then.
        """
        go_with = {name for child in children for name in child.restart_with}
        starting = asyncio.create_task(self._start_group(children))
        try:
            while (ended := await self._ended_before(starting)) is not None:
                child = ended.running.child
                self._on_event(child.name, f"ended (exit {ended.running.process.returncode})")
                if child.name in go_with:
                    await _cancelled(starting)
                ended.running = await self._start_patiently(child)
                if child.name in go_with:
                    starting = asyncio.create_task(self._start_group(children))
        except BaseException:
            await _cancelled(starting)
            if not starting.cancelled() and not starting.exception():  # it was ready just then
                self._groups.append(starting.result())
            raise
        self._groups.append(starting.result())

    async def _start_group(self, children: Sequence[Child]) -> list[_Place]:
        starts = [asyncio.create_task(self._start(child)) for child in children]
        try:
            return [_Place(running) for running in await asyncio.gather(*starts)]
        except BaseException:
            for begun in starts:
                begun.cancel()
            ends = await asyncio.gather(*starts, return_exceptions=True)
            for running in ends:
                if isinstance(running, Running):
                    await running.stop()
            raise

    async def _ended_before(self, starting: asyncio.Task[list[_Place]]) -> _Place | None:
        """One of the others that ended before these were ready; None: they are, or failed."""
        ending = asyncio.create_task(self._first_to_end())
        try:
            await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancelled(ending)
        return None if starting.done() or ending.cancelled() else ending.result()

    async def watch(self) -> None:
        """Restart what ends, and with it whatever says `restart_with` it.

        Each on its own: one may get ready only when another is back that has ended meanwhile.
        Runs until it is cancelled.  Raises `ChildFailed` when one ends too often (`Restarts`).
        """
        try:
            async with asyncio.TaskGroup() as starts:
                while True:
                    ended = await self._first_to_end()
                    what = f"ended (exit {ended.running.process.returncode})"
                    self._on_event(ended.running.child.name, what)
                    ended.starting = starts.create_task(self._start_again(ended))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def stop(self) -> None:
        """Stop all, the last ones first.  Returns when all are gone."""
        while self._groups:
            await asyncio.gather(*(place.running.stop() for place in self._groups.pop()))

    async def _start(self, child: Child) -> Running:
        running = await start(child, self._environ)
        self._on_event(child.name, "ready")
        return running

    def _places(self) -> list[_Place]:
        return [place for group in self._groups for place in group]

    async def _first_to_end(self) -> _Place:
        while True:
            self._news.clear()
            watched = [place for place in self._places() if place.is_watched]
            waits = {asyncio.ensure_future(each.running.process.wait()): each for each in watched}
            news = asyncio.ensure_future(self._news.wait())
            try:
                await asyncio.wait({*waits, news}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in (*waits, news):
                    wait.cancel()
            for wait, place in waits.items():
                if wait.done() and place.is_watched:  # else it was stopped on purpose
                    return place

    async def _start_again(self, place: _Place) -> None:
        """In place, so that the order of stopping stays.

        Those that go with it are stopped first, and let go when it is back: then they have ended.
        """
        child = place.running.child
        others = [each for each in self._places() if child.name in each.running.child.restart_with]
        for each in others:
            each.waits_for += 1
        try:
            await asyncio.gather(*(self._put_down(each) for each in others))
            place.running = await self._start_patiently(child)
        finally:
            for each in others:
                each.waits_for -= 1
            place.starting = None
            self._news.set()

    async def _put_down(self, place: _Place) -> None:
        """Stop it, also where it is just being started again."""
        if place.starting:
            place.starting.cancel()
            await asyncio.wait({place.starting})
        await place.running.stop()

    async def _start_patiently(self, child: Child) -> Running:
        """Start it, again and again while it fails, as far as `Restarts` go."""
        while True:
            now = asyncio.get_running_loop().time()
            times = self._restarted.setdefault(child.name, [])
            times[:] = [at for at in times if now - at < self._restarts.window_s]
            if len(times) >= self._restarts.most:
                what = f"ended {len(times) + 1} times in {self._restarts.window_s:.0f} s"
                raise ChildFailed(child.name, what, child.log)
            wait_s = self._restarts.wait_s(len(times))
            times.append(now)
            await asyncio.sleep(wait_s)
            try:
                return await self._start(child)
            except ChildFailed as error:
                self._on_event(child.name, str(error))


async def _cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel it, and wait for its end."""
    task.cancel()
    await asyncio.wait({task})


def free_port() -> int:
    """A TCP port on loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
