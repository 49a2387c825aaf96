"""Breakers: a component that fails in one process after the other rests for a while.

    closed ---- `failures` processes in a row, within `within_s` ----> open, for `rest_s`
    open   ---- the rest is over ----> half open: one process tries it
    half open ---- it works ----> closed; it fails ----> open again, for twice as long

Each worker has its own, in memory: what fails here may work elsewhere.  Processes are counted, not
runs, so that one odd event opens nothing.  While a component rests its actions are left out; a
process that has nothing else to do waits (STUCK) and is woken later, so that nothing is lost by it.
What a process was told of this is in its journal, so a replay is told the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import ClassVar

from pydantic_core import from_json, to_json

from reactor.listening import ActionFinished, ProcessEvent
from reactor.ports import Clock
from reactor.status import ProcessHead, Run

_FAILED = frozenset({"failed", "timeout"})
_WORKED = frozenset({"done", "nothing", "answered", "waiting", "terminated"})
_TRIAL_S = 60.0  # so long one process has to try it; then another one may


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerRule:
    """When a component rests, and how long.  All in seconds, but `failures`."""

    failures: int = 20  # processes in a row in which it failed; 0: it never rests
    within_s: float = 300.0
    rest_s: float = 30.0
    longest_rest_s: float = 600.0


@dataclass(slots=True)
class _Breaker:
    """Of one component."""

    failed: dict[str, float] = field(default_factory=dict)  # process -> when, since it last worked
    rests_until_s: float | None = None  # None: closed
    rest_s: float = 0.0
    why: str = ""
    trial: str = ""  # the process that tries it
    trial_until_s: float = 0.0


Opened = Callable[[str, str], None]
"""Is told that a component rests now, and why."""


class Breakers:
    """Those of all components of one worker.  Fits `ProcessListener`; a process asks `why_away`."""

    recorded_methods: ClassVar[frozenset[str]] = frozenset({"why_away"})

    def __init__(
        self, clock: Clock, rule: BreakerRule | None = None, *, opened: Opened | None = None
    ) -> None:
        self._clock, self._rule, self._opened = clock, rule or BreakerRule(), opened
        self._breakers: dict[str, _Breaker] = {}
        self._held: dict[str, str] = {}  # by component, why

    def __call__(self, event: ProcessEvent, /) -> None:
        """Count what came of an action."""
        if not self._rule.failures or not isinstance(event, ActionFinished):
            return
        component = event.run.action.partition(".")[0]
        if event.run.outcome in _FAILED:
            self._failed(component, event.head.id, event.run)
        elif event.run.outcome in _WORKED:
            self._breakers.pop(component, None)

    async def why_away(self, head: ProcessHead) -> str:
        """Why components rest, as JSON of reasons by component; "" where all work."""
        if not self._breakers and not self._held:
            return ""
        reasons = self._held | {
            component: why
            for component, breaker in sorted(self._breakers.items())
            if (why := self._why(breaker, head.id))
        }
        return to_json(reasons).decode() if reasons else ""

    def hold(self, component: str, why: str) -> None:
        """Leave its actions out until `let_go`; `why` is a clause."""
        self._held[component] = why

    def let_go(self, component: str) -> None:
        """It can be used from now on."""
        self._held.pop(component, None)

    def _failed(self, component: str, process: str, run: Run) -> None:
        now_s, rule = self._clock.monotonic_s(), self._rule
        breaker = self._breakers.setdefault(component, _Breaker())
        if breaker.rests_until_s is not None:
            if process == breaker.trial:
                self._open(component, breaker, run)
            return
        breaker.failed[process] = now_s
        breaker.failed = {
            who: when for who, when in breaker.failed.items() if when > now_s - rule.within_s
        }
        if len(breaker.failed) >= rule.failures:
            self._open(component, breaker, run)

    def _open(self, component: str, breaker: _Breaker, run: Run) -> None:
        rule = self._rule
        breaker.rest_s = min(breaker.rest_s * 2 or rule.rest_s, rule.longest_rest_s)
        breaker.rests_until_s = self._clock.monotonic_s() + breaker.rest_s
        breaker.trial = ""
        until = self._clock.now() + timedelta(seconds=breaker.rest_s)
        breaker.why = (
            f"component {component} rests until {until:%H:%M:%S} UTC, as it failed in"
            f" {len(breaker.failed)} processes in a row, last in {run.action}: {run.error}"
        )
        if self._opened is not None:
            self._opened(component, breaker.why)

    def _why(self, breaker: _Breaker, process: str) -> str:
        if breaker.rests_until_s is None:
            return ""
        now_s = self._clock.monotonic_s()
        if now_s < breaker.rests_until_s:
            return breaker.why
        if process != breaker.trial and breaker.trial and now_s < breaker.trial_until_s:
            return f"{breaker.why}; one process tries it again"
        if process != breaker.trial:
            breaker.trial, breaker.trial_until_s = process, now_s + _TRIAL_S
        return ""


def reasons_of(told: str) -> Mapping[str, str]:
    """What `why_away` said, by component."""
    return from_json(told) if told else {}
