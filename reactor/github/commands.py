r"""Commands in what people write: `/label bug, "good first issue"` or `@the-bot label bug`.

A command begins a line that its author says himself (see `reactor.github.spoken`), and ends with
the line.  Its words are separated by spaces and commas; what stands in quotation marks or is set as
code is one word.  `\/close` is none.  Whether there is such a command at all is not known here.
Where free text is heard, `@the-bot what is left to do here?` is a call of that, in one word.  Pure.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from reactor.github.spoken import Line, Piece, spoken_lines
from reactor.github.text import COMMENT_LIMIT

# Without it no text has to be read as Markdown.  Only the ASCII of a name is sure to be there as it
# is written: what comes behind an underscore may be escaped.
_MAYBE = re.compile(r"[\r\n] {0,3}(?:/[A-Za-z]|@(?P<login>[A-Za-z0-9-]+))", re.ASCII)
_NAME = r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*)(?=[ \t,]|$)"
_SLASHED = re.compile(rf"/{_NAME}", re.ASCII)
_ADDRESSED = re.compile(
    rf"@(?P<login>[A-Za-z0-9][A-Za-z0-9_-]*)(?:\[bot\])?[:,]?[ \t]+/?{_NAME}", re.ASCII
)
_NAMED = re.compile(r"@(?P<login>[A-Za-z0-9][A-Za-z0-9_-]*)(?:\[bot\])?[:,]?[ \t]+(?=[^/ \t])")
_LONGEST_NAME = 40  # characters
_WORD = re.compile(
    r"""(?:"([^"]*)"|“([^“”]*)”|'([^']*)')(?=[\s,]|$)|([^\s,]+)""",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command as it was written."""

    name: str  # lower case, without the slash
    words: tuple[str, ...] = ()
    is_addressed: bool = False  # it was said to us by name


@dataclass(frozen=True, slots=True)
class FreeText:
    """How to take what is said to us by name in other words than a command's."""

    name: str  # of the command that it is; the text is its one word
    is_command: Callable[[str], bool]  # whether that name is a command, or a slip of one


def commands_in(
    text: str | None,
    *,
    us: Iterable[str] = (),
    free: FreeText | None = None,
) -> tuple[Call, ...]:
    """Those of a text, in order; `us`: logins by which we are addressed.

    A text that is longer than GitHub takes has none.  Slow for a text that is made to be slow (up
    to two seconds): to be called where that holds up nobody.
    """
    return tuple(_calls(text, us, free))


def may_hold_commands(text: str, *, us: Iterable[str] = ()) -> bool:
    """Whether the text has to be read to tell; quick, so that it can be asked of all that is said.

    Many comments begin with somebody's name, and few with ours.
    """
    if len(text) > COMMENT_LIMIT or not ("/" in text or "@" in text):
        return False
    ours = {_plain_login(login).partition("_")[0] for login in us}
    found = (match["login"] for match in _MAYBE.finditer("\n" + text))
    return any(login is None or login.lower() in ours for login in found)


def commands_added(
    text: str | None,
    *,
    before: str | None,
    us: Iterable[str] = (),
    free: FreeText | None = None,
) -> tuple[Call, ...]:
    """Those that an edit has added to `before`; what was there already has run.

    By name and words: one that was moved, or whose blanks were changed, is the same; one whose
    words were changed is another.
    """
    us = tuple(us)
    known = Counter(map(_same, _calls(before, us, free)))
    added = []
    for call in _calls(text, us, free):
        if known[_same(call)]:
            known[_same(call)] -= 1
        else:
            added.append(call)
    return tuple(added)


def _same(call: Call) -> tuple[object, ...]:
    return call.name, call.words


def _calls(text: str | None, us: Iterable[str], free: FreeText | None) -> Iterator[Call]:
    ours = frozenset(map(_plain_login, us))
    if not text or not may_hold_commands(text, us=ours):
        return
    for line in spoken_lines(text):
        call = _call(line, ours)
        if free is not None:
            call = _freely(line, ours, call, free)
        if call is not None:
            yield call


def _plain_login(login: str) -> str:
    return login.lower().removesuffix("[bot]")


def _call(line: Line, ours: frozenset[str]) -> Call | None:
    # The head may be cut up: a name with an underscore, an escaped character.
    plain = _plain(line)
    found = _SLASHED.match(plain) or _ADDRESSED.match(plain)
    if found is None or len(found["name"]) > _LONGEST_NAME:
        return None
    login = found.groupdict().get("login")
    if login is not None and login.lower() not in ours:
        return None
    rest = _after(line, found.end())
    return Call(
        name=found["name"].lower(), words=tuple(_words(rest)), is_addressed=login is not None
    )


def _freely(line: Line, ours: frozenset[str], call: Call | None, free: FreeText) -> Call | None:
    """The call that the line is where free text is heard."""
    if call is not None and call.name == free.name:
        plain = _plain(line)
        head = _SLASHED.match(plain) or _ADDRESSED.match(plain)
        return replace(call, words=_in_one_word(line, head.end())) if head else call
    if call is not None and (not call.is_addressed or free.is_command(call.name)):
        return call
    named = _NAMED.match(_plain(line))
    if named is None or named["login"].lower() not in ours:
        return call  # `@the-bot /nothing` is meant for a command
    return Call(name=free.name, words=_in_one_word(line, named.end()), is_addressed=True)


def _in_one_word(line: Line, start: int) -> tuple[str, ...]:
    """The rest of the line as it was written; nothing where there is none."""
    pieces = (f"`{each.text}`" if each.is_code else each.text for each in _after(line, start))
    text = "".join(pieces).strip().lstrip(", \t")
    return (text,) if text else ()


def _plain(line: Line) -> str:
    """The text up to the first code."""
    parts = []
    for piece in line:
        if piece.is_code:
            parts.append("`")
            break
        parts.append(piece.text)
    return "".join(parts)


def _after(line: Line, end: int) -> Iterator[Piece]:
    """The line without its first `end` characters, which are no code; texts in a row as one."""
    text, rest = "", iter(line)
    for piece in rest:
        if not piece.is_code:
            text += piece.text
            continue
        yield Piece(text[end:])
        yield piece
        text, end = "", 0
    yield Piece(text[end:])


def _words(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        found = [piece.text] if piece.is_code else map(_unquoted, _WORD.finditer(piece.text))
        yield from (word for each in found if (word := each.strip()))


def _unquoted(word: re.Match[str]) -> str:
    return next(group for group in word.groups() if group is not None)
