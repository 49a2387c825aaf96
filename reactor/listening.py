"""Listening to processes: every step tells what happened, and no listener can harm a process.

A listener is called in the loop that runs the process, between its steps, so it has to be quick;
what is to be durable is in the journal.  What a listener raises is logged and forgotten.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from reactor.blackboard import Entry
from reactor.plan import Decision
from reactor.status import ProcessHead, Run
from reactor.waiting import Answer, FormRequest

_LOG = logging.getLogger("reactor.listening")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEvent:
    """Something happened to a process."""

    head: ProcessHead  # as it stands now
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCreated(ProcessEvent):
    """It begins, with its first facts."""

    facts: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyToPlan(ProcessEvent):
    """The board was looked at."""

    conditions: int  # how many are known


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFormulated(ProcessEvent):
    """A planner has answered; `decision.plan` is None where it found nothing."""

    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionStarted(ProcessEvent):
    """An action begins."""

    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionFinished(ProcessEvent):
    """An action has ended, well or not, and what it brought is on the board."""

    run: Run
    outputs: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalAchieved(ProcessEvent):
    """A goal holds; the process is about to be COMPLETED."""

    goal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(ProcessEvent):
    """People are asked."""

    forms: tuple[FormRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(ProcessEvent):
    """Somebody has answered, or nobody did in time."""

    form: FormRequest
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescued(ProcessEvent):
    """Nothing was left to do, and the stuck handler has the process plan again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(ProcessEvent):
    """It goes on after having been PAUSED or STUCK, or after an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameToRest(ProcessEvent):
    """It rests or has ended; one of the classes below says how."""

    reason: str  # a clause


class Stuck(CameToRest):
    """Nothing is left to do, for now."""


class Paused(CameToRest):
    """Somebody asked for it."""


class Completed(CameToRest):
    """Its goal holds."""


class Failed(CameToRest):
    """No plan is left, and a failure is the reason: `head.failure`."""


class Terminated(CameToRest):
    """It was ended early: by a policy, by an action, from outside, or as nothing was left."""


class Killed(CameToRest):
    """It was ended at once."""


class ProcessListener(Protocol):
    """Somebody who wants to know."""

    def __call__(self, event: ProcessEvent, /) -> None:
        """Look at it, quickly."""
        ...


def tell(listeners: Iterable[ProcessListener], event: ProcessEvent) -> None:
    """Let all listeners know; each is given a head of its own."""
    for listener in listeners:
        usage = dict(event.head.usage)
        try:
            listener(replace(event, head=event.head.but(usage=usage)))
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - it may raise anything, an exit included
            _LOG.exception("listener failed on %s", type(event).__name__)
