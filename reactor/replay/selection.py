"""Which deliveries a replay is about.  Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from reactor.delivery import Delivery


@dataclass(frozen=True, slots=True)
class Offsets:
    """Offsets of one partition; `end` is exclusive, None: up to what it holds."""

    begin: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What was asked for; what is left empty fits all, and all that is said has to fit."""

    since: datetime | None = None  # by when they were received
    until: datetime | None = None  # exclusive
    offsets: Mapping[int, Offsets] = field(default_factory=dict)  # by partition; none: all of them
    repositories: frozenset[str] = frozenset()  # "octo/hello", in lower case
    events: frozenset[str] = frozenset()  # "issues.opened", or "issues" for all its actions
    deliveries: frozenset[str] = frozenset()  # ids, or keys with their host
    reactions: frozenset[str] = frozenset()  # names; of others nothing is started

    def has(self, delivery: Delivery) -> bool:
        """Whether it is meant."""
        return (
            (self.since is None or delivery.received_at >= self.since)
            and (self.until is None or delivery.received_at < self.until)
            and (not self.events or not self.events.isdisjoint((delivery.kind, delivery.event)))
            and (not self.deliveries or not self.deliveries.isdisjoint((delivery.id, delivery.key)))
            and (not self.repositories or _repository(delivery) in self.repositories)
        )


def _repository(delivery: Delivery) -> str:
    return delivery.subject.name.partition("#")[0].lower()
