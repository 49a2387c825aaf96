"""Requests to GitHub wait for their turn, in their threads; the pace is one of the event loop.

    before   asks for a turn: go, wait a little, or come again later (`EffectDelayed`)
    after    tells that it has ended, and what its answer says of limits

Safe to be called by many threads at once.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from reactor.adapters.github.answers import Answer
from reactor.adapters.github.connection import Asked
from reactor.attempt import EffectDelayed
from reactor.errors import InfrastructureError
from reactor.pace import Ask, Kind, Pace, Told, Turn, Why, told_by

_ANSWERED_WITHIN_S = 5.0
_AWAY_PAUSE_S = 5.0
_CONTENT = frozenset({"comments", "issues", "replies", "reviews"})
_REASONS: dict[Why, str] = {
    "stopped": "has told us to stop for a while",
    "used_up": "takes no more requests until its hour ends, but for what people ask for",
    "too_many_at_once": "takes no more requests at once",
    "too_fast": "takes changes only one after the other",
}
T = TypeVar("T")


class PaceObserver(Protocol):
    """Who is told how requests are paced; in threads."""

    def turned(self, ask: Ask, turn: Turn) -> None:
        """It goes, waits, or is sent back."""
        ...

    def told(self, ask: Ask, told: Told) -> None:
        """An answer said so much of limits."""
        ...

    def stopped(self, ask: Ask, stop_s: float) -> None:
        """A secondary limit was hit: all requests of the account stop for so long."""
        ...


class TurnTaker:
    """Fits `reactor.adapters.github.connection.Pace`; make it on the event loop."""

    def __init__(
        self,
        pace: Pace,
        *,
        observers: Sequence[PaceObserver] = (),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.observers = tuple(observers)
        self._pace, self._sleep = pace, sleep
        self._loop = asyncio.get_running_loop()

    def before(self, asked: Asked) -> None:
        """Return when it may go.  Raises `EffectDelayed` where that is not soon."""
        ask = _ask(asked)
        try:
            turn = self._wait_for(self._pace.turn(ask))
        except (InfrastructureError, TimeoutError):
            why = "what GitHub lets us do can't be read now: Redis does not answer"
            raise EffectDelayed(why, _AWAY_PAUSE_S, counts=False) from None
        for observer in self.observers:
            observer.turned(ask, turn)
        if not turn.goes:
            why = f"{asked.host} {_REASONS.get(turn.why, '')} ({asked.account})"
            raise EffectDelayed(why, turn.wait_s, counts=False)
        if turn.wait_s > 0:
            self._sleep(turn.wait_s)

    def after(self, asked: Asked, answer: Answer | None) -> None:
        """Raises nothing: whatever becomes of this, the request was made."""
        ask, told = _ask(asked), _told(answer) if answer is not None else None
        try:
            stop_s = self._wait_for(self._pace.told(ask, told))
        except (InfrastructureError, TimeoutError):
            return  # it counts as under way a little longer, and the next answer tells the rest
        for observer in self.observers:
            if told is not None:
                observer.told(ask, told)
            if stop_s > 0:
                observer.stopped(ask, stop_s)

    def _wait_for(self, asked: Coroutine[Any, Any, T]) -> T:
        """Have it done on the loop, and wait in this thread."""
        answer = asyncio.run_coroutine_threadsafe(asked, self._loop)
        try:
            return answer.result(_ANSWERED_WITHIN_S)
        finally:
            answer.cancel()  # where it came to nothing in time


def _ask(asked: Asked) -> Ask:
    return Ask(
        id=asked.id,
        host=asked.host,
        account=asked.account,
        kind=_kind(asked),
        priority=asked.priority,
        has_begun=asked.has_begun,
    )


def _kind(asked: Asked) -> Kind:
    if not asked.is_write or asked.path.startswith("/app/"):  # a token changes nothing
        return "read"
    last = asked.path.partition("?")[0].rpartition("/")[2]
    return "content" if asked.verb == "POST" and last in _CONTENT else "write"


def _told(answer: Answer) -> Told:
    return told_by(
        answer.headers,
        at_s=answer.asked_at_s,
        stop_s=answer.pause_s if answer.is_secondary_limit else 0.0,
    )
