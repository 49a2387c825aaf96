"""Logging: structlog, set up once by the command line and nowhere else.

Every line goes the same way, also those of libraries: what is bound to it (`reactor.log_context`),
its level and time, the text of its exception, then the censor, then JSON or colours.  After the
censor nothing is added, so that no renderer can show what it has not seen.
"""

import logging
import sys
import traceback
from collections.abc import Iterable
from types import TracebackType

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from reactor.censoring import Censor
from reactor.log_context import current


def configure(*, level: str, style: str, secrets: Iterable[str] = ()) -> None:
    """Write log lines to standard error: as JSON, or for people ("console").

    `secrets`: what must never be on a line, whoever writes it.
    """
    number, censor = logging.getLevelNamesMapping()[level.upper()], Censor(secrets)
    first = first_processors()
    last = last_processors(censor, style=style)
    structlog.configure(
        processors=[*first, *last],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # what libraries log (aiokafka, faust, uvicorn) goes through the same renderer
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=first,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(number, logging.WARNING))
    sys.excepthook = _Crash(censor)


def first_processors() -> list[Processor]:
    """What a line is made of."""
    return [
        structlog.contextvars.merge_contextvars,  # for components that bind names of their own
        _with_context,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]


def last_processors(censor: Censor, *, style: str) -> list[Processor]:
    """How it is written."""

    def censored(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        return censor.mapping(event)

    if style == "json":
        return [censored, structlog.processors.JSONRenderer()]
    # the exception is a text by now: a prettier one would show the values of variables
    plain = structlog.dev.plain_traceback
    colors = sys.stderr.isatty()
    return [censored, structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)]


def _with_context(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """What a line says itself stands; the context fills in the rest."""
    for name, value in current().items():
        event.setdefault(name, value)
    return event


class _Crash:
    """Shows the error that ends a process, as Python does, but without secrets."""

    def __init__(self, censor: Censor) -> None:
        self._censor = censor

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(self._censor.text(text))
