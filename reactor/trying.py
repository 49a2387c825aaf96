"""One try at sending an effect: its executor is called, and what it says becomes an outcome.

Whatever an executor raises is an outcome as well; only cancellation goes through.

What fails is tried again, so often; then it is given up, and a person can drive it again.  Where
the other side is away (it can't be reached, does not answer in time, says 5xx or that we ask too
much, or `PassingError`), it is tried far more often: an outage says nothing about the effect.
What is put off has an end as well, by the time that its pauses took.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic_core import to_json

from reactor.attempt import AlreadyDone, Attempt, EffectDelayed, EffectGivenUp, EffectRefused
from reactor.errors import InfrastructureError
from reactor.execution import Execution, Executor
from reactor.failure import in_one_line, kind_of
from reactor.installed import EffectExecutor
from reactor.ledger import Intent, Outcome, Sending
from reactor.platform import Platform
from reactor.preview import preview
from reactor.threads import ActionHangs, ComponentHangs, NoFreeThread
from reactor.withholding import Withholding

LONGEST_RESULT = 4000  # bytes of a result, as JSON; of a longer one only a preview is kept
_LONGEST_DELAY_S = 86_400.0  # that an executor can ask for
_SHOWN_KEY = 12  # digits of a key, as people are shown it
_UNTRIED = (ComponentHangs, NoFreeThread)  # the executor was not even called
_UNTRIED_PAUSE = timedelta(seconds=30)

Look = Callable[[Intent], Awaitable[None]]
"""Looks whether an effect may be sent now.

