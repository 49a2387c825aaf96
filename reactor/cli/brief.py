"""An explanation in one screen, for the terminal: lines that are broken where it ends."""

from collections.abc import Iterable
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from reactor.cli.terminal import harmless

_MOST_LINES = 2  # of the terminal, for one of ours
_DEEPER = 4  # columns by which the second is indented


def show_lines(lines: Iterable[str], console: Console) -> None:
    """Print them; what is too long for two lines is cut, as it is told by `--all` and `--json`."""
    for line in lines:
        for part in _broken(harmless(line), console.width):
            is_heading = bool(line) and not line.startswith(" ")
            style = "bold" if is_heading else ""
            console.print(Text(part, style=style, no_wrap=True, overflow="ellipsis"))


def _broken(line: str, width: int) -> list[str]:
    indent = len(line) - len(line.lstrip()) + _DEEPER
    return wrap(
        line,
        width,
        subsequent_indent=" " * indent,
        max_lines=_MOST_LINES,
        placeholder=" …",
        break_on_hyphens=False,
    ) or [""]
