"""The text of an expression: its limits, its reserved words, its string literals.

The limits are far above what a person can read in one condition, and far below what the parsers
can take, so a slip or a hostile package costs an error and not a worker.
"""

import re

MAX_CHARACTERS = 2_000

RESERVED_WORDS = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]
)
"""Words that CEL keeps for itself.  A fact of such a name is written with one underscore behind
it: `package_` is the fact `package`."""

_QUOTED_RAW = r'"""[\s\S]*?"""|' r"'''[\s\S]*?'''|" r'"[^"\n]*"|' r"'[^'\n]*'"
_QUOTED = (
    r'"""(?:[^\\]|\\[\s\S])*?"""|'
    r"'''(?:[^\\]|\\[\s\S])*?'''|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'(?:[^'\\\n]|\\.)*'"
)
_LITERAL = re.compile(rf"(?P<comment>//[^\n]*)|[bB]?[rR](?:{_QUOTED_RAW})|[bB]?(?:{_QUOTED})")
_PREFIX = re.compile(r"""[bBrR]*(?:\"\"\"|'''|"|')""")


def limit_fault(source: str) -> str | None:
    """What makes `source` too large to look at, or None."""
    if len(source) > MAX_CHARACTERS:
        return (
            f"it has {len(source):,} characters, and {MAX_CHARACTERS:,} are allowed; "
            "put the rule into a @condition method"
        )
    if any("\ud800" <= char <= "\udfff" for char in source):
        return "it holds half a character (a lone surrogate); write the character whole"
    return None


def mask_literals(source: str) -> str:
    """`source` with every comment blanked and the inside of every string replaced by `_`.

    Of the same length, so positions keep their meaning.  The checking parser gets this text:
    what is inside a string is none of its business, and its own pattern for strings takes
    exponential time on some.
    """
    return _LITERAL.sub(_mask, source)


def _mask(found: re.Match[str]) -> str:
    text = found.group()
    if found.group("comment"):
        return " " * len(text)
    opening = text[: _opening_length(text)]
    quotes = opening.lstrip("bBrR")
    return opening + "_" * (len(text) - len(opening) - len(quotes)) + quotes


def literal_text(literal: str) -> str:
    """The inside of a string literal as it was written, escapes untouched."""
    length = _opening_length(literal)
    quotes = literal[:length].lstrip("bBrR")
    return literal[length : len(literal) - len(quotes)]


def _opening_length(literal: str) -> int:
    found = _PREFIX.match(literal)
    return found.end() if found else 0
