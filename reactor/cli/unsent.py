"""Effects that were given up, for the terminal and for programs."""

from collections.abc import Iterator, Sequence

from reactor.cli.rows import show_rows
from reactor.ledger import GivenUp
from reactor.unsent import SHORT


def show_list(found: Sequence[GivenUp], *, left_out: int = 0) -> None:
    """Print them."""
    columns = ("key", "when (UTC)", "effect", "subject", "delivery", "tries", "reason")
    rows = (tuple(_row(each)) for each in found)
    show_rows(columns, rows, none="no effect is given up", left_out=left_out)


def _row(found: GivenUp) -> Iterator[str]:
    yield found.intent.key[:SHORT]
    yield f"{found.at:%Y-%m-%d %H:%M:%S}"
    yield found.intent.record.effect.kind
    yield found.intent.subject_name
    yield found.intent.delivery.rpartition("/")[2]
    yield str(found.attempts)
    # a server's words may hold what a terminal takes for a command
    yield "".join(c if c.isprintable() else " " for c in found.reason)
