"""Finding phrases in what people write, and telling prose from code and quotations.

Pure functions on strings; linear in the length of the text, which is cut first.
"""

import re
from collections.abc import Iterable

from reactor.github import readable

READ = 20_000  # characters of a text that rules look at; what follows is logs

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"https?://\S")
_QUOTED = re.compile(r"^ {0,3}>.*$", re.MULTILINE)
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'"})


class Phrases:
    """Several phrases, sought together."""

    def __init__(self, phrases: Iterable[str]) -> None:
        alternatives = "|".join(sorted(map(_pattern, phrases), key=len, reverse=True))
        self._pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)" if alternatives else r"(?!)")

    def in_text(self, text: str) -> frozenset[str]:
        """The different phrases that were found, lower case."""
        return frozenset(self._pattern.findall(text.lower()))

    def cut_from(self, text: str) -> str:
        """The text in lower case, without the phrases."""
        return self._pattern.sub(" ", text.lower())


def visible(text: str | None) -> str:
    """What a person reads: without HTML comments (templates are full of them), and cut."""
    return readable((text or "")[: 2 * READ])[:READ].translate(_APOSTROPHES)


def prose(text: str) -> str:
    """The author's own words: without code, logs and quotations."""
    return _QUOTED.sub(" ", _INLINE_CODE.sub(" ", _FENCED.sub(" ", text)))


def has_code(text: str) -> bool:
    """Whether there is a block of code or of log lines."""
    return _FENCED.search(text) is not None


def shows_how(text: str) -> bool:
    """Whether a text has something to run or to look at: code, or a link."""
    seen = visible(text)
    return has_code(seen) or _LINK.search(seen) is not None


def _pattern(phrase: str) -> str:
    stem = phrase.lower().strip()
    words = r"\s+".join(re.escape(word) for word in stem.removesuffix("*").split())
    return words + r"\w*" if stem.endswith("*") else words
