"""The index of the journal in SQLite: written, by one process at a time.

    FOLDER/journal.sqlite3        (and -wal, -shm beside it)
    FOLDER/journal.lock           held by who writes

A file that is damaged, or of another schema, is thrown away and begun anew: all in it is made
from topics and archives, which are read from their beginning then.
"""

import asyncio
import fcntl
import json
import sqlite3
import threading
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path

import orjson
import structlog

from reactor.adapters.moments import micros
from reactor.adapters.sqlite_queries import plain
from reactor.adapters.sqlite_records import FILE, SqliteRecords
from reactor.adapters.sqlite_schema import AnotherSchema, connect
from reactor.errors import ReactorError
from reactor.journal import JournalRecord
from reactor.records import (
    Batch,
    DeliveryMark,
    action_of,
    component_of,
    effects_of,
    folded,
    mark_of,
    outcome_of,
    status_of,
)

_LARGEST = 2**63 - 1  # that SQLite takes


class IndexInUse(ReactorError):
    """Another process writes the index."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder

    def __str__(self) -> str:
        return (
            f"the index of the journal in {self.folder} is written by another process, a console"
            " probably: stop that one first, or let it do it"
        )


class IndexUnusable(ReactorError):
    """The folder can't be made, read or written to."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(folder, why)
        self.folder, self.why = folder, why

    def __str__(self) -> str:
        return (
            f"no index of the journal can be kept in {self.folder} ({self.why}): mend that, or set"
            " another folder (setting data, REACTOR_DATA)"
        )


class IndexDamaged(Exception):
    """The file was ruined while it was open; opening it again begins a new one."""


@asynccontextmanager
async def open_index(folder: Path, *, anew: bool = False) -> AsyncIterator["SqliteIndex"]:
    """The index of this data folder, to be written by nobody else for as long as the block lasts.

    `anew`: throw away what is there.  Raises `IndexInUse`, `IndexUnusable`.
    """
    path = folder / FILE
    with _locked(folder):
        connection = await asyncio.to_thread(_opened, path, anew=anew)
        index = SqliteIndex(path, connection)
        try:
            yield index
        finally:
            await asyncio.to_thread(index.close)


