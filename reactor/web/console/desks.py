"""The desk behind the console: what people are asked, what waits for approval, what they tell.

A port; `wiring.desk.Desk` fits it.
"""

from typing import Protocol

from reactor.answering import AnswerDesk
from reactor.approvals import Approvals
from reactor.ledger import Fate, Held
from reactor.signal import Signal
from reactor.status import ProcessHead
from reactor.topic import Position

HEARD_S = 3.0
"""How long a page waits until a worker has read what was said; it is kept for longer."""


class Desk(Protocol):
    """Every method may raise `InfrastructureError`."""

    @property
    def answers(self) -> AnswerDesk:
        """Lists forms, takes answers."""
        ...

    @property
    def approvals(self) -> Approvals:
        """Lists effects that wait, takes rulings."""
        ...

    async def tell(self, signal: Signal) -> Position | None:
        """Return once the signal is durable.  Raises `NoSuchProcess`."""
        ...

    async def heard(self, form_id: str, *, within_s: float) -> ProcessHead | None:
        """The process once it has let an answer in; None where that takes longer."""
        ...

    async def ruled(self, held: Held, *, within_s: float) -> Fate | None:
        """The effect once a worker has read the ruling on it; None where that takes longer."""
        ...
