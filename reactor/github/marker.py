"""The hidden line at the end of what we write: by it we know our own, and find it again.

    <!-- reactor key=KEY delivery=HOST/ID text=DIGEST slot=NAME -->

`key` is the effect's, `delivery` the one that led to it, `text` a digest of the rest, so that a
person's edit shows, and `slot` is there where the comment is one that is kept.  Only the very last
line counts: a text may quote others'.  Pure.
"""

import hashlib
import re
from dataclasses import dataclass

MARKER = "<!-- reactor"  # how it begins

_LINE = re.compile(
    r"\n*<!-- reactor key=(?P<key>[0-9a-f]{32}) delivery=(?P<delivery>[\w./:-]+)"
    r" text=(?P<text>[0-9a-f]{16})(?: slot=(?P<slot>[a-z0-9._-]+))? -->\s*\Z"
)
_UNSAFE = re.compile(r"[^\w./:-]|--", re.ASCII)  # "--" would end the comment


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """What the line says."""

    key: str
    delivery: str
    text: str  # of the text when we wrote it: 16 hex digits
    slot: str = ""
    is_untouched: bool = True  # whether the text is still the one that we wrote


def marked(text: str, *, key: str, delivery: str, slot: str = "") -> str:
    """The text with its marker; what it ends with in blank space is lost."""
    text = text.rstrip()
    safe = _UNSAFE.sub(".", delivery)[:320] or "."
    slotted = f" slot={slot}" if slot else ""
    return f"{text}\n\n{MARKER} key={key} delivery={safe} text={_digest(text)}{slotted} -->"


def marker_in(body: str | None) -> Marker | None:
    """What we have hidden in it; None: nothing, or not as we do it."""
    found = _LINE.search(body or "")
    if found is None or body is None:
        return None
    return Marker(
        key=found["key"],
        delivery=found["delivery"],
        text=found["text"],
        slot=found["slot"] or "",
        is_untouched=_digest(body[: found.start()]) == found["text"],
    )


def _digest(text: str) -> str:
    lines = text.replace("\r\n", "\n").strip()
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:16]
