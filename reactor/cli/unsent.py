"""Effects that were given up, for the terminal and for programs."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reactor.ledger import GivenUp
from reactor.unsent import SHORT

_WIDE, _IN_A_PIPE = 140, 240  # characters


def show_list(found: Sequence[GivenUp], *, left_out: int = 0) -> None:
    """Print a table; on a narrow terminal, two lines or more for each."""
    console = Console(highlight=False)
    if not console.is_terminal:  # a pipe has no width
        console = Console(highlight=False, width=_IN_A_PIPE)
    if not found:
        console.print("no effect is given up")
    elif console.width >= _WIDE:
        console.print(_table(found))
    else:
        for each in found:
            *row, reason = _row(each)
            console.print(Text("  ".join(row)), Padding(Text(reason), (0, 0, 1, 2)))
    if left_out:
        console.print(f"... and {left_out} older ones: --limit")


def _table(found: Sequence[GivenUp]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("key", "when (UTC)", "effect", "subject", "delivery", "tries", "reason"):
        table.add_column(column, overflow="fold", no_wrap=column != "reason")
    for each in found:
        table.add_row(*map(Text, _row(each)))
    return table


def _row(found: GivenUp) -> Iterator[str]:
    yield found.intent.key[:SHORT]
    yield f"{found.at:%Y-%m-%d %H:%M:%S}"
    yield found.intent.record.effect.kind
    yield found.intent.subject_name
    yield found.intent.delivery.rpartition("/")[2]
    yield str(found.attempts)
    # a server's words may hold what a terminal takes for a command
    yield "".join(c if c.isprintable() else " " for c in found.reason)


def told_list(found: Sequence[GivenUp]) -> list[dict[str, object]]:
    """The same for programs."""
    return [
        {
            "key": each.intent.key,
            "at": each.at.isoformat(),
            "effect": each.intent.record.effect.kind,
            "subject": each.intent.subject_name,
            "delivery": each.intent.delivery,
            "process": each.intent.process_id,
            "action": each.intent.record.action,
            "tries": each.attempts,
            "reason": each.reason,
        }
        for each in found
    ]
