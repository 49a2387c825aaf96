"""Read the delivery that a timer made, beside those of a webhook dialect."""

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from reactor.delivery import Delivery
from reactor.timer import TimerFired
from reactor.topic import GivenUp
from reactor.worker import Reader, Reading


class UnreadableTimer(GivenUp):
    """A delivery that says it is a timer's, and is none."""

    def __init__(self, delivery: str, why: str) -> None:
        super().__init__(delivery, why)
        self.delivery, self.why = delivery, why

    def __str__(self) -> str:
        return f"{self.delivery} is no timer's: {self.why}"


@dataclass(frozen=True, slots=True)
class TimedReader:
    """A `Reader` of what timers make; what comes from anywhere else is read by `other`.

    No `*` listens to timers (they are "untyped"): a reaction to one names it, as `timer.nightly`.
    """

    other: Reader

    def __call__(self, delivery: Delivery) -> Reading:
        """Raises `UnreadableTimer`, and what the other reader raises."""
        if delivery.source != "timer":
            return self.other(delivery)
        told = delivery.payload
        try:
            fired = TypeAdapter(TimerFired).validate_python(
                {"name": told.get("timer"), "due_at": told.get("due_at")}
                | {"payload": told.get("payload", {})}
            )
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            raise UnreadableTimer(delivery.id, faults[0]["msg"]) from None
        return Reading(
            facts=[("event", fired)], cause=delivery.digest, is_typed=False, is_own=False
        )
