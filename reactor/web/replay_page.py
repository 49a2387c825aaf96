"""A replay as one page that needs nothing else: no script, no address, no file beside it.

Titles and comments of strangers stand in it: all text is escaped, what moves or hides text is
taken out, and a policy in the page lets nothing be loaded or run, whatever the text says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from reactor.replay.comparing import side_by_side
from reactor.replay.document import Decided, DecidedTick, Replayed
from reactor.replay.folder import Progress, Run
from reactor.web.console.text import visible

MOST = 2_000  # processes that are shown; a browser is slow beyond that
_TITLES = {"different": 0, "failed": 1}


@dataclass(frozen=True, slots=True)
class Row:
    """A tick of then beside one of now."""

    then: str
    now: str

    @property
    def is_same(self) -> bool:
        """Whether they say the same."""
        return self.then == self.now


def write_page(path: Path, run: Run, progress: Progress) -> None:
    """Write the page, in one step.  Raises `OSError`, `DamagedRun`."""
    environment = Environment(
        loader=PackageLoader("reactor.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = visible
    listed = (each for each in run.results() if each["verdict"] in _TITLES)
    pieces = environment.get_template("replay.html").generate(
        run=run.id,
        asked=_asked(run),
        progress=progress,
        summary=progress.summary,
        processes=islice(listed, MOST),
        most=MOST,
        left_out=max(progress.summary.different + progress.summary.failed - MOST, 0),
        rows=rows,
    )
    beside = path.with_name(f".{path.name}.new")
    with beside.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(pieces)
    beside.replace(path)


def rows(told: Replayed) -> Iterator[Row]:
    """What was chosen and is chosen, line by line, then how it ended."""
    then, now = told["then"], told["now"]
    if told["verdict"] == "same":  # it is told once
        then = now
    for before, after in side_by_side(_ticks(then), _ticks(now)):
        yield Row(_said(before), _said(after))
    unknown = "not known" if told["verdict"] == "new" else "not started"
    yield Row(then["status"] if then else unknown, now["status"] if now else "not started")


def _asked(run: Run) -> dict[str, Any]:
    """The options that were given."""
    options = run.request.get("options", {})
    return {name: value for name, value in options.items() if value}


def _ticks(told: Decided | None) -> list[DecidedTick]:
    return told["ticks"] if told else []


def _said(tick: DecidedTick | None) -> str:
    return f"{tick['action']} {tick['outcome']}" if tick else ""
