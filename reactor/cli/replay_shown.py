"""A replay on a terminal: how far it is, what differs, side by side, and the sum of it."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import typer

from reactor.cli.terminal import harmless
from reactor.replay.comparing import side_by_side
from reactor.replay.document import Decided, DecidedTick, Replayed, Summary

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from reactor.package import Fault
    from reactor.replay.folder import Progress, Run

_LINE_EVERY_S = 5.0  # where there is no terminal
_READING = "reading what was decided then"
_NARROW = 60  # columns that one side of a comparison has, where nobody knows better


class Telling(Protocol):
    """Hears how a replay goes."""

    def read(self, count: int) -> None:
        """So many records of then more were read."""
        ...

    def progress(self, progress: "Progress") -> None:
        """So far it is."""
        ...

    def faults(self, faults: "Sequence[Fault]") -> None:
        """Packages that could not take part."""
        ...


@contextmanager
def telling(run: str) -> Iterator[Telling]:
    """A bar on a terminal, lines elsewhere; both on standard error."""
    typer.echo(f"replay {run}: nothing is sent", err=True)
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("replaying"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _OnBar(bar)


class _OnBar:
    def __init__(self, bar: "Bar") -> None:
        self._bar = bar
        self._task, self._read = bar.add_task("replaying", total=None, told=_READING), 0

    def read(self, count: int) -> None:
        self._read += count
        self._bar.update(self._task, told=f"{_READING}: {self._read} records")

    def progress(self, progress: "Progress") -> None:
        self._bar.update(
            self._task,
            completed=progress.read,
            total=progress.total or None,
            told=_pace(progress),
        )

    def faults(self, faults: "Sequence[Fault]") -> None:
        for fault in faults:
            self._bar.console.print(f"left out: {fault}", markup=False, highlight=False)


class _Lines:
    def __init__(self) -> None:
        self._next_s, self._read = time.monotonic() + _LINE_EVERY_S, 0

    def read(self, count: int) -> None:
        self._read += count
        if self._is_due():
            typer.echo(f"{_READING}: {self._read} records", err=True)

    def progress(self, progress: "Progress") -> None:
        if not self._is_due():
            return
        total = f" of {progress.total}" if progress.total else ""
        typer.echo(f"replayed {progress.read}{total}, {_pace(progress)}", err=True)

    def _is_due(self) -> bool:
        if time.monotonic() < self._next_s:
            return False
        self._next_s = time.monotonic() + _LINE_EVERY_S
        return True

    def faults(self, faults: "Sequence[Fault]") -> None:
        for fault in faults:
            typer.echo(f"left out: {fault}", err=True)


def _pace(progress: "Progress") -> str:
    left = progress.left_s
    to_go = f", {left:.0f} s left" if left is not None else ""
    different = progress.summary.different
    return f"{progress.rate:.0f}/s{to_go}, {different} different"


def show_results(run: "Run", progress: "Progress", *, most: int) -> None:
    """The processes that differ or could not be replayed, and what the counts mean."""
    shown = left_out = 0
    for each in run.results():
        if each["verdict"] not in ("different", "failed"):
            continue
        if shown == most:
            left_out += 1
            continue
        shown += 1
        _show_process(each)
    if left_out:
        typer.echo(
            f"{left_out} more differ or failed: `reactor replay --resume {run.id} --json`, or --html"
        )
    for line in remarks(progress.summary):
        typer.echo(line)


def remarks(summary: Summary) -> Iterator[str]:
    """What the last line leaves out."""
    if not summary.deliveries:
        yield "no recorded delivery fits what was asked for: nothing was replayed"
    if summary.new:
        yield (
            f"{summary.new} new: the journal has nothing of them, or not to their end, so there is"
            " nothing to compare with"
        )
    if summary.unrecorded:
        yield (
            f"{summary.unrecorded} unrecorded: a service or model was asked what the journal has no"
            " answer to; the replay's own stores answered, and differences may be due to that"
        )
    if summary.ignored:
        yield f"{summary.ignored} deliveries start nothing of what was asked for, as before"


def _show_process(told: Replayed) -> None:
    mark = " (unrecorded)" if told["unrecorded"] else ""
    title = f"{told['verdict']}{mark}  {told['event']}  {told['subject']}  [{told['reaction']}]"
    typer.secho(harmless(title), bold=True, fg="red" if told["verdict"] == "failed" else "yellow")
    _, _, delivery = told["delivery"].rpartition("/")
    typer.echo(harmless(f"  delivery {delivery}  process {told['process']}"))
    if told["failure"]:
        typer.echo(harmless(f"  {told['failure']}"))
    if told["verdict"] == "different":
        _show_sides(told["then"], told["now"])
    for difference in told["differences"]:
        then, now = difference["then"] or "nothing", difference["now"] or "nothing"
        typer.echo(harmless(f"  {difference['what']}: {then} -> {now}"))
    for call in told["unrecorded"]:
        typer.echo(harmless(f"  no record: {call}"))
    typer.echo("")


def _show_sides(then: Decided | None, now: Decided | None) -> None:
    from rich.table import Table
    from rich.text import Text

    from reactor.cli.terminal import console

    table = Table(box=None, padding=(0, 2), show_edge=False)
    table.add_column("then", max_width=_NARROW)
    table.add_column("", width=1)
    table.add_column("now", max_width=_NARROW)
    ticks = side_by_side(then["ticks"] if then else (), now["ticks"] if now else ())
    for before, after in ticks:
        is_same = _said(before) == _said(after)
        style = "" if is_same else "bold"
        table.add_row(
            Text(harmless(_said(before)), style=style),
            "" if is_same else "≠",
            Text(harmless(_said(after)), style=style),
        )
    ends = [f"{each['status']}" if each else "not started" for each in (then, now)]
    table.add_row(Text(ends[0]), "" if ends[0] == ends[1] else "≠", Text(ends[1]))
    console().print(table)


def _said(tick: DecidedTick | None) -> str:
    return f"{tick['action']} {tick['outcome']}" if tick else ""
