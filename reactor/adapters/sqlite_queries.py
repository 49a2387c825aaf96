"""What is asked of the journal's index, as SQL.

The order of records is that of an index, whichever word is asked for, so that a page is read from
its beginning and no further.  Where only some processes are meant, and few, it is asked the other
way round: all of their records, put in order.
"""

import sqlite3
from dataclasses import dataclass, field
from datetime import datetime

from reactor.adapters.moments import micros
from reactor.records import DeliveryQuery, JournalQuery, SubjectNames

PROCESS = (
    "p.id, p.delivery, p.reaction, p.event, p.subject, p.subject_name, p.attempt, p.status,"
    " p.failure, p.began_us, p.changed_us"
)
RECORD = "r.process, r.seq, r.kind, r.at_us, r.data"
_FEW = 2000  # processes


def plain(text: str) -> str:
    """Text as SQLite takes it: what is no character is spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass
class Wanted:
    """Conditions, and the values in them."""

    has_outcome: bool = False  # of an action
    conditions: list[str] = field(default_factory=list)
    values: list[object] = field(default_factory=list)

    def add(self, condition: str, *values: object) -> None:
        """One more, with the values of its question marks."""
        self.conditions.append(f"({condition})")
        self.values += [plain(each) if isinstance(each, str) else each for each in values]

    @property
    def where(self) -> str:
        """All of them."""
        return f"WHERE {' AND '.join(self.conditions)}" if self.conditions else ""

    def time(self, column: str, since: datetime | None, until: datetime | None) -> None:
        """A moment between these, where they are said."""
        if since:
            self.add(f"{column} >= ?", micros(since))
        if until:
            self.add(f"{column} < ?", micros(until))

    def subject(self, column: str, word: str) -> None:
        """A name stands for every subject that has had it."""
        names = SubjectNames(word)
        host = f"{names.host}/" if names.host else ""
        fits = (
            "subject = ? OR ((folded = ? OR (folded >= ? AND folded < ?))"
            " AND substr(subject, 1, ?) = ?)"
        )
        # "$" comes right after "#"
        values = (word, names.name, f"{names.name}#", f"{names.name}$", len(host), host)
        self.add(
            f"{column} IN (SELECT subject FROM processes WHERE {fits}"
            f" UNION SELECT subject FROM deliveries WHERE {fits})",
            *values,
            *values,
        )


def found_rows(open_file: sqlite3.Connection, query: JournalQuery, limit: int) -> list[sqlite3.Row]:
    """Records that fit, newest first, with whose they are: `RECORD` and `PROCESS`."""
    processes, wanted = _of_processes(query), _of_records(query)
    key = "e" if query.effect else "r"
    source = f"{'effects' if query.effect else 'records'} {key}"
    order = f"{key}.at_us DESC, {key}.process DESC, {key}.seq DESC"
    if query.effect and (query.component or query.action or wanted.has_outcome):
        source += " JOIN records r ON r.process = e.process AND r.seq = e.seq"
    if processes.conditions and _are_few(open_file, processes):
        wanted.add(f"{key}.process IN (SELECT id FROM processes p {processes.where})")
        wanted.values += processes.values
        order = f"+{order}"  # by no index: by theirs they are found
    elif processes.conditions:
        # CROSS: in this order, as those that fit are many
        source += f" CROSS JOIN processes p ON p.id = {key}.process"
        wanted.conditions += processes.conditions
        wanted.values += processes.values
    return open_file.execute(
        f"SELECT {RECORD}, {PROCESS} FROM"
        f" (SELECT {key}.process, {key}.seq FROM {source} {wanted.where} ORDER BY {order} LIMIT ?) k"
        " JOIN records r ON r.process = k.process AND r.seq = k.seq"
        " JOIN processes p ON p.id = k.process"
        " ORDER BY r.at_us DESC, r.process DESC, r.seq DESC",
        [*wanted.values, limit],
    ).fetchall()


def _are_few(open_file: sqlite3.Connection, processes: "Wanted") -> bool:
    counted = open_file.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM processes p {processes.where} LIMIT ?)",
        [*processes.values, _FEW + 1],
    )
    return int(counted.fetchone()[0]) <= _FEW


def _of_processes(query: JournalQuery) -> "Wanted":
    wanted = Wanted()
    if query.delivery:
        wanted.add("p.delivery = ? OR p.delivery_id = ?", query.delivery, query.delivery)
    if query.subject:
        wanted.subject("p.subject", query.subject)
    if query.outcome.isupper():
        wanted.add("p.status = ?", query.outcome)
    return wanted


def _of_records(query: JournalQuery) -> "Wanted":
    key = "e" if query.effect else "r"
    wanted = Wanted(has_outcome=bool(query.outcome) and not query.outcome.isupper())
    for column, word in (("component", query.component), ("action", query.action)):
        if word:
            wanted.add(f"r.{column} = ? AND r.{column} != ''", word)
    if query.effect:
        wanted.add("e.kind = ?", query.effect)
    if wanted.has_outcome:
        wanted.add("r.outcome = ? AND r.outcome != ''", query.outcome)
    wanted.time(f"{key}.at_us", query.since, query.until)
    if before := query.before:
        wanted.add(
            f"({key}.at_us, {key}.process, {key}.seq) < (?, ?, ?)",
            micros(before.at),
            before.process_id,
            before.seq,
        )
    return wanted


def wanted_deliveries(query: DeliveryQuery) -> Wanted:
    """Conditions of the deliveries that fit."""
    wanted = Wanted()
    if query.subject:
        wanted.subject("subject", query.subject)
    if query.event:
        wanted.add(
            "event = ? OR (event >= ? AND event < ?)", query.event, *_actions_of(query.event)
        )
    wanted.time("received_us", query.since, query.until)
    if query.before:
        at, name = query.before
        wanted.add("(received_us, name) < (?, ?)", micros(at), name)
    return wanted


def _actions_of(event: str) -> tuple[str, str]:
    return (f"{event}.", f"{event}/") if "." not in event else (event, event)
