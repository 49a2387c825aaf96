"""Dead letters for the terminal: a table of them, and all of one."""

import json
from collections.abc import Iterator, Sequence

from reactor.cli.rows import show_rows
from reactor.dead import Entry

_LONGEST_BODY = 20_000  # characters that are shown; --raw gives all of it


def show_list(entries: Sequence[Entry], *, left_out: int = 0) -> None:
    """Print them."""
    columns = ("id", "when (UTC)", "reason", "event", "subject", "attempts", "detail")
    rows = (tuple(_row(entry)) for entry in entries)
    show_rows(columns, rows, none="no dead letter waits", left_out=left_out)


def _row(entry: Entry) -> Iterator[str]:
    done = f" ({entry.handling.what})" if entry.handling else ""
    yield entry.id
    yield f"{entry.at:%Y-%m-%d %H:%M:%S}"
    yield entry.letter.reason + done
    yield _line(entry.event)
    yield _line(entry.subject)
    yield str(entry.attempt)
    yield _line(entry.letter.detail.partition("\n")[0])


def letter_lines(entry: Entry, body: bytes) -> Iterator[str]:
    """All of one letter."""
    letter = entry.letter
    first_seen = f"{letter.first_seen:%Y-%m-%d %H:%M:%S} UTC" if letter.first_seen else "unknown"
    yield f"id          {entry.id}"
    yield f"reason      {letter.reason}"
    for number, line in enumerate(letter.detail.splitlines() or [""]):
        yield f"{'' if number else 'detail':<11} {_line(line, 1_000)}"
    yield f"now         {entry.advice}"
    if entry.handling:
        done = entry.handling
        yield f"handled     {done.what} by {_line(done.by)} at {done.at:%Y-%m-%d %H:%M:%S} UTC"
    yield f"delivery    {_line(entry.delivery) or 'unknown'}"
    yield f"event       {_line(entry.event) or 'unknown'}"
    yield f"subject     {_line(entry.subject) or 'unknown'}"
    tries = "once" if letter.attempts == 1 else f"{letter.attempts} times"
    yield f"attempt     {entry.attempt}, tried {tries} before it was given up"
    yield f"given up    {entry.at:%Y-%m-%d %H:%M:%S} UTC; it first came {first_seen}"
    yield f"origin      {letter.origin or 'no topic: the gateway kept it'}"
    if letter.traceback_digest:
        yield f"traceback   {letter.traceback_digest}: equal for equal causes"
    if process := letter.about.get("process"):
        yield f"process     {_line(process)}"
    yield "headers"
    for name, value in sorted(letter.headers.items()):
        yield f"  {_line(name)}: {_line(value)}"
    yield f"body        {len(body):,} bytes"
    yield from _body(body)


def _body(body: bytes) -> Iterator[str]:
    """Indented, where it is JSON; else as text."""
    try:
        text = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = _text(body)
    for line in text[:_LONGEST_BODY].splitlines():
        yield f"  {_line(line, _LONGEST_BODY)}"
    if len(text) > _LONGEST_BODY:
        yield f"  ... {len(text) - _LONGEST_BODY:,} characters more: --raw gives all of it"


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _line(text: str, longest: int = 500) -> str:
    """On one line, without what a terminal would take for a command."""
    return "".join(c if c.isprintable() else " " for c in text)[:longest]
