"""Running something once, in memory: for tests, for trying out, for one event without a server.

    process = UtilityInvocation.on(platform).terminate_when_stuck().run(issue)
    resolved = AgentInvocation.on(platform).returning(ResolvedTicket).invoke(ticket)

Nothing is stored and nothing is sent; the process that is given back has ended, and can be
looked at.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Generic, Self, TypeVar, cast

from reactor.blackboard import DEFAULT_NAME
from reactor.errors import ReactorError
from reactor.execution import Executor
from reactor.options import ProcessOptions
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.process import Engine, Process
from reactor.recording import behind
from reactor.remembering import recalled
from reactor.scope import Scope
from reactor.start import Start
from reactor.status import Status, process_id
from reactor.supervisor import PLANNER as SUPERVISOR

R = TypeVar("R")
S = TypeVar("S")

_DELIVERY = "local/invocation"


class RunningLoop(ReactorError):
    """`run` was called from async code, which it would block."""

    def __str__(self) -> str:
        return "an event loop is running here; write `await ...run_async(...)` instead of `run`"


class NobodyGives(ReactorError):
    """No agent, and no action in the scope, gives what an invocation is to return."""

    def __init__(self, wanted: str, scope: str, known: tuple[str, ...]) -> None:
        super().__init__(wanted, scope, known)
        self.wanted, self.scope, self.known = wanted, scope, known

    def __str__(self) -> str:
        there = ", ".join(self.known) or "none"
        return f"nothing in the scope {self.scope} gives a {self.wanted}; goals there: {there}"


class SeveralAgents(ReactorError):
    """Several agents give what an invocation is to return."""

    def __init__(self, wanted: str, agents: tuple[str, ...]) -> None:
        super().__init__(wanted, agents)
        self.wanted, self.agents = wanted, agents

    def __str__(self) -> str:
        return (
            f"several agents give a {self.wanted}: {', '.join(self.agents)}; "
            "name one, as in with_agent_name(...)"
        )


class NotReached(ReactorError):
    """A process came to rest without the result that was asked for."""

    def __init__(self, wanted: str, status: str, reason: str) -> None:
        super().__init__(wanted, status, reason)
        self.wanted, self.status, self.reason = wanted, status, reason

    def __str__(self) -> str:
        return f"there is no {self.wanted}: the process is {self.status}, {self.reason}"


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
    goals: frozenset[str] | None = None  # see `Start`
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

    def towards(self, *goals: str) -> Self:
        """For these goals of the scope, instead of all."""
        return replace(self, goals=frozenset(goals))

    def terminate_when_stuck(self) -> Self:
        """Having nothing left to do is the normal end."""
        return replace(self, options=replace(self.options, terminate_when_stuck=True))

    def run(self, *facts: object) -> Process:
        """Run a process over these facts to its end.  Raises `RunningLoop` in async code.

        A mapping given alone holds facts by name: `run({"event": event})`.
        """
        _refuse_in_async_code()
        return asyncio.run(self.run_async(*facts))

    async def run_async(self, *facts: object) -> Process:
        """As `run`, in async code."""
        start = replace(
            _start(self.agent_name, facts),
            scope=self.scope,
            planner=self.planner,
            goals=self.goals,
            options=self.options,
            endless=self.endless,
        )
        return await _run(self.platform, start)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInvocation(Generic[R]):
    """Runs an agent for a result: the one that is named, or the one that gives the type.

    Where no agent gives it, the other components' actions are planned with.  With a scope, an
    agent is put together from that scope.  Each `with_` gives a new invocation.
    """

    platform: Platform
    result: type[R]
    scope: Scope | None = None
    agent_name: str = ""
    options: ProcessOptions = field(default_factory=ProcessOptions)
    planner: str = ""  # left out: as the agent declares, else "goap"
    goal_description: str = ""  # for a supervisor; left out: as the goals describe it

    @classmethod
    def on(cls, platform: Platform) -> "AgentInvocation[object]":
        """On everything that is installed there."""
        return AgentInvocation(platform=platform, result=object)

    def returning(self, result: type[S]) -> "AgentInvocation[S]":
        """Towards the goals that give an instance of this type, or of a subclass."""
        return AgentInvocation(
            platform=self.platform,
            result=result,
            scope=self.scope,
            agent_name=self.agent_name,
            options=self.options,
            planner=self.planner,
            goal_description=self.goal_description,
        )

    def with_scope(self, scope: Scope) -> Self:
        """With the actions and goals of this scope, instead of an agent's own."""
        return replace(self, scope=scope)

    def with_agent_name(self, name: str) -> Self:
        """The agent of this name; with a scope, what is put together is called so."""
        return replace(self, agent_name=name)

    def with_process_options(self, options: ProcessOptions) -> Self:
        """With these limits."""
        return replace(self, options=options)

    def with_planner(self, name: str) -> Self:
        """With another planner than the agent declares."""
        return replace(self, planner=name)

    def with_goal_description(self, description: str) -> Self:
        """What is wanted, in words for the model of a supervisor."""
        return replace(self, goal_description=description)

    def invoke(self, *facts: object) -> R:
        """Run a process over these facts, and give its result.  Raises `NotReached`, see `run`."""
        _refuse_in_async_code()
        return asyncio.run(self.invoke_async(*facts))

    async def invoke_async(self, *facts: object) -> R:
        """As `invoke`, in async code."""
        process = await self.run_async(*facts)
        found = process.board.last(self.result)
        if process.status is not Status.COMPLETED or found is None:
            reason = process.head.failure or str(process.journal[-1].data.get("reason", ""))
            raise NotReached(self.result.__name__, process.status.value, reason)
        return found

    def run(self, *facts: object) -> Process:
        """Run a process over these facts, and give it back as it ended.

        Raises `RunningLoop` in async code, `NobodyGives`, `SeveralAgents`, `UnknownAgent`.
        """
        _refuse_in_async_code()
        return asyncio.run(self.run_async(*facts))

    async def run_async(self, *facts: object) -> Process:
        """As `run`, in async code."""
        agent = self._agent() if self.scope is None else None
        scope = self.scope or (Scope.from_agents(agent) if agent else Scope.platform())
        declared = self.platform.agents[agent].mark.planner if agent else "goap"
        start = replace(
            _start(agent or self.agent_name, facts),
            scope=scope,
            planner=self.planner or declared,
            goals=self._goals(scope),
            wanted=self.goal_description,
            options=self.options,
        )
        return await _run(self.platform, start)

    def _agent(self) -> str | None:
        """The name of the agent to run; None where no agent gives the result."""
        if self.agent_name:
            return self.platform.agent(self.agent_name).name
        found = tuple(a for a in self.platform.agents if self._goals_of(Scope.from_agents(a)))
        if len(found) > 1:
            raise SeveralAgents(self.result.__name__, found)
        return found[0] if found else None

    def _goals(self, scope: Scope) -> frozenset[str]:
        """The goals that give the result; where none is declared, that there is one."""
        if found := self._goals_of(scope):
            return found
        key = self.platform.has_key(self.result)
        if key and self.platform.repertoire(scope).can_give(self.result):
            return frozenset({key})
        known = tuple(goal.name for goal in self.platform.goals_in(scope))
        raise NobodyGives(self.result.__name__, str(scope), known)

    def _goals_of(self, scope: Scope) -> frozenset[str]:
        return frozenset(
            goal.name
            for goal in self.platform.goals_in(scope)
            if any(issubclass(kind, self.result) for kind in goal.gives)
        )


