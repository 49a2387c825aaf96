"""What somebody says in a Markdown text in their own words, line by line, as GitHub shows it.

Not theirs, or not said, and so left out: quotes (with the lines that run on behind one), code of
every kind, HTML comments and what stands within tags of code and quotes, headings with `#`, tables,
items of lists.  A line behind an item that isn't indented is said, though Markdown counts it to the
item: people write it below a list, and mean it for itself.

Pure.  Reads Markdown as CommonMark 0.31 has it, with GitHub's tables.  Where in doubt, it is left
out: nobody is hurt by that, they say it again.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_NEWLINE = re.compile(r"\r\n?|\n")
_INDENT = re.compile(r" {0,3}(?=[^ \t])")  # more is meant for code, even where it is none
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>"
    r"pre|code|blockquote|samp|kbd|tt|xmp|q|s|del|strike|script|style|textarea|title)(?=[\s/>])",
    re.IGNORECASE,
)
_LISTS = frozenset({"bullet_list", "ordered_list", "list_item"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line: plain text, or code within the line, whose content is one word."""

    text: str
    is_code: bool = False


Line = tuple[Piece, ...]
"""Begins with plain text."""


def spoken_lines(text: str) -> Iterator[Line]:
    """The lines that begin with plain text, in order.

    Takes a millisecond for a usual comment, up to two seconds for one that is made to be slow.
    """
    from markdown_it import MarkdownIt  # a hundred modules; few texts need it

    # An escaped character stays apart from the text: `\/close` is how not to say it.
    markdown = MarkdownIt("commonmark").enable("table").disable("text_join")
    source = _NEWLINE.split(text)
    within: list[str] = []  # the blocks around, from the outside
    unsaid: Counter[str] = Counter()  # tags that are open, and whose content is not said
    for token in markdown.parse(text):
        if token.nesting > 0:
            within.append(_block(token))
        elif token.nesting < 0:
            within.pop()
        elif token.type == "html_block":
            _follow_tags(token.content, unsaid)
        elif token.type == "inline":
            first = token.map[0] if token.map else 0
            lines = _lines(token.children or [], unsaid)
            if within == ["paragraph"]:
                raw = _raw_lines(token, lines, source[first:])
                yield from (line for line, begins in zip(lines, raw, strict=True)
                            if line and (begins is None or _INDENT.match(begins)))  # fmt: skip
            elif within[-1:] == ["paragraph"] and _LISTS.issuperset(within[:-1]):
                raw = _raw_lines(token, lines, source[first:])
                yield from (line for line, begins in zip(lines[1:], raw[1:], strict=True)
                            if line and begins and not begins[0].isspace())  # fmt: skip


def _block(token: "Token") -> str:
    """A heading that is underlined is a line like any other: nobody means it before a rule."""
    name = token.type.removesuffix("_open")
    return "paragraph" if name == "heading" and not token.markup.startswith("#") else name


def _raw_lines(token: "Token", lines: Sequence[Line], source: Sequence[str]) -> list[str | None]:
    """How each line was written; None: code or a link within the text goes over several lines."""
    if token.content.count("\n") + 1 != len(lines):
        return [None] * len(lines)
    return [*source[: len(lines)]]


def _lines(children: Sequence["Token"], unsaid: Counter[str]) -> list[Line]:
    """The lines of a paragraph; empty where one is not said."""
    lines: list[Line] = []
    pieces: list[Piece] = []
    level, is_head, is_said = 0, True, False
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            lines.append(tuple(pieces) if is_said else ())
            pieces, is_head, is_said = [], True, False
            continue
        if is_head:
            is_head, is_said = (
                False,
                child.type == "text" and level == 0 and not any(unsaid.values()),
            )
        level += child.nesting
        if child.type == "html_inline":
            _follow_tags(child.content, unsaid)
        elif is_said:
            pieces += _pieces(child)
    lines.append(tuple(pieces) if is_said else ())
    return lines


def _pieces(child: "Token") -> Iterator[Piece]:
    if child.type == "code_inline":
        yield Piece(child.content, is_code=True)
    elif child.type in ("text", "text_special"):
        yield Piece(child.content)
    elif child.markup and child.type.startswith(("em_", "strong_")):
        yield Piece(child.markup)  # as it was written: names have underscores


def _follow_tags(html: str, unsaid: Counter[str]) -> None:
    for tag in _TAG.finditer(_COMMENT.sub("", html)):
        name = tag["name"].lower()
        unsaid[name] = max(0, unsaid[name] + (-1 if tag["end"] else 1))
