"""Errors as they were raised, out of the groups that tasks beside each other put around them."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise the first error of a group that leaves the block, so that its sentence is seen.

    What runs beside each other in one process of ours ends together, for one reason.
    """
    try:
        yield
    except BaseExceptionGroup as errors:
        raise _first(errors) from None


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
