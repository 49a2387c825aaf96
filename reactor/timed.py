"""Read the delivery that a timer made, beside those of a webhook dialect."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

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
    One that reminds of something is for the reaction that asked for it.
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
        about = told.get("about")
        return Reading(
            facts=[("event", fired), *(self._facts(delivery, about) if about else ())],
            cause=delivery.digest,
            is_typed=False,
            is_own=False,
            reaction=str(told.get("reaction") or ""),
        )

    def _facts(self, delivery: Delivery, about: object) -> Iterator[tuple[str, object]]:
        """What is known of what it reminds of: all that an event tells, but that it happened."""
        if not isinstance(about, Mapping):
            raise UnreadableTimer(delivery.id, "what it is about is no object")
        event, payload = about.get("event"), about.get("payload")
        if not isinstance(event, str) or not isinstance(payload, Mapping):
            raise UnreadableTimer(delivery.id, "what it is about is no event")
        told = replace(delivery, event=event, action=None, payload=payload, source="webhook")
        yield from ((name, fact) for name, fact in self.other(told).facts if name != "event")
