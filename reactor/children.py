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
        self._groups: list[list[Running]] = []  # those of one group start and stop at once
        self._restarted: dict[str, list[float]] = {}  # when, in the loop's seconds

    async def start(self, child: Child) -> Running:
        """Start one more; the later it is started, the earlier it is stopped."""
        running = await self._start(child)
        self._groups.append([running])
        return running

    async def start_all(self, children: Sequence[Child]) -> None:
        """Start several at once; they are stopped at once, too.

        Raises the first `ChildFailed`; of these children none is left then.
        """
        starts = [asyncio.create_task(self._start(child)) for child in children]
        try:
            self._groups.append(await asyncio.gather(*starts))
        except BaseException:
            for begun in starts:
                begun.cancel()
            ends = await asyncio.gather(*starts, return_exceptions=True)
            for running in ends:
                if isinstance(running, Running):
                    await running.stop()
            raise

    async def watch(self) -> None:
        """Restart what ends, and with it whatever says `restart_with` it.

        Runs until it is cancelled.  Raises `ChildFailed` when one ends too often (`Restarts`).
        """
        while True:
            ended = await self._first_to_end()
            self._on_event(ended.child.name, f"ended (exit {ended.process.returncode})")
            await self._start_again(ended.child.name)

    async def stop(self) -> None:
        """Stop all, the last ones first.  Returns when all are gone."""
        while self._groups:
            await asyncio.gather(*(running.stop() for running in self._groups.pop()))

    async def _start(self, child: Child) -> Running:
        running = await start(child, self._environ)
        self._on_event(child.name, "ready")
        return running

    async def _first_to_end(self) -> Running:
        running = [each for group in self._groups for each in group]
        waits = {asyncio.ensure_future(each.process.wait()): each for each in running}
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return waits[done.pop()]

    async def _start_again(self, name: str) -> None:
        """In place, so that the order of stopping stays."""
        hit = [
            (group, running)
            for group in self._groups
            for running in group
            if name == running.child.name or name in running.child.restart_with
        ]
        await asyncio.gather(*(running.stop() for _, running in hit))
        for group, running in hit:
            group[group.index(running)] = await self._start_patiently(running.child)

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


def free_port() -> int:
    """A TCP port on loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
