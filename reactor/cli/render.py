"""All of an explanation, for the terminal: the six lines, then each planning as a table."""

from collections.abc import Iterator
from typing import Any, cast

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from reactor.cli.terminal import harmless
from reactor.explain import ToldDelivery, ToldProcess, ToldTick
from reactor.sentences import (
    answer_sentence,
    fate_notes,
    six_lines,
    spent_sentence,
    unmet_sentence,
)


def show(told: ToldDelivery, console: Console) -> None:
    """Print it all."""
    for line in six_lines(told):
        console.print(Text(harmless(line)))
    for process in told["processes"]:
        console.print(Group(*_process(process)))


def _process(process: ToldProcess) -> Iterator[RenderableType]:
    status = f"{process['status']}: {process['reason'] or process['failure']}"
    attempt = f", attempt {process['attempt']}" if process["attempt"] > 1 else ""
    title = harmless(f"{process['reaction']}{attempt}  {process['id']}  {status}")
    yield Text(f"\n{title}", style="bold")
    if spent := spent_sentence(process):
        yield Text(f"spent: {spent}")
    for number, tick in enumerate(process["ticks"], start=1):
        yield _planning(number, tick)
    for answered in process["answers"]:
        yield Text(harmless(f"answer: {answer_sentence(answered)}"))
    for form in process["forms"]:
        waits = f"waits: {form['title']}  (answer with `reactor answer {form['id']}`)"
        yield Text(harmless(waits))
    for effect in process["effects"]:
        notes = f": {found}" if (found := fate_notes(effect)) else ""
        state = effect["state"].replace("_", " ")
        yield Text(harmless(f"effect {state}: {effect['would']}  (by {effect['action']}){notes}"))


def _planning(number: int, tick: ToldTick) -> Table:
    by = f" (picked by the {tick['chosen_by']})" if tick.get("chosen_by") else ""
    by += f" (asked {', '.join(tick['models'])})" if tick.get("models") else ""
    title = f"tick {number}: {tick['chosen'] or 'nothing could run'}{by}{_came_of(tick)}"
    # a string would be read as markup, and errors say what they like
    table = Table(
        title=Text(harmless(title)), title_justify="left", title_style="", box=None, pad_edge=False
    )
    for column in ("action", "net", "why"):
        table.add_column(column, overflow="fold")
    for row in (*_candidates(tick), *_blocked(tick)):
        table.add_row(*(Text(harmless(each)) for each in row))
    return table


def _came_of(tick: ToldTick) -> str:
    ran = cast("Any", tick)
    if not tick["chosen"]:
        return ""
    outputs = ", ".join(fact["type"] for fact in ran.get("outputs", []))
    error = f" {ran['error']}" if ran.get("error") else ""
    return f" -> {outputs or ran.get('outcome', '')}{error}"


def _candidates(tick: ToldTick) -> Iterator[tuple[str, str, str]]:
    for candidate in tick["candidates"]:
        is_chosen = candidate["action"] == tick["chosen"]
        why = f"value {candidate['value']:.2f} - cost {candidate['cost']:.2f}"
        mark = "> " if is_chosen else "  "
        yield mark + candidate["action"], f"{candidate['net_value']:+.2f}", why


def _blocked(tick: ToldTick) -> Iterator[tuple[str, str, str]]:
    for found in tick["not_runnable"]:
        unmet = "; ".join(unmet_sentence(each) for each in found["unmet"])
        yield "  " + found["action"], "", unmet
