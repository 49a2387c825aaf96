"""What a replay found, as JSON-ready documents: a line for each process, and the sum of all.

These are the lines of `results.jsonl` in a run's folder, what `--json` prints and what the
console shows.  Shapes only.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NotRequired, TypedDict

Verdict = Literal["same", "different", "failed", "new"]
"""What a comparison comes to.

"failed": it could not be replayed, and says why.  "new": the journal has nothing of it, or it had
not come to rest then, so there is nothing to compare with.
"""


class DecidedTick(TypedDict):
    """An action that was chosen, and how it ended."""

    tick: int  # 1, 2, 3, ... as the journal counts
    action: str  # "triage.label_issue"
    outcome: str  # "done", "nothing", "failed", "answered", ...
    net_value: float  # of the plan; 0 where a person answered
    error: str  # one line; "" otherwise
    outputs: list[str]  # facts that it brought: "Type: preview"; shown, never compared


class DecidedEffect(TypedDict):
    """A change that was asked for."""

    kind: str  # "AddLabels"
    key: str  # the idempotency key, in which its content is
    action: str  # that asked for it
    state: str  # "observed", "intended", "refused": as it was judged
    preview: str
    reason: str  # why less came of it than its reaction says; "" otherwise
    rules: str  # version of the repository's own rules that counted; "" where it had none


class Decided(TypedDict):
    """What one process decided."""

    status: str  # "COMPLETED", ...; "RUNNING" where the journal does not tell its end
    reason: str  # why it came to rest
    goal: str | None
    ticks: list[DecidedTick]
    effects: list[DecidedEffect]


class Difference(TypedDict):
    """One thing that is decided otherwise now."""

    what: Literal["process", "action", "outcome", "effect", "policy", "end"]
    tick: int  # of then, else of now; 0: of no tick
    then: str  # "" where there was nothing
    now: str  # "" where there is nothing


class Replayed(TypedDict):
    """One process, then and now."""

    process: str
    delivery: str  # `Delivery.key`: "github.com/72d3162e-..."
    event: str  # "issues.opened"
    subject: str  # "octo/hello#7"
    reaction: str
    attempt: int
    received_at: str  # ISO 8601, UTC
    verdict: Verdict
    then: Decided | None  # None: the journal has nothing, or (verdict "same") it is as `now`
    now: Decided | None  # None: nothing is started now, or it could not be replayed
    differences: list[Difference]
    unrecorded: list[str]
    """Calls without a record of their answer, so that the replay's own stores answered: what
    differs may be due to that."""
    failure: str  # with "failed": why, in a sentence; "" otherwise
    parent: NotRequired[str]  # the process that it is a sub-process of


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The sum of a run, so far or at its end."""

    deliveries: int = 0
    processes: int = 0
    same: int = 0
    different: int = 0
    failed: int = 0
    new: int = 0  # of `processes`, as those before
    unrecorded: int = 0  # processes with any unrecorded call, whatever their verdict
    ignored: int = 0  # deliveries by which nothing is started now, nor was then

    def plus(self, found: Iterable[Replayed]) -> "Summary":
        """With one more delivery, and what was found of it."""
        processes = list(found)
        verdicts = [each["verdict"] for each in processes]
        return replace(
            self,
            deliveries=self.deliveries + 1,
            processes=self.processes + len(processes),
            same=self.same + verdicts.count("same"),
            different=self.different + verdicts.count("different"),
            failed=self.failed + verdicts.count("failed"),
            new=self.new + verdicts.count("new"),
            unrecorded=self.unrecorded + sum(bool(each["unrecorded"]) for each in processes),
            ignored=self.ignored + (not processes),
        )

    def line(self, *, rate: float) -> str:
        """The last line of the command; `rate`: deliveries a second."""
        return (
            f"replay: deliveries={self.deliveries} processes={self.processes} same={self.same}"
            f" different={self.different} failed={self.failed} rate={rate:.1f}/s"
        )
