"""What a process has done so far, and what follows from it for the next planning."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from reactor.status import Run

_FINISHED = frozenset({"done", "nothing", "answered", "terminated"})
_FAILED = frozenset({"failed", "timeout"})
_WHY_LEFT_OUT: Mapping[str, str] = {
    "failed": "has just failed",
    "timeout": "has just failed",
    "replan": "asked for another plan",
}


class History:
    """The runs of a process, oldest first.  Everything here follows from them alone."""

    def __init__(self, runs: Iterable[Run] = (), *, forgiven: int = 0) -> None:
        """`forgiven`: of the first so many runs, failures count only if they can't pass."""
        self._forgiven = forgiven
        self.runs: list[Run] = []
        self._ran: dict[int, frozenset[str]] = {}  # by epoch
        self._consumed: set[tuple[str, int]] = set()
        self._failures: Counter[str] = Counter()
        self._barred: dict[str, str] = {}  # at once: the error can't pass, or not before long
        for run in runs:
            self.add(run)

    def add(self, run: Run) -> None:
        """One more run."""
        self.runs.append(run)
        is_forgiven = len(self.runs) <= self._forgiven and not run.permanent
        if run.outcome in _FINISHED:
            self._ran[run.epoch] = self.ran(run.epoch) | {run.action}
            self._consumed.add((run.action, run.consumed))
        elif run.outcome in _FAILED and not is_forgiven:
            self._failures[run.action] += 1
            if run.permanent:
                self._barred[run.action] = f"barred, as this can't pass: {run.error}"
            elif run.hangs:
                self._barred[run.action] = f"barred until it is woken: {run.error}"

    def ran(self, epoch: int) -> frozenset[str]:
        """The actions that have finished since the board was cleared for the `epoch`th time."""
        return self._ran.get(epoch, frozenset())

    def waiting(self, action: str) -> Run:
        """The last run of the action that ended with a question.  Raises `StopIteration`."""
        return next(r for r in reversed(self.runs) if (r.action, r.outcome) == (action, "waiting"))

    def has_consumed(self, action: str, seq: int) -> bool:
        """Whether the action has run for the entry of that number."""
        return (action, seq) in self._consumed

    @property
    def left_out(self) -> Mapping[str, str]:
        """What sits out one planning, and why: an action that has just failed or asked for it."""
        if len(self.runs) <= self._forgiven:
            return {}
        last_tick = self.runs[-1 - self.runs[-1].beside :]
        return {
            run.action: f"left out, as it {_WHY_LEFT_OUT[run.outcome]}: {run.error}"
            for run in last_tick
            if run.outcome in _WHY_LEFT_OUT
        }

    def barred(self, max_failures: int) -> Mapping[str, str]:
        """What is barred, for good or until the process is woken, and why."""
        tired = {
            action: f"barred, as it has failed {failures} times; last: {self.last_error(action)}"
            for action, failures in self._failures.items()
            if failures >= max_failures
        }
        return tired | self._barred

    def last_error(self, action: str) -> str:
        """The error of its last run that failed; "" where none has."""
        return next((run.error for run in self._failed(action)), "")

    def can_pass(self, action: str) -> bool:
        """Whether its last failure was one that may be gone later."""
        return next((run.passing for run in self._failed(action)), False)

    def _failed(self, action: str) -> Iterator[Run]:
        """Its runs that failed, the last one first."""
        return (r for r in reversed(self.runs) if r.action == action and r.outcome in _FAILED)

    def failed_last(self, action: str) -> Run | None:
        """Its last run, if that failed."""
        last = next((run for run in reversed(self.runs) if run.action == action), None)
        return last if last and self.is_failure(last) else None

    def is_failure(self, run: Run) -> bool:
        """Whether the run ended with an error."""
        return run.outcome in _FAILED
