"""Giving a record up: what the operator needs to know, as a dead letter with the original in it."""

import hashlib
import traceback
from pathlib import PurePath

from reactor.errors import ReactorError
from reactor.topic import DeadLetter, GivenUp
from streams.record import Record, texts

_MESSAGE_UP_TO = 300  # characters of an unexpected error's own words


def letter_for(record: Record, error: BaseException, attempts: int) -> DeadLetter:
    """The letter that says why `record` was given up."""
    return DeadLetter(
        reason=error.dead_reason if isinstance(error, GivenUp) else "poison",
        detail=_detail(error),
        key=record.key,
        body=record.value,
        headers=texts(record.headers),
        origin=record.position,
        traceback_digest=traceback_digest(error),
        attempts=attempts,
        first_seen=record.written_at,
        about=error.about if isinstance(error, GivenUp) else {},
    )


def traceback_digest(error: BaseException) -> str:
    """16 hex digits: equal for errors of one type from one place, wherever it is installed."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{PurePath(frame.filename).name}:{frame.name}:{frame.lineno}" for frame in frames]
    text = "\n".join([type(error).__qualname__, *lines])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _detail(error: BaseException) -> str:
    if isinstance(error, ReactorError):
        return str(error)
    words = " ".join(_words(error).split())[:_MESSAGE_UP_TO]
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}: {words}"


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # its author's mistake must not cost us the record
        return "(its message can't be read)"
