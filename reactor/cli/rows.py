"""Rows for people: a table where there is room for one, else two lines or more for each."""

from collections.abc import Iterable, Sequence

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reactor.cli.terminal import console

_WIDE = 140  # characters


def show_rows(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, none: str, left_out: int
) -> None:
    """Print them; the last column is the long one.  `none`: what is said where there are none."""
    listed, output = list(rows), console()
    if not listed:
        output.print(none)
    elif output.width >= _WIDE:
        output.print(_table(columns, listed))
    else:
        for *row, last in listed:
            output.print(Text("  ".join(row)), Padding(Text(last), (0, 0, 1, 2)))
    if left_out:
        output.print(f"... and {left_out} older ones: --limit")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column != columns[-1])
    for row in rows:
        table.add_row(*map(Text, row))
    return table