class SupervisorInvocation:
    """Runs a scope for a result, with a model that picks among its actions.

    meal = SupervisorInvocation.on(platform).returning(Meal).with_scope(scope).invoke(wish)
    """

    @staticmethod
    def on(platform: Platform) -> AgentInvocation[object]:
        """An `AgentInvocation` under the supervisor; its models are the platform's `Ai`."""
        return AgentInvocation.on(platform).with_planner(SUPERVISOR)


def _refuse_in_async_code() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RunningLoop


def _start(name: str, facts: Sequence[object]) -> Start:
    return Start(
        process_id=process_id(delivery=_DELIVERY, reaction=name),
        delivery=_DELIVERY,
        reaction=name,
        subject="",
        facts=_named(facts),
        agent=name,
    )


async def _run(platform: Platform, start: Start) -> Process:
    clock = cast("Clock | None", behind(platform.services.get(Clock)))
    with Executor() as executor:
        engine = Engine(platform, clock or _MachineClock(), executor)
        process = Process(engine, await recalled(start, engine.platform))
        await process.run()
    return process


def _named(facts: Sequence[object]) -> list[tuple[str, object]]:
    if len(facts) == 1 and isinstance(facts[0], Mapping):
        return [(str(name), value) for name, value in facts[0].items()]
    return [(DEFAULT_NAME, value) for value in facts]
