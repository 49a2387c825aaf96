"""Whether words of a model may be written under an operator's name.

Pure.  A model that was talked into something writes what it was told to, so its words are let
through only as plain prose: no mention, link, picture, reference, markup or command can be made
of the characters that are left, and whole stretches of the author's text do not come back.
"""

import re
import unicodedata

LONGEST = 600  # characters of a reply
_RUN = 8  # words in a row that nobody writes again by chance

# Besides letters, accents and numbers.  None of these does anything on GitHub, alone or in company:
# an @, #, /, <, [, `, *, _, $ or + would.
_PUNCTUATION = frozenset(
    " .,:;!?'\"()%-\u2013\u2014\u2018\u2019\u201c\u201d\u00bf\u00a1\u3001\u3002\u300c\u300d\u060c\u061f\u0964"
)
_CATEGORIES = frozenset("LMN")
# What becomes a link without any sign, there or in the mail about it: an address, a reference as
# `GH-12`, a commit.
_LINK = re.compile(
    r"\w\.[^\W\d_]{2,}|\w\u3002[a-z]{2,}|\bgh-\d|\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b", re.IGNORECASE
)


def plain_words(text: str, *, said: str) -> str:
    """The text on one line, or "" where it is no plain prose, too long, or repeats what was `said`.

    Refused and not mended: what somebody has tampered with is not made better by cutting.
    """
    line = " ".join(unicodedata.normalize("NFKC", text).split())
    if len(line) > LONGEST or not all(map(_is_plain, line)) or _LINK.search(line):
        return ""
    return "" if _repeats(line, said) else line


def _is_plain(character: str) -> bool:
    return character in _PUNCTUATION or unicodedata.category(character)[0] in _CATEGORIES


def _repeats(line: str, said: str) -> bool:
    """Whether a run of its words stands in the other text."""
    words, theirs = _words(line), f" {' '.join(_words(said))} "
    length = min(_RUN, len(words))
    runs = (words[at : at + length] for at in range(len(words) - length + 1))
    return any(f" {' '.join(run)} " in theirs for run in runs if run)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower())
