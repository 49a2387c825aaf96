"""What commands ask for, in memory: it keeps what was asked, and tells what it was given.

For tests of components, and where nothing is sent or kept.
"""

from collections.abc import Collection

from reactor.approving import Spoken, Taken
from reactor.ledger import Held
from reactor.recounting import Recounted
from reactor.restarting import Restart
from reactor.status import ProcessHead


class MemoryApprovalDesk:
    """Fits `ApprovalDesk`: what it is given as `waiting` was listed, and waits."""

    def __init__(self) -> None:
        self.waiting: list[Held] = []
        self.spoken: list[Spoken] = []

    async def take(self, spoken: Spoken) -> Taken:
        """Each is ruled on once."""
        self.spoken.append(spoken)
        meant = [each for each in self.waiting if not spoken.ids or _named(each, spoken.ids)]
        self.waiting = [each for each in self.waiting if each not in meant]
        known = tuple(each.intent.key for each in meant)
        unknown = (id_ for id_ in spoken.ids if not any(key.startswith(id_) for key in known))
        return Taken(ruled=known, unknown=tuple(unknown))


class MemoryExplanations:
    """Fits `Explanations`: tells what it is given, whatever the subject."""

    def __init__(self) -> None:
        self.told: list[Recounted] = []

    async def last(self, subject: str, *, asked_in: ProcessHead) -> list[Recounted]:
        """All of it."""
        return list(self.told)


class MemoryRestarts:
    """Fits `Restarts`: nothing comes of them."""

    def __init__(self) -> None:
        self.restarts: list[Restart] = []

    async def start(self, restart: Restart) -> None:
        """Noted."""
        self.restarts.append(restart)


def _named(held: Held, ids: Collection[str]) -> bool:
    return any(held.intent.key.startswith(each) for each in ids)
