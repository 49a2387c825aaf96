"""Spans: how long each step on behalf of a delivery took, and what it was a part of.

    with span("action", component="triage", action="triage.save_new_issue") as step:
        ...
        step.note(outcome="done")

Spans nest as the blocks do, into the tasks and threads that are begun inside; across a topic or a
store the parent travels as a `traceparent` (W3C Trace Context).  Who makes them is a `Tracer`, put
in place by the wiring for as long as a process runs; without one, a span costs a microsecond and
does nothing.  Only ids and constant words go into a span, no payload and no text of an error.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Protocol

Noted = str | int | float | bool


class Span(Protocol):
    """A step that is under way."""

    @property
    def traceparent(self) -> str:
        """What makes later steps, elsewhere, parts of it; "" where nobody traces."""
        ...

    def note(self, **noted: Noted) -> None:
        """Add what has become known of it."""
        ...


class Tracer(Protocol):
    """Makes spans."""

    def span(
        self, name: str, parent: str, noted: Mapping[str, Noted]
    ) -> AbstractContextManager[Span]:
        """A span for as long as the block lasts.

        It is part of the one around it, or of `parent` if that is given; an error that leaves the
        block is noted by its class.
        """
        ...


_TRACER: ContextVar[Tracer | None] = ContextVar("reactor_tracer", default=None)


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Spans of this block, and of all tasks that are begun in it, are made by the tracer."""
    token = _TRACER.set(tracer)
    try:
        yield
    finally:
        with suppress(ValueError):  # it ends in another context than it began in
            _TRACER.reset(token)


def span(name: str, *, parent: str = "", **noted: Noted) -> AbstractContextManager[Span]:
    """A step on behalf of a delivery; `name` and the names of `noted` are constant words."""
    tracer = _TRACER.get()
    return _NO_SPAN if tracer is None else tracer.span(name, parent, noted)


class _NoSpan:
    """Where nobody traces."""

    traceparent = ""

    def note(self, **_: Noted) -> None:
        """Nothing."""

    def __enter__(self) -> "_NoSpan":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


_NO_SPAN = _NoSpan()
