"""What commands over many things share: which of them are meant, and how far one has come."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated

import typer

Repo = Annotated[str, typer.Option(help="owner/name.")]
DeliveryId = Annotated[str, typer.Option("--delivery", help="A delivery id.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only tell which ones it would be.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Limit = Annotated[int, typer.Option(min=1, help="Most that are shown.")]


def moment(text: str, *, now: datetime, option: str) -> datetime | None:
    """What `90m`, `2h`, `3d` (ago) or an ISO 8601 moment means; UTC where it has no zone.

    None for nothing.  Raises `typer.BadParameter`.
    """
    if not text:
        return None
    from reactor.journal_search import BadQuery, moment_of

    try:
        return moment_of(text, now=now, name=option)
    except BadQuery as error:
        raise typer.BadParameter(f"say {error.expected}", param_hint=option) from None


def now() -> datetime:
    """The moment, by this machine's clock."""
    from reactor.adapters.clock import SystemClock

    return SystemClock().now()


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing elsewhere; call what it gives for each one done."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
