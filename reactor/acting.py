"""Acting: what was decided on is run; nothing of it is on the board yet.

One action, or several beside each other where they may (`reactor.beside`): then all of them see
the same board, and whoever lands their results does so in the order of their names.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, runtime_checkable

from reactor.blackboard import Blackboard, Entry
from reactor.calls import Heard, hearing
from reactor.context import ActionContext
from reactor.execution import Execution, Executor
from reactor.installed import Action
from reactor.journal import ModelAnswerData, ServiceCallData, Weighed
from reactor.listening import ProcessListener
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.subprocesses import Subprocesses
from reactor.view import Arguments


@runtime_checkable
class PerAction(Protocol):
    """A service of which each run of an action has its own, as it counts for its process."""

    def for_action(self, action: Action, context: ActionContext) -> object:
        """What the action is given in its place."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """What all processes of one runner share."""

    platform: Platform
    clock: Clock
    executor: Executor
    listeners: tuple[ProcessListener, ...] = ()
    subprocesses: Subprocesses | None = None  # None: they run in memory


@dataclass(frozen=True, slots=True)
class Move:
    """What was decided on: an action with its arguments, and what may run beside it."""

    action: Action
    arguments: Arguments
    trigger: Entry | None
    weighed: Weighed
    beside: tuple["Move", ...] = ()

    @property
    def all(self) -> Sequence["Move"]:
        """Itself and what runs beside it, by name."""
        if not self.beside:
            return (self,)
        return sorted((self, *self.beside), key=lambda move: move.action.name)

    @property
    def is_repeatable(self) -> bool:
        """Whether all of it can be done twice without harm."""
        return all(move.action.mark.idempotent for move in self.all)


@dataclass(frozen=True, slots=True, kw_only=True)
class Performed:
    """What came of a move."""

    move: Move
    execution: Execution
    context: ActionContext | None  # of the last try
    started_at: datetime
    duration_s: float
    answers: tuple[ModelAnswerData, ...] = ()  # of models, to all tries
    calls: tuple[ServiceCallData, ...] = ()  # of services, by all of them


class Acting:
    """Runs the moves of one process; what runs can be cut off."""

    def __init__(self, engine: Engine, new_context: Callable[[str], ActionContext]) -> None:
        self._engine, self._new_context = engine, new_context
        self._task: asyncio.Task[object] | None = None  # in which it runs now
        self._is_cut_off = False

    async def run(self, move: Move, heard: Heard) -> list[Performed]:
        """Run it to its end; nothing comes of it where it was cut off.

        `heard`: for whom it is run, and as which tick.  Raises `InfrastructureError`.
        """
        self._task = asyncio.current_task()
        try:
            performed = await self._run(move, heard)
        except asyncio.CancelledError:
            if not self._was_cut_off():
                raise
            return []
        finally:
            self._task = None
        return [] if self._was_cut_off() else performed

    def cut_off(self) -> None:
        """Cancel what runs now, and nothing but that."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._is_cut_off = True
            self._task.cancel()

    def _was_cut_off(self) -> bool:
        """Whether the task was cancelled by us alone; then that is over."""
        task, was_cut_off = asyncio.current_task(), self._is_cut_off
        self._is_cut_off = False
        return was_cut_off and task is not None and task.uncancel() == 0

    async def _run(self, move: Move, heard: Heard) -> list[Performed]:
        if not move.beside:
            return [await self._one(move, heard)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._one(each, replace(heard, tick=heard.tick + beside)))
                    for beside, each in enumerate(move.all)
                ]
        except BaseExceptionGroup as errors:  # trouble with a server, or the end of everything
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _one(self, move: Move, told: Heard) -> Performed:
        action, clock = move.action, self._engine.clock
        heard = told.by(action.name, timeout_s=action.mark.timeout_s)
        context: ActionContext | None = None

        def arguments() -> Mapping[str, object]:
            nonlocal context
            earlier = context
            context = self._new_context(action.name) if self._needs_context(action) else None
            if context and earlier:
                context.go_on_from(earlier)
            return move.arguments.values | self._injected(action, context)

        with hearing(heard):
            started_at, begun_s = clock.now(), clock.monotonic_s()
            execution = await self._engine.executor.run(action, arguments)
        return Performed(
            move=move,
            execution=execution,
            context=context,
            started_at=started_at,
            duration_s=clock.monotonic_s() - begun_s,
            answers=tuple(heard.answers),
            calls=tuple(heard.calls),
        )

    def _injected(self, action: Action, context: ActionContext | None) -> dict[str, object]:
        own = {ActionContext: context, Blackboard: context.board} if context else {}
        services = {**self._engine.platform.services, **own}
        given = ((name, services[kind]) for name, kind in action.signature.injected.items())
        return {
            name: service.for_action(action, context)
            if context and isinstance(service, PerAction)
            else service
            for name, service in given
        }

    def _needs_context(self, action: Action) -> bool:
        services = self._engine.platform.services
        return any(
            kind in (ActionContext, Blackboard) or isinstance(services.get(kind), PerAction)
            for kind in action.signature.injected.values()
        )