Raises `EffectRefused` or `EffectGivenUp` where it may not, and `InfrastructureError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of a try."""

    outcome: Outcome
    was_there: bool = False  # the executor found the change already there
    duration_s: float = 0.0
    error: Exception | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tries:
    """Makes tries; safe to be called at once."""

    platform: Platform
    executor: Executor  # that runs methods of components
    now: Callable[[], datetime]
    monotonic_s: Callable[[], float]
    pause: Callable[[int], timedelta]  # before the next try, after so many failures before this one
    most_failures: int = 10  # those for which the other side was away not counted
    most_away: int = 300  # for which it was
    most_delayed: timedelta = timedelta(days=1)  # pauses of what was put off
    timeout_s: float = 30.0
    looks: tuple[Look, ...] = ()  # before each try, in this order
    withholding: Withholding | None = None  # before those; None: everything is allowed

    async def make(self, sending: Sending) -> Tried:
        """Call the executor of the effect, if there is one."""
        effect = sending.intent.record.effect
        own = sending.failures - sending.away
        if own >= self.most_failures:
            why = f"it failed or was cut off {own} times (effects.attempts)"
            return Tried(outcome=Outcome(state="given_up", reason=why))
        executor = self.platform.executor_of(type(effect))
        if executor is None:
            why = f"nothing installed sends {effect.kind}; install the package with its executor"
            return Tried(outcome=Outcome(state="given_up", reason=why))
        begun_s = self.monotonic_s()
        tried = await self._look(sending) or await self._call(executor, sending)
        return replace(tried, duration_s=self.monotonic_s() - begun_s)

    def cut_off(self, sending: Sending, *, lease: timedelta) -> Outcome:
        """What is kept of a try that is stopped with its worker: the next one looks first.

        A thread can't be stopped: until it ends with its worker it may still make the change, so
        for as long as the turn would have lasted nobody looks.
        """
        executor = self.platform.executor_of(type(sending.intent.record.effect))
        is_stopped = executor is None or executor.action.signature.is_async
        return Outcome(
            state="due",
            reason="its worker was stopped meanwhile",
            due_at=self.now() if is_stopped else self.now() + lease,
            may_be_done=True,
        )

    async def _look(self, sending: Sending) -> Tried | None:
        """What comes of it where something stands against it, before anything is written."""
        try:
            for look in self.looks:
                await look(sending.intent)
            if self.withholding and (outcome := await self.withholding(sending)):
                return Tried(outcome=outcome)
        except InfrastructureError as error:  # what is looked at will be there again
            return self._delayed(error, sending, _UNTRIED_PAUSE, counts=False)
        except EffectRefused as error:
            return self._read(Execution(outcome="failed", attempts=0, error=error), sending)
        return None

    async def _call(self, executor: EffectExecutor, sending: Sending) -> Tried:
        mark = replace(executor.action.mark, timeout_s=self.timeout_s)
        action = replace(executor.action, mark=mark)
        arguments = _arguments(executor, sending)
        try:
            execution = await self.executor.run(action, lambda: arguments)
        except InfrastructureError as error:
            return self._failed(error, sending)
        return self._read(execution, sending)

    def _read(self, execution: Execution, sending: Sending) -> Tried:
        error = execution.error
        match error:
            case None:
                return _done(execution.value)
            case EffectGivenUp():
                reason = f"{in_one_line(error)}; then {_again(sending)}"
                return Tried(outcome=Outcome(state="given_up", reason=reason), error=error)
            case EffectRefused():
                outcome = Outcome(state="refused", reason=in_one_line(error))
                return Tried(outcome=outcome, error=error)
            case EffectDelayed():
                pause = _delay(error.retry_in_s)
                return self._delayed(error, sending, pause, counts=error.counts)
            case _ if isinstance(error, _UNTRIED):
                return self._delayed(error, sending, _UNTRIED_PAUSE, counts=True)
            case _:
                return self._failed(error, sending)

    def _delayed(
        self, error: Exception, sending: Sending, pause: timedelta, *, counts: bool
    ) -> Tried:
        reason = in_one_line(error)
        if counts and sending.delayed >= self.most_delayed:
            so_long = f"{sending.delayed.total_seconds():.0f} s"
            why = f"it was put off for {so_long} (effects.give_up_after_s), the last time: {reason}"
            return Tried(outcome=Outcome(state="given_up", reason=why), error=error)
        outcome = Outcome(
            state="due",
            reason=reason,
            due_at=self.now() + pause,
            delayed=pause if counts else timedelta(0),
        )
        return Tried(outcome=outcome, error=error)

    def _failed(self, error: Exception, sending: Sending) -> Tried:
        """Whether it has made the change all the same, nobody knows."""
        pause = self.pause(sending.failures)
        if isinstance(error, ActionHangs):  # its thread may still make the change
            pause = max(pause, timedelta(seconds=self.timeout_s))
        is_away = _is_away(error)
        outcome = Outcome(
            state="due",
            reason=in_one_line(error),
            due_at=self.now() + pause,
            failed=True,
            away=is_away,
            may_be_done=True,
        )
        if why := self._too_often(sending, is_away=is_away):
            reason = f"{why}, the last time: {outcome.reason}"
            outcome = replace(outcome, state="given_up", reason=reason, due_at=None)
        return Tried(outcome=outcome, error=error)

    def _too_often(self, sending: Sending, *, is_away: bool) -> str:
        """Why one more failure is the last one; "" where it is not."""
        away, own = sending.away + is_away, sending.failures - sending.away + (not is_away)
        if is_away and away >= self.most_away:
            return f"the other side was away {away} times (effects.give_up_after_s)"
        if not is_away and own >= self.most_failures:
            return f"it failed {own} times (effects.attempts)"
        return ""


def _again(sending: Sending) -> str:
    return f"`reactor effects retry {sending.intent.key[:_SHOWN_KEY]}`"


def _is_away(error: Exception) -> bool:
    """Whether it says nothing of the effect, and will pass.

    A thread that hangs is something else: each try would leave another one behind.
    """
    if isinstance(error, ActionHangs):
        return False
    return isinstance(error, InfrastructureError) or kind_of(error) == "passing"


def _arguments(executor: EffectExecutor, sending: Sending) -> Mapping[str, object]:
    intent = sending.intent
    arguments: dict[str, object] = {executor.effect: intent.record.effect}
    if executor.attempt:
        arguments[executor.attempt] = Attempt(
            key=intent.key,
            host=intent.host,
            subject=intent.record.subject,
            subject_name=intent.subject_name,
            delivery=intent.delivery,
            cause=intent.cause,
            happened_at=intent.happened_at,
            number=sending.number,
            priority=intent.priority,
            may_be_done=sending.may_be_done,
        )
    return arguments


def _done(value: object) -> Tried:
    was_there = isinstance(value, AlreadyDone)
    result = value.result if isinstance(value, AlreadyDone) else value
    return Tried(outcome=Outcome(state="done", result=_written(result)), was_there=was_there)


def _written(result: object) -> str:
    """JSON text; the change is made, so whatever it is, it can be written somehow."""
    if result is None:
        return ""
    try:
        written = to_json(result)
    except Exception:  # noqa: BLE001 - other people's values
        written = b""
    if not written or len(written) > LONGEST_RESULT:
        written = to_json(preview(result))
    return written.decode()


def _delay(seconds: float) -> timedelta:
    is_number = isinstance(seconds, (int, float)) and math.isfinite(seconds)
    return timedelta(seconds=min(max(seconds, 0.0), _LONGEST_DELAY_S) if is_number else 60.0)
