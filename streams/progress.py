"""Getting on: how a handler says that its record takes long, and does not hang.

The pump puts what wants to know into the context of the task that runs the handler; whatever the
handler calls, and whatever tasks it starts, finds it there.
"""

from collections.abc import Callable
from contextvars import ContextVar

_LISTENING: ContextVar[Callable[[], None] | None] = ContextVar("record_in_work", default=None)


def listen(got_on: Callable[[], None]) -> None:
    """Have this called for each `progressed` in the present task, and in those that it starts."""
    _LISTENING.set(got_on)


def progressed() -> None:
    """Something of the record in work is done for good; outside of a handler it does nothing."""
    if got_on := _LISTENING.get():
        got_on()
