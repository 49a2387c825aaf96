"""Read a GitHub delivery for a worker: its facts, its cause, and whether it was us, or a bot."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
    logins: Mapping[str, str] = field(default_factory=dict)
    """By host, where we are known by none; one may be told only later."""

    def __call__(self, delivery: Delivery) -> Reading:
        """Raises `UnreadableEvent` for a payload that is not what its headers say."""
        event = read_event(delivery)
        return Reading(
            facts=facts_of(event),
            cause=cause_of(event),
            is_typed=is_typed(event.event),
            is_own=is_own(event, self._us(event.host)),
            happened_at=happened_at(event),
            is_bot=event.sender is not None and event.sender.is_bot,
        )

    def _us(self, host: str) -> OwnIdentity:
        us = self.on_hosts.get(host, self.own)
        login = self.logins.get(host) if us.login is None else None
        return us if login is None else replace(us, login=login)
