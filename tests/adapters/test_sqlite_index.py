"""The index in SQLite: one writer, readers beside it, and no file that could stop it for good."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reactor.adapters.sqlite_index import IndexDamaged, IndexInUse, IndexUnusable, open_index
from reactor.adapters.sqlite_records import FILE, NoIndex, SqliteRecords
from reactor.journal import JournalRecord
from reactor.records import Batch, JournalQuery


def record(seq: int) -> JournalRecord:
    at = datetime(2026, 2, 3, tzinfo=UTC)
    return JournalRecord(process_id="p1", seq=seq, kind="tick", at=at, data={"chosen": "a.b"})


async def test_what_was_added_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    async with open_index(tmp_path) as index:
        await index.add(Batch(records=[record(1)], places={"archive a": "7"}))

    async with open_index(tmp_path) as index:
        assert await index.of_process("p1") == [record(1)]
        assert await index.places() == {"archive a": "7"}


@pytest.mark.parametrize(
    "ruin",
    [
        pytest.param(lambda path: path.write_bytes(b"no database at all" * 400), id="no database"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:5000]), id="cut"),
        pytest.param(lambda path: _overwrite(path, 4096, 8192), id="overwritten"),
        pytest.param(lambda path: _execute(path, "PRAGMA user_version = 99"), id="newer schema"),
        pytest.param(lambda path: _execute(path, "DROP TABLE effects"), id="a table is gone"),
    ],
)
async def test_a_file_that_can_not_be_used_is_begun_anew(tmp_path: Path, ruin: object) -> None:
    async with open_index(tmp_path) as index:
        await index.add(Batch(records=[record(seq) for seq in range(1, 300)]))
    assert callable(ruin)
    ruin(tmp_path / FILE)

    async with open_index(tmp_path) as index:
        assert await index.places() == {}
        await index.add(Batch(records=[record(1)]))
        assert await index.of_process("p1") == [record(1)]


async def test_a_number_that_is_none_of_ours_is_passed_over(tmp_path: Path) -> None:
    async with open_index(tmp_path) as index:
        added = await index.add(Batch(records=[record(2**70), record(0), record(1)]))

        assert added == 1
        assert await index.of_process("p1") == [record(1)]


async def test_an_empty_file_is_filled(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()

    async with open_index(tmp_path) as index:
        await index.add(Batch(records=[record(1)]))
        assert await index.of_process("p1") == [record(1)]


async def test_it_has_one_writer(tmp_path: Path) -> None:
    async with open_index(tmp_path):
        with pytest.raises(IndexInUse, match="another process"):
            async with open_index(tmp_path):
                pass

    async with open_index(tmp_path) as index:
        assert await index.places() == {}


async def test_a_folder_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file stands in the way")

    with pytest.raises(IndexUnusable, match="REACTOR_DATA"):
        async with open_index(tmp_path / "data"):
            pass


async def test_a_file_that_somebody_took_away_is_noticed(tmp_path: Path) -> None:
    async with open_index(tmp_path) as index:
        (tmp_path / FILE).unlink()

        with pytest.raises(IndexDamaged):
            await index.places()


async def test_readers_do_not_wait_for_the_writer_nor_see_half_of_what_it_writes(
    tmp_path: Path,
) -> None:
    async with open_index(tmp_path) as index:
        await index.add(Batch(records=[record(1)]))
        with sqlite3.connect(tmp_path / FILE, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("DELETE FROM records")

            found = await SqliteRecords(tmp_path / FILE).of_process("p1")

            other.execute("ROLLBACK")
        other.close()
        assert found == [record(1)]


async def test_questions_at_once_are_all_answered(tmp_path: Path) -> None:
    async with open_index(tmp_path) as index:

        async def write() -> None:
            for seq in range(1, 51):
                await index.add(Batch(records=[record(seq)]))

        async def read() -> int:
            return len((await index.find(JournalQuery(limit=100))).records)

        writing = asyncio.create_task(write())
        seen = await asyncio.gather(*(read() for _ in range(20)))
        await writing
        assert all(0 <= number <= 50 for number in seen)
        assert await read() == 50


def test_where_there_is_no_index_it_is_told_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(NoIndex, match="reactor journal rebuild"):
        asyncio.run(SqliteRecords(tmp_path / FILE).find(JournalQuery()))

    assert list(tmp_path.iterdir()) == []


def _overwrite(path: Path, begin: int, end: int) -> None:
    content = bytearray(path.read_bytes())
    content[begin:end] = b"\xa5" * (end - begin)
    path.write_bytes(content)


def _execute(path: Path, sql: str) -> None:
    with sqlite3.connect(path) as file:
        file.execute(sql)
    file.close()


class Held(list[JournalRecord]):
    """Records that are handed out once the test lets them."""

    def __init__(self, *records: JournalRecord) -> None:
        super().__init__(records)
        self.is_asked, self.may_go = threading.Event(), threading.Event()

    def __iter__(self) -> Iterator[JournalRecord]:
        self.is_asked.set()
        assert self.may_go.wait(30)
        return super().__iter__()


async def test_it_is_closed_only_when_no_thread_is_at_it_any_more(tmp_path: Path) -> None:
    held = Held(record(1))
    opened = open_index(tmp_path)
    index = await opened.__aenter__()
    adding = asyncio.create_task(index.add(Batch(records=held)))
    await asyncio.to_thread(held.is_asked.wait, 30)

    adding.cancel()  # its thread goes on
    with pytest.raises(asyncio.CancelledError):
        await adding
    closing = asyncio.create_task(opened.__aexit__(None, None, None))
    done, _ = await asyncio.wait([closing], timeout=0.2)
    held.may_go.set()
    await closing

    assert done == set()
    async with open_index(tmp_path) as again:
        assert await again.of_process("p1") == [record(1)]
