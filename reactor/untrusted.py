"""Text by strangers, made fit to stand in a prompt: it can be read there, and it can't pretend.

    <untrusted 5d41402a issue body, by octocat, trust=anyone>
    ...
    </untrusted 5d41402a>

Fenced and marked by who wrote it.  What no person sees is gone, since it would speak to models
alone; what looks like one of our fences, or like a turn of a conversation, is broken up; keys and tokens
that somebody pasted are left out; and it has an end.  That a text is fenced makes nothing in it true: what a model answers is checked, by
its type and by what is allowed, wherever something is to come of it.

Pure functions on strings.
"""

import hashlib
import re
import unicodedata
from enum import StrEnum

from reactor.censoring import without_tokens
from reactor.lookalikes import as_it_looks

LIMIT = 12_000  # characters: some 3,000 tokens
_MOST_MARKS = 4  # accents on one letter; real writing needs two
_LABEL_LIMIT = 80
_CUT = "\n[... {left} characters left out]"
_MAINTAINERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})

# What shows nothing and is no format character: fillers, selectors of glyphs (bytes can be hidden
# in a row of them), the blank of Braille.
_SHOWS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_NO_CHARACTERS = frozenset({"Cf", "Cc", "Co", "Cs", "Cn"})
_KEPT = frozenset("\n\t")

# All of these are looked for in the text as it looks (`as_it_looks`), so that neither wide letters
# nor those of another alphabet hide a mark.  Of a row of signs only its beginning is tried, all of
# it at once: linear, whoever wrote the text.
_FENCE = re.compile(r"(?<![\W_])[\W_]++(?=" + r"[\W_]{0,3}".join("untrusted") + ")")
_TURN = re.compile(
    r"<(?=\s*+\|)|\[(?=\s*+/?\s*+(?:inst|sys)\s*\])|<(?=\s*+/?\s*+(?:s|sys|system|user|"
    r"assistant|tool|human|im_start|im_end|start_of_turn|end_of_turn)\s*>)|<(?=<\s*/?sys)"
)
_BROKEN = "\u2039"  # what takes the place of a bracket


class Trust(StrEnum):
    """How far whoever wrote a text belongs to the repository."""

    MAINTAINER = "maintainer"
    CONTRIBUTOR = "contributor"
    ANYONE = "anyone"

    @classmethod
    def of_association(cls, association: str) -> "Trust":
        """By `author_association`, as payloads have it; what is unknown is anyone."""
        if association in _MAINTAINERS:
            return cls.MAINTAINER
        return cls.CONTRIBUTOR if association == "CONTRIBUTOR" else cls.ANYONE


def clean(text: str) -> str:
    """The text as a person sees it: without characters that show nothing, in NFC.

    Also gone: controls of direction, characters of no meaning, and accents beyond the fourth on
    one letter.  A line ends with a line feed, whatever it ended with.
    """
    seen = unicodedata.normalize("NFC", _SHOWS_NOTHING.sub("", _BREAKS.sub("\n", text)))
    kept: list[str] = []
    marks = 0
    for character in seen:
        category = unicodedata.category(character)
        if category in _NO_CHARACTERS and character not in _KEPT:
            continue
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


def defuse(text: str) -> str:
    """Break up what looks like a fence of ours, or like the marks of a turn to some model."""
    seen, places = as_it_looks(text)
    rows = (range(*row.span()) for row in _FENCE.finditer(seen))
    brackets = {places[at] for row in rows for at in row if seen[at] == "<"}
    brackets |= {places[turn.start()] for turn in _TURN.finditer(seen)}
    if not brackets:
        return text
    return "".join(_BROKEN if at in brackets else letter for at, letter in enumerate(text))


def fence(
    text: str,
    *,
    source: str = "",
    author: str = "",
    trust: Trust = Trust.ANYONE,
    limit: int = LIMIT,
) -> str:
    """The text, cleaned, without tokens, defused, cut to `limit` characters, between our marks.

    `source`: what it is, as "issue body"; `author`: a login.  Equal texts give equal fences, so
    that answers to them can be kept.
    """
    whole = without_tokens(clean(text))
    safe = defuse(whole[:limit])
    if len(whole) > limit:
        safe += _CUT.format(left=len(whole) - limit)
    by = _label(author)
    told = [_label(source), f"by {by}" if by else "", f"trust={trust}"]
    what = ", ".join(filter(None, told))
    mark = hashlib.sha256(f"{what}\x1f{safe}".encode()).hexdigest()[:8]
    return f"<untrusted {mark} {what}>\n{safe}\n</untrusted {mark}>"


def _label(text: str) -> str:
    """On one line, short, and without anything that ends a mark."""
    return re.sub(r"[^\w .@/#:+-]", "", " ".join(clean(text).split()))[:_LABEL_LIMIT].strip()
