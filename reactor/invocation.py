"""Running something once, in memory: for tests, for trying out, for one event without a server.

    process = UtilityInvocation.on(platform).terminate_when_stuck().run(issue)

Nothing is stored and nothing is sent; the process that is given back has ended, and can be
looked at.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Self, cast

from reactor.blackboard import DEFAULT_NAME
from reactor.errors import ReactorError
from reactor.execution import Executor
from reactor.options import ProcessOptions
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.process import Engine, Process
from reactor.scope import Scope
from reactor.start import Start
from reactor.status import process_id

_DELIVERY = "local/invocation"


class RunningLoop(ReactorError):
    """`run` was called from async code, which it would block."""

    def __str__(self) -> str:
        return "an event loop is running here; write `await ...run_async(...)` instead of `run`"


class _MachineClock:
    """The machine's time, where nobody provides a `Clock`: an invocation is a root of its own."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - see above

    def monotonic_s(self) -> float:
        return time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityInvocation:
    """Runs the actions of a scope, the most valuable first.  Each `with_` gives a new one.

    A `Clock` among the platform's services is used as the clock.
    """

    platform: Platform
    scope: Scope = field(default_factory=Scope.platform)
    agent_name: str = ""
    options: ProcessOptions = field(default_factory=ProcessOptions)
    planner: str = "utility"
    endless: bool = True  # see `Start`

    @classmethod
    def on(cls, platform: Platform) -> Self:
        """On everything that is installed there."""
        return cls(platform=platform)

    def with_scope(self, scope: Scope) -> Self:
        """Only with these actions and goals."""
        return replace(self, scope=scope)

    def with_agent_name(self, name: str) -> Self:
        """Under this name; left out, it is the platform's."""
        return replace(self, agent_name=name)

    def with_process_options(self, options: ProcessOptions) -> Self:
        """With these limits."""
        return replace(self, options=options)

    def with_planner(self, name: str) -> Self:
        """With another planner, such as "hybrid"."""
        return replace(self, planner=name)

    def terminate_when_stuck(self) -> Self:
        """Having nothing left to do is the normal end."""
        return replace(self, options=replace(self.options, terminate_when_stuck=True))

    def run(self, *facts: object) -> Process:
        """Run a process over these facts to its end.  Raises `RunningLoop` in async code.

        A mapping given alone holds facts by name: `run({"event": event})`.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.run_async(*facts))
        raise RunningLoop

    async def run_async(self, *facts: object) -> Process:
        """As `run`, in async code."""
        start = Start(
            process_id=process_id(delivery=_DELIVERY, reaction=self.agent_name),
            delivery=_DELIVERY,
            reaction=self.agent_name,
            subject="",
            facts=_named(facts),
            scope=self.scope,
            planner=self.planner,
            options=self.options,
            agent=self.agent_name,
            endless=self.endless,
        )
        clock = cast("Clock | None", self.platform.services.get(Clock))
        with Executor() as executor:
            engine = Engine(self.platform, clock or _MachineClock(), executor)
            process = Process(engine, start)
            await process.run()
        return process


def _named(facts: Sequence[object]) -> list[tuple[str, object]]:
    if len(facts) == 1 and isinstance(facts[0], Mapping):
        return [(str(name), value) for name, value in facts[0].items()]
    return [(DEFAULT_NAME, value) for value in facts]
