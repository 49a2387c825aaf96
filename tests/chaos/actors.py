"""Processes that take part: started, killed, paused, and started again when they end by themselves.

As an operator's supervisor would (systemd, Docker's restart policy): a worker that gives up
because its broker is away comes back.
"""

import asyncio
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_AGAIN_AFTER_S = 0.5


@dataclass(slots=True, kw_only=True)
class Actor:
    """One process, through all of its lives."""

    name: str
    argv: Sequence[str]
    environ: Mapping[str, str]
    logs: Path  # the folder of its logs, one for each life
    cwd: Path
    lives: int = 0
    fell: int = 0  # how often it ended by itself
    is_wanted: bool = False  # it is started again when it ends
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Begin a life, if none is going on."""
        self.is_wanted = True
        if self.is_alive:
            return
        self.lives += 1
        with (self.logs / f"{self.name}.{self.lives:03}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*_TIED, *self.argv],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=dict(self.environ),
                cwd=self.cwd,
            )

    @property
    def is_alive(self) -> bool:
        """Whether it runs, or is paused."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Of the present or last life."""
        return self._process.pid if self._process else 0

    def send(self, number: signal.Signals) -> None:
        """A signal, to whatever is alive."""
        if self._process and self.is_alive:
            self._process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL, and no new life by itself."""
        self.is_wanted = False
        self.send(signal.SIGKILL)
        if self._process:
            self._process.wait()

    async def stop(self, *, within_s: float) -> None:
        """SIGTERM, and SIGKILL after `within_s`."""
        self.is_wanted = False
        self.send(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.is_alive:  # noqa: ASYNC110 - another process ends
                    await asyncio.sleep(0.05)
        self.kill()


async def supervise(actors: Sequence[Actor]) -> None:
    """Start again what ended by itself, until cancelled."""
    while True:
        for actor in actors:
            if actor.is_wanted and not actor.is_alive:
                actor.fell += 1
                actor.start()
        await asyncio.sleep(_AGAIN_AFTER_S)


def _tie() -> tuple[str, ...]:
    """What makes a process end with its parent, where the system has it; the process id stays."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--") if setpriv else ()


_TIED = _tie()
