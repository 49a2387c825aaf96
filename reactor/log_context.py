"""What every log line on behalf of a delivery says of itself: which delivery, process, action.

    with bound(delivery_id="72d3162e", subject="octo/hello#7"):
        ...  # every line that is written in here, also in tasks and threads begun here, has both

The names are constant words: `delivery_id`, `subject`, `process_id`, `component`, `action`.  Here
is only where they are kept; `reactor.logs` puts them on the lines.  Binding costs half a
microsecond, so it may stand around every action.  Imports nothing.
"""

from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import MappingProxyType, TracebackType

_NOTHING: Mapping[str, str] = MappingProxyType({})
_BOUND: ContextVar[Mapping[str, str]] = ContextVar("reactor_log_context", default=_NOTHING)


class bound:  # noqa: N801 - read as a word of the `with` statement
    """Names on all lines within the block; those bound outside stay, unless they are named anew."""

    __slots__ = ("_names", "_token")

    def __init__(self, **names: str) -> None:
        self._names = names

    def __enter__(self) -> None:
        self._token: Token[Mapping[str, str]] = _BOUND.set({**_BOUND.get(), **self._names})

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not GeneratorExit:  # a coroutine that was dropped ends in a context of others
            _BOUND.reset(self._token)


def current() -> Mapping[str, str]:
    """What is bound here and now."""
    return _BOUND.get()