class SqliteIndex(SqliteRecords):
    """Fits the port `RecordIndex`; made by `open_index`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(path)
        self._connection, self._turn = connection, asyncio.Lock()
        self._use = threading.Lock()  # a thread goes on when whoever waits for it is cancelled
        self._inode = path.stat().st_ino

    async def places(self) -> Mapping[str, str]:
        """By source.  Raises as `add`, and `IndexDamaged` where somebody took the file away."""
        async with self._turn:
            return await asyncio.to_thread(self._places)

    async def add(self, batch: Batch) -> int:
        """In one transaction.  Raises `IndexDamaged`, `IndexUnusable`."""
        async with self._turn:
            return await asyncio.to_thread(self._add, batch)

    async def forget(self, before: datetime, *, at_most: int) -> int:
        """In one transaction as well, so that nobody waits for long.  Raises as `add`."""
        async with self._turn:
            return await asyncio.to_thread(self._forget, before, at_most)

    def close(self) -> None:
        """Once no thread is at it any more: SQLite crashes where a connection goes while in use."""
        with self._use:
            self._connection.close()

    def _places(self) -> Mapping[str, str]:
        try:
            is_there = self.path.stat().st_ino == self._inode
        except OSError:
            is_there = False
        if not is_there:
            raise IndexDamaged("somebody took the file away")
        with self._transaction() as db:
            return dict(db.execute("SELECT source, place FROM places").fetchall())

    def _add(self, batch: Batch) -> int:
        with self._transaction() as db:
            keep_us = micros(batch.keep_from) if batch.keep_from else None
            new = sum(_add_record(db, record, keep_us) for record in batch.records)
            new += sum(_add_delivery(db, mark, at, keep_us) for mark, at in batch.deliveries)
            db.executemany("REPLACE INTO places VALUES (?, ?)", list(batch.places.items()))
        return new

    def _forget(self, before: datetime, at_most: int) -> int:
        with self._transaction() as db:
            old = db.execute(
                "SELECT id FROM processes WHERE keep_us < ? ORDER BY keep_us LIMIT ?",
                (micros(before), at_most),
            ).fetchall()
            for table, column in (
                ("records", "process"),
                ("effects", "process"),
                ("processes", "id"),
            ):
                db.executemany(f"DELETE FROM {table} WHERE {column} = ?", old)
            gone = db.execute(
                "DELETE FROM deliveries WHERE name IN"
                " (SELECT name FROM deliveries WHERE keep_us < ? ORDER BY keep_us LIMIT ?)",
                (micros(before), at_most - len(old)),
            )
            return len(old) + gone.rowcount

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        db = self._connection
        try:
            with self._use:
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
        except sqlite3.OperationalError as error:  # no room, no right, a disk that fails
            raise IndexUnusable(self.path.parent, str(error)) from None
        except sqlite3.DatabaseError as error:
            raise IndexDamaged(str(error)) from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "journal.lock").open("w")
    except OSError as error:
        raise IndexUnusable(folder, error.strerror or str(error)) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise IndexInUse(folder) from None
        yield


def _opened(path: Path, *, anew: bool) -> sqlite3.Connection:
    try:
        if anew:
            _throw_away(path)
        try:
            return _sound(path)
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, AnotherSchema) as error:
            structlog.get_logger("reactor.journal").warning("journal_index_anew", why=str(error))
            _throw_away(path)
            return _sound(path)
    except (sqlite3.Error, OSError) as error:
        raise IndexUnusable(path.parent, str(error)) from None


def _sound(path: Path) -> sqlite3.Connection:
    """The file, looked through: some damage is met only by what is read later."""
    connection = connect(path, writes=True)
    try:
        if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(found)
    except BaseException:
        connection.close()
        raise
    return connection


def _throw_away(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


def _add_record(db: sqlite3.Connection, record: JournalRecord, keep_us: int | None) -> int:
    if not 0 < record.seq <= _LARGEST:  # none of ours
        return 0
    process, at_us = plain(record.process_id), micros(record.at)
    added = db.execute(
        "INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            process,
            record.seq,
            record.kind,
            at_us,
            plain(component_of(record)),
            plain(action_of(record)),
            plain(outcome_of(record)),
            zlib.compress(_json(record.data), 1),
        ),
    )
    if not added.rowcount:
        return 0
    db.execute(
        "INSERT INTO processes (id, began_us, changed_us, keep_us) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET began_us = min(began_us, excluded.began_us),"
        " changed_us = max(changed_us, excluded.changed_us),"
        " keep_us = max(keep_us, excluded.keep_us)",
        (process, at_us, at_us, keep_us or at_us),
    )
    db.executemany(
        "INSERT OR IGNORE INTO effects VALUES (?, ?, ?, ?)",
        [(plain(kind), at_us, process, record.seq) for kind, _ in effects_of(record)],
    )
    _mark_process(db, record)
    return 1


def _mark_process(db: sqlite3.Connection, record: JournalRecord) -> None:
    mark = mark_of(record.process_id, [record])
    if mark is None:
        return
    if record.kind == "seeded":
        db.execute(
            "UPDATE processes SET delivery = ?, delivery_id = ?, reaction = ?, event = ?,"
            " subject = ?, subject_name = ?, folded = ?, attempt = ? WHERE id = ?",
            (
                *map(
                    plain,
                    (
                        mark.delivery,
                        mark.delivery.rpartition("/")[2],
                        mark.reaction,
                        mark.event,
                        mark.subject,
                        mark.subject_name,
                        folded(mark.subject_name),
                    ),
                ),
                mark.attempt,
                plain(mark.id),
            ),
        )
    elif status_of(record):
        db.execute(
            "UPDATE processes SET status = ?, failure = ?, ended_seq = ?"
            " WHERE id = ? AND ended_seq < ?",
            (plain(mark.status), plain(mark.failure), record.seq, plain(mark.id), record.seq),
        )


def _add_delivery(
    db: sqlite3.Connection, mark: DeliveryMark, bytes_at: str, keep_us: int | None
) -> int:
    at_us, position = micros(mark.received_at), mark.position
    name = f"{mark.key}|{mark.attempt}|{mark.digest}"
    key = (plain(mark.key), min(mark.attempt, _LARGEST), plain(mark.digest))
    added = db.execute(
        "INSERT OR IGNORE INTO deliveries (key, attempt, digest, name, event, subject,"
        " subject_name, folded, received_us, source, causation, keep_us)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *key,
            plain(name),
            plain(mark.event),
            plain(mark.subject),
            plain(mark.subject_name),
            plain(folded(mark.subject_name)),
            at_us,
            plain(mark.source),
            json.dumps(mark.causation),
            keep_us or at_us,
        ),
    )
    where = "WHERE key = ? AND attempt = ? AND digest = ?"
    if position:
        db.execute(
            f"UPDATE deliveries SET topic = ?, part = ?, offset = ? {where}",
            (position.topic, position.partition, position.offset, *key),
        )
    if bytes_at:
        db.execute(f"UPDATE deliveries SET bytes_at = ? {where}", (bytes_at, *key))
    return added.rowcount


def _json(data: object) -> bytes:
    try:
        return orjson.dumps(data)
    except TypeError:  # integers beyond 64 bits, lone surrogates
        return json.dumps(data).encode()
