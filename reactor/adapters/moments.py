"""Moments as whole microseconds since 1970, which a double holds exactly until the year 2255."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(at: datetime) -> int:
    """Microseconds since 1970."""
    return (at - _EPOCH) // _MICROSECOND


def moment(us: int) -> datetime:
    """The moment of so many microseconds since 1970."""
    return _EPOCH + us * _MICROSECOND
