"""The index of the journal in SQLite: looked into, beside whoever writes it.

Each question opens the file anew, which takes a fraction of a millisecond: so nobody holds a file
that was replaced, and questions wait neither for each other nor for the writer (WAL).  All of it
happens in threads.  Tables: `sqlite_schema`.
"""

import asyncio
import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, TypeVar, cast

from reactor.adapters.moments import micros, moment
from reactor.adapters.sqlite_queries import PROCESS, RECORD, found_rows, plain, wanted_deliveries
from reactor.adapters.sqlite_schema import AnotherSchema, connect
from reactor.journal import JournalRecord, Kind
from reactor.records import (
    MOST,
    Bar,
    Cursor,
    DeliveryMark,
    DeliveryQuery,
    Found,
    FoundDeliveries,
    FoundRecord,
    JournalQuery,
    NoRecords,
    ProcessMark,
)
from reactor.topic import Position

FILE = "journal.sqlite3"  # in the data folder

T = TypeVar("T")
_Row = sqlite3.Row


class NoIndex(NoRecords):
    """There is no index of the journal, or it can't be read."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__("the journal's index", why)
        self.args = (path, why)
        self.path, self.why = path, why

    def __str__(self) -> str:
        return (
            f"{self.path} can't be read as the index of the journal ({self.why}); the console"
            " makes it while it runs (`reactor up`, `reactor console`), and so does"
            " `reactor journal rebuild`"
        )


class SqliteRecords:
    """Fits the port `Records`.  Every method may raise `NoIndex`."""

    def __init__(self, path: Path) -> None:
        """`path`: of the file, which need not be there yet."""
        self.path = path

    async def of_process(self, process_id: str) -> Sequence[JournalRecord]:
        """In order."""
        rows = await self._rows(
            f"SELECT {RECORD} FROM records r WHERE process = ? ORDER BY seq", [plain(process_id)]
        )
        return [_record(row) for row in rows]

    async def process(self, process_id: str) -> ProcessMark | None:
        """What is known of it in short."""
        rows = await self._rows(
            f"SELECT {PROCESS} FROM processes p WHERE id = ?", [plain(process_id)]
        )
        return _process(rows[0]) if rows else None

    async def of_delivery(self, key: str) -> Sequence[str]:
        """Oldest first."""
        rows = await self._rows(
            "SELECT id FROM processes WHERE delivery = ? ORDER BY began_us, id", [plain(key)]
        )
        return [row["id"] for row in rows]

    async def find(self, query: JournalQuery) -> Found:
        """Newest first."""
        limit = min(query.limit, MOST)
        rows = await self._asked(lambda open_file: found_rows(open_file, query, limit + 1))
        page = [FoundRecord(_record(row), _process(row)) for row in rows[:limit]]
        last = page[-1].record if len(rows) > limit else None
        return Found(page, Cursor(last.at, last.process_id, last.seq) if last else None)

    async def delivery(self, key: str) -> DeliveryMark | None:
        """The first attempt."""
        rows = await self._rows(
            "SELECT * FROM deliveries WHERE key = ? ORDER BY attempt, digest LIMIT 1", [plain(key)]
        )
        return _delivery(rows[0]) if rows else None

    async def deliveries(self, query: DeliveryQuery) -> FoundDeliveries:
        """Newest first."""
        limit, wanted = min(query.limit, MOST), wanted_deliveries(query)
        rows = await self._rows(
            f"SELECT * FROM deliveries {wanted.where} ORDER BY received_us DESC, name DESC LIMIT ?",
            [*wanted.values, limit + 1],
        )
        page = [_delivery(row) for row in rows[:limit]]
        last = rows[limit - 1] if len(rows) > limit else None
        return FoundDeliveries(page, (moment(last["received_us"]), last["name"]) if last else None)

    async def bars(self, begin: datetime, end: datetime, number: int) -> Sequence[Bar]:
        """Counted in Python, as medians are none of SQLite's."""
        return await self._asked(lambda open_file: _bars(open_file, begin, end, number))

    async def bytes_at(self, key: str) -> str:
        """Where in the data folder what came is kept; "" where that is not known."""
        rows = await self._rows(
            "SELECT bytes_at FROM deliveries WHERE key = ? AND bytes_at != ''"
            " ORDER BY attempt, digest LIMIT 1",
            [plain(key)],
        )
        return str(rows[0]["bytes_at"]) if rows else ""

    async def places(self) -> Mapping[str, str]:
        """By source."""
        rows = await self._rows("SELECT source, place FROM places", [])
        return {row["source"]: row["place"] for row in rows}

    async def _rows(self, sql: str, values: Sequence[object]) -> list[_Row]:
        return await self._asked(lambda open_file: open_file.execute(sql, values).fetchall())

    async def _asked(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._ask, ask)

    def _ask(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with closing(connect(self.path, writes=False)) as open_file:
                open_file.row_factory = sqlite3.Row
                return ask(open_file)
        except (sqlite3.Error, AnotherSchema, zlib.error) as error:
            raise NoIndex(self.path, str(error)) from None


def _bars(
    open_file: sqlite3.Connection, begin: datetime, end: datetime, number: int
) -> Sequence[Bar]:
    step, span = (end - begin) / number, (micros(begin), micros(end))
    edges = [begin + step * at for at in range(number)]

    def at(us: int) -> int:
        return min(int((moment(us) - begin) / step), number - 1)

    def counted(sql: str) -> list[int]:
        counts = [0] * number
        for row in open_file.execute(sql, span):
            counts[at(row[0])] += 1
        return counts

    received = counted(
        "SELECT received_us FROM deliveries WHERE received_us >= ? AND received_us < ?"
    )
    began = counted("SELECT began_us FROM processes WHERE began_us >= ? AND began_us < ?")
    ended: list[dict[str, int]] = [{} for _ in edges]
    took: list[list[float]] = [[] for _ in edges]
    for row in open_file.execute(
        "SELECT changed_us, began_us, status FROM processes"
        " WHERE changed_us >= ? AND changed_us < ? AND status != ''",
        span,
    ):
        bar = at(row["changed_us"])
        ended[bar][row["status"]] = ended[bar].get(row["status"], 0) + 1
        took[bar].append((row["changed_us"] - row["began_us"]) / 1e6)
    return [
        Bar(
            begin=edge,
            deliveries=received[bar],
            began=began[bar],
            ended=ended[bar],
            median_s=median(took[bar]) if took[bar] else None,
            slowest_s=max(took[bar], default=None),
        )
        for bar, edge in enumerate(edges)
    ]


def _record(row: _Row) -> JournalRecord:
    return JournalRecord(
        process_id=row["process"],
        seq=row["seq"],
        kind=cast("Kind", row["kind"]),
        at=moment(row["at_us"]),
        data=_data(row["data"]),
    )


def _data(deflated: bytes) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", json.loads(zlib.decompress(deflated)))


def _process(row: _Row) -> ProcessMark:
    return ProcessMark(
        id=row["id"],
        delivery=row["delivery"],
        reaction=row["reaction"],
        event=row["event"],
        subject=row["subject"],
        subject_name=row["subject_name"],
        attempt=row["attempt"],
        status=row["status"],
        failure=row["failure"],
        began_at=moment(row["began_us"]),
        changed_at=moment(row["changed_us"]),
    )


def _delivery(row: _Row) -> DeliveryMark:
    has_place = row["topic"] != ""
    return DeliveryMark(
        key=row["key"],
        event=row["event"],
        subject=row["subject"],
        subject_name=row["subject_name"],
        received_at=moment(row["received_us"]),
        digest=row["digest"],
        source=row["source"],
        attempt=row["attempt"],
        causation=tuple(json.loads(row["causation"])),
        position=Position(row["topic"], row["part"], row["offset"]) if has_place else None,
    )
