"""Read a GitHub delivery for a worker: its facts, its cause, and whether it was us, or a bot."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reactor.delivery import Delivery
from reactor.github.events import is_typed, read_event
from reactor.github.facts import cause_of, facts_of, happened_at
from reactor.github.own import OwnIdentity, is_own
from reactor.worker import Reading


@dataclass(frozen=True, slots=True)
class GitHubReader:
    """Fits the port `reactor.worker.Reader`."""

    own: OwnIdentity
    on_hosts: Mapping[str, OwnIdentity] = field(default_factory=dict)  # where it is another one

    def __call__(self, delivery: Delivery) -> Reading:
        """Raises `UnreadableEvent` for a payload that is not what its headers say."""
        event = read_event(delivery)
        return Reading(
            facts=facts_of(event),
            cause=cause_of(event),
            is_typed=is_typed(event.event),
            is_own=is_own(event, self.on_hosts.get(event.host, self.own)),
            happened_at=happened_at(event),
            is_bot=event.sender is not None and event.sender.is_bot,
        )
