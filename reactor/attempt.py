"""One try at sending an effect: what its executor is told, and what that can say.

An executor is a method with `@executes` of a component.  It returns once the change is made
outside; what it returns is kept for people, as JSON.  It may also say one of these:

    raise EffectRefused(reason)             it will never be made: the ledger keeps the reason
    raise EffectGivenUp(reason)             not until a person does something: grants, sets, installs
    raise EffectDelayed(reason, retry_in_s) not now; what follows on its subject waits behind it
    return AlreadyDone(result)              it looked, and the change was there already

Any other error is tried again after growing pauses, a bounded number of times (far more often where
the other side is away: connections, time-outs, 5xx, `PassingError`), and counts as one whose answer
was lost: the next try is told that the change may be there.  Then it is given up.  So is what was
put off for too long (`effects.give_up_after_s`).  A person can drive again what was given up.
"""

from dataclasses import dataclass
from datetime import datetime

from reactor.errors import ReactorError


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What an executor is told besides the effect."""

    key: str  # the idempotency key, 32 hex digits: equal for every try of this change
    host: str  # "github.com", or an enterprise host
    subject: str  # `Subject.key`: "github.com/1296269#7"
    subject_name: str  # "octo/hello#7", as it was called in the delivery
    delivery: str  # `Delivery.key` of the one that led to it
    cause: str  # digest of what happened
    happened_at: datetime | None = None  # by GitHub's clock: who changes it later, wins
    number: int = 1  # of this try; 1 for the first
    priority: int = 0  # above 0: a person asked for it
    may_be_done: bool = False
    """An earlier try was cut off, or its answer was lost: look whether the change is there
    before you write."""


@dataclass(frozen=True, slots=True)
class AlreadyDone:
    """Returned by an executor that found the change already there, and wrote nothing."""

    result: object = None  # as any result: kept for people


class EffectRefused(ReactorError):
    """Raised by an executor: the change will never be made; trying again would not help."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class EffectGivenUp(EffectRefused):
    """Raised by an executor: it can't be made until a person does something, which `reason` names.

    A permission that is granted, an app that is installed, a token that is set.  Nothing was
    written; what follows on its subject goes on, and a person can drive it again.
    """


class EffectDelayed(ReactorError):
    """Raised by an executor: nothing was written, and it can be tried again after a while.

    For limits and the like: it does not count as a failure.
    """

    def __init__(self, reason: str, retry_in_s: float, *, counts: bool = True) -> None:
        """`counts`: towards how long it is put off at most; False where that ends by itself."""
        super().__init__(reason, retry_in_s)
        self.reason, self.retry_in_s, self.counts = reason, retry_in_s, counts

    def __str__(self) -> str:
        return f"{self.reason}; it is tried again in {self.retry_in_s:g} s"
