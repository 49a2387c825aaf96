"""Texts as they look: letters of other alphabets and styles as the Latin ones that they resemble.

For finding a word in a text by somebody who does not want it to be found.  What has a plain form
in Unicode (wide, bold, circled, ...) gets that; the rest is a table of what looks alike to people
and to models.  Pure; imports nothing of Reactor.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_LOOKS = {  # Cyrillic, Greek, Armenian, Cherokee, small capitals, letters with strokes
    "a": "\u0430\u0251\u03b1\u1d00\u13aa",
    "c": "\u0441\u1d04",
    "d": "\u0501\u0257\u0256\u0111\u1d05\u13a0\u056a",
    "e": "\u0435\u0454\u04bd\u025b\u0259\u03b5\u1d07\u13ac",
    "h": "\u04bb\u0570\u029c\u13bb",
    "i": "\u0456\u0131\u0269\u03b9\u026a\u04cf",
    "l": "\u029f\u13de",
    "m": "\u043c\u1d0d\u13b7",
    "n": "\u043f\u03b7\u0578\u0274\u057c",
    "o": "\u043e\u03bf\u0585\u1d0f\u00f8",
    "p": "\u0440\u03c1\u1d18",
    "r": "\u0433\u024d\u027d\u0280\u13a1\u13d2",
    "s": "\u0455\u0282\ua731\u13da",
    "t": "\u0442\u03c4\u0167\u01ad\u0288\u1d1b\u13a2",
    "u": "\u03c5\u057d\u028b\u03bc\u0446\u0438\u1d1c",
    "x": "\u0445\u03c7",
    "y": "\u0443\u04af\u03b3\u028f",
    "<": "\u2039\u27e8\u3008\u02c2\u1438\u276e\u276c\u29fc",
    ">": "\u203a\u27e9\u3009\u02c3\u1433\u276f\u276d\u29fd",
    "|": "\u2223\u01c0\u2758",
    "/": "\u2044\u2215\u29f8",
}
_STYLED = (0x1F150, 0x1F170, 0x1F1E6)  # A to Z in circles, in squares, and of flags
_TABLE = {
    **{ord(letter): plain for plain, letters in _LOOKS.items() for letter in letters},
    **{first + number: chr(ord("a") + number) for first in _STYLED for number in range(26)},
}


def as_it_looks(text: str) -> tuple[str, Sequence[int]]:
    """The text in plain small letters without accents; of each, its place in the text."""
    if text.isascii():
        return text.lower(), range(len(text))
    seen, places = list[str](), list[int]()
    for place, character in enumerate(text):
        for plain in _plain(character):
            seen.append(plain)
            places.append(place)
    return "".join(seen), places


@lru_cache(maxsize=4096)  # a text has few different ones
def _plain(character: str) -> str:
    """Several for one that stands for several, as a ligature; none for an accent."""
    parts = unicodedata.normalize("NFKD", character).casefold().translate(_TABLE)
    return "".join(part for part in parts if unicodedata.category(part) not in ("Mn", "Me"))
