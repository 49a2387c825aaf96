"""What was given up, told: dead letters and effects as JSON-ready documents.

For programs and pages; the command line prints the same.  Pure.
"""

from collections.abc import Iterable

from reactor.dead import Entry
from reactor.ledger import GivenUp
from reactor.preview import preview_effect


def told_letters(entries: Iterable[Entry]) -> list[dict[str, object]]:
    """Letters, without what lies in them."""
    return [_told(entry) for entry in entries]


def told_letter(entry: Entry, body: bytes) -> dict[str, object]:
    """All of one letter; "body" is text, what is no UTF-8 in it replaced."""
    letter = entry.letter
    return {
        **_told(entry),
        "advice": entry.advice,
        "origin": str(letter.origin) if letter.origin else None,
        "first_seen": letter.first_seen.isoformat() if letter.first_seen else None,
        "tries": letter.attempts,
        "traceback": letter.traceback_digest,
        "about": dict(letter.about),
        "key": _text(letter.key or b""),
        "headers": {_text(_raw(k)): _text(_raw(v)) for k, v in letter.headers.items()},
        "body": _text(body),
    }


def told_effects(found: Iterable[GivenUp]) -> list[dict[str, object]]:
    """Effects that were given up."""
    return [
        {
            "key": each.intent.key,
            "at": each.at.isoformat(),
            "effect": each.intent.record.effect.kind,
            "would": preview_effect(each.intent.record.effect),
            "subject": each.intent.subject_name,
            "delivery": each.intent.delivery,
            "process": each.intent.process_id,
            "action": each.intent.record.action,
            "tries": each.attempts,
            "reason": each.reason,
        }
        for each in found
    ]


def _told(entry: Entry) -> dict[str, object]:
    letter, done = entry.letter, entry.handling
    return {
        "id": entry.id,
        "at": entry.at.isoformat(),
        "reason": letter.reason,
        "detail": letter.detail,
        "event": entry.event,
        "subject": entry.subject,
        "delivery": entry.delivery,
        "attempt": entry.attempt,
        "handled": {"what": done.what, "by": done.by, "at": done.at.isoformat()} if done else None,
    }


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _raw(text: str) -> bytes:
    """Headers that were no UTF-8 are kept with surrogates, which nothing can print."""
    return text.encode("utf-8", "surrogateescape")
