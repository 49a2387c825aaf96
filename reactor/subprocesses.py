"""Processes within an action: a run of the engine of their own, over a copy of the board.

    ended = await context.run_subprocess(Subprocess(name="review", facts=(draft,)))
    review = ended.board.last(Review)

What a sub-process finds stays on its own board unless the action returns it; what it used up is
counted as the action's.  Its id is derived from its parent's, so an action that runs again after
a crash finds the same one and goes on with it.  It ends with its parent when that is killed, and
it can't wait for people: that is for its parent to do.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol

from reactor.blackboard import DEFAULT_NAME, Blackboard
from reactor.effect import EffectRecord
from reactor.options import ProcessOptions
from reactor.scope import Scope
from reactor.start import Start
from reactor.status import ProcessHead, Status, process_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Subprocess:
    """A wish to have a process run within an action."""

    name: str  # tells the sub-processes of one run of an action apart
    facts: tuple[object, ...] = ()  # beside those of its parent
    scope: Scope | None = None  # None: its parent's
    planner: str = "utility"
    goals: frozenset[str] | None = None  # as in `Start`; None: all in scope
    options: ProcessOptions = field(default_factory=ProcessOptions)
    endless: bool = True  # see `Start`


@dataclass(frozen=True, slots=True)
class SubprocessEnded:
    """What became of it."""

    head: ProcessHead
    board: Blackboard
    effects: tuple[EffectRecord, ...] = ()  # that its actions asked for, in order

    @property
    def status(self) -> Status:
        """COMPLETED, or STUCK where nothing was left to do, or how else it ended."""
        return self.head.status


class Subprocesses(Protocol):
    """Somebody who runs them."""

    async def run_subprocess(self, start: Start) -> SubprocessEnded:
        """Run it to its end, or find that it has ended.  Raises `InfrastructureError`."""
        ...


def start_of(wanted: Subprocess, parent: Start, board: Blackboard, *, run: str) -> Start:
    """How it is started; `run`: what tells the runs of its parent's actions apart."""
    child = process_id(delivery=parent.process_id, reaction=f"{run} {wanted.name}")
    options = replace(
        wanted.options,
        context_id=wanted.options.context_id or parent.options.context_id,
        listeners=(*parent.options.listeners, *wanted.options.listeners),
    )
    return replace(
        parent,
        process_id=child,
        parent_id=parent.process_id,
        facts=[(DEFAULT_NAME, fact) for fact in wanted.facts],
        inherited=board.changes_since(0),
        scope=wanted.scope or parent.scope,
        planner=wanted.planner,
        goals=wanted.goals,
        options=options,
        endless=wanted.endless,
        wake=False,
        answer=None,
        wish=None,
        calls=(),
    )
