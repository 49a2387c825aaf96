"""The archive in the data folder: what was promised is there, whatever became of its writer."""

import asyncio
from datetime import UTC, datetime, timedelta
from os import utime
from pathlib import Path

import pytest

from reactor.adapters.archive_folder import (
    ArchiveRefused,
    ArchiveWriter,
    archived,
    delivery_at,
    files_of,
    forget_files,
)
from reactor.adapters.archive_source import ArchiveSource
from reactor.adapters.clock import ManualClock
from reactor.archive import write_archive
from reactor.archive_lines import Item
from reactor.journal import JournalRecord
from reactor.records import Batch
from reactor.testing import delivery, issue

AT = datetime(2026, 2, 3, tzinfo=UTC)


def record(seq: int, process: str = "p1") -> JournalRecord:
    return JournalRecord(
        process_id=process, seq=seq, kind="tick", at=AT, data={"chosen": "triage.label"}
    )


async def test_what_was_appended_is_read_in_order(tmp_path: Path) -> None:
    writer, came = ArchiveWriter(tmp_path / "archive", ManualClock()), _delivery("d-1")

    await writer.append(came)
    await writer.append(record(1), record(2))
    await writer.append()
    await writer.close()

    assert list(archived(tmp_path / "archive")) == [came, record(1), record(2)]


async def test_appends_at_once_are_all_kept(tmp_path: Path) -> None:
    writer = ArchiveWriter(tmp_path, ManualClock())

    await asyncio.gather(*(writer.append(record(seq)) for seq in range(1, 101)))
    await writer.close()

    assert [_seq(item) for item in archived(tmp_path)] == list(range(1, 101))
    assert len(files_of(tmp_path)) == 1


async def test_it_is_on_the_disk_before_append_returns(tmp_path: Path) -> None:
    writer = ArchiveWriter(tmp_path, ManualClock())

    await writer.append(record(1))

    assert list(archived(tmp_path)) == [record(1)]  # the writer was not closed
    await writer.close()


async def test_each_day_has_a_file_of_its_own(tmp_path: Path) -> None:
    clock = ManualClock()
    writer = ArchiveWriter(tmp_path, clock)

    await writer.append(record(1))
    clock.move(timedelta(hours=25))
    await writer.append(record(2))
    await writer.close()

    assert len(files_of(tmp_path)) == 2
    assert [_seq(item) for item in archived(tmp_path)] == [1, 2]


async def test_files_whose_time_is_over_go_when_another_is_begun(tmp_path: Path) -> None:
    write_archive(tmp_path / "kept-1.jsonl.gz", [record(1)])
    utime(tmp_path / "kept-1.jsonl.gz", (0, 0))
    writer = ArchiveWriter(tmp_path, ManualClock(), keep=timedelta(days=30))

    await writer.append(record(2))
    await writer.close()

    assert list(archived(tmp_path)) == [record(2)]


async def test_half_a_member_costs_nothing_that_was_promised(tmp_path: Path) -> None:
    for seq in (1, 2):
        writer = ArchiveWriter(tmp_path, ManualClock())
        await writer.append(record(seq))
        await writer.close()
        file = next(path for path in files_of(tmp_path) if not path.name.endswith("torn.jsonl.gz"))
        whole = file.read_bytes()
        file.write_bytes(whole + whole[: len(whole) // 2])
        file.rename(file.with_name(f"{seq}-torn.jsonl.gz"))

    assert [_seq(item) for item in archived(tmp_path)] == [1, 2]


async def test_a_disk_that_takes_nothing_refuses_and_takes_it_later(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.write_text("a file stands in the way")
    writer = ArchiveWriter(folder, ManualClock())

    with pytest.raises(ArchiveRefused, match="it is tried again"):
        await writer.append(record(1))
    folder.unlink()
    await writer.append(record(1))
    await writer.close()

    assert list(archived(folder)) == [record(1)]


async def test_files_that_are_old_are_forgotten_whole(tmp_path: Path) -> None:
    write_archive(tmp_path / "kept-1.jsonl.gz", [record(1)])
    write_archive(tmp_path / "kept-2.jsonl.gz", [record(2)])
    utime(tmp_path / "kept-1.jsonl.gz", (AT.timestamp(), AT.timestamp()))

    gone = forget_files(tmp_path, AT + timedelta(days=1))

    assert gone == 1
    assert list(archived(tmp_path)) == [record(2)]


# Read for the index ------------------------------------------------------------------------


async def test_a_source_gives_what_is_new_since_the_last_time(tmp_path: Path) -> None:
    writer, source = ArchiveWriter(tmp_path, ManualClock()), ArchiveSource(tmp_path)
    await writer.append(_delivery("d-1"), record(1))

    first = await _read(source, {})
    nothing = await _read(source, first[-1].places)
    await writer.append(record(2))
    second = await _read(source, first[-1].places)
    await writer.close()

    assert [mark.key for mark, _ in first[0].deliveries] == ["github.com/d-1"]
    assert [[each.seq for each in batch.records] for batch in (*first, *second)] == [[1], [2]]
    assert nothing == []


async def test_a_source_begins_anew_where_it_was_killed(tmp_path: Path) -> None:
    items = [record(seq, f"p{seq % 7}") for seq in range(1, 2001)]
    write_archive(tmp_path / "kept-1.jsonl.gz", items)

    places, read = dict[str, str](), list[int]()
    while True:
        batches = ArchiveSource(tmp_path).batches(places)  # a new one each time, as after a kill
        batch = await anext(batches, None)
        await batches.aclose()  # type: ignore[attr-defined]
        if batch is None:
            break
        read += [each.seq for each in batch.records]
        places |= batch.places

    assert read == list(range(1, 2001))


async def test_a_delivery_is_read_where_the_source_said_that_it_lies(tmp_path: Path) -> None:
    writer, source = ArchiveWriter(tmp_path, ManualClock()), ArchiveSource(tmp_path)
    sent = [_delivery(f"d-{number}") for number in range(5)]
    for each in sent:
        await writer.append(record(1), each)
    await writer.close()

    batches = await _read(source, {})
    places = [place for batch in batches for _, place in batch.deliveries]

    assert [delivery_at(tmp_path, place) for place in places] == sent
    for odd in ("gone.jsonl.gz:0:1", f"{places[0]}99", "kept:x:y", ""):
        assert delivery_at(tmp_path, odd) is None


async def test_what_was_imported_is_kept_from_when_its_file_came(tmp_path: Path) -> None:
    path = tmp_path / "import-1.jsonl.gz"
    write_archive(path, [record(1)])
    utime(path, (AT.timestamp(), AT.timestamp()))

    (batch,) = await _read(ArchiveSource(tmp_path), {})

    assert batch.keep_from == AT


async def test_a_damaged_place_is_passed_over(tmp_path: Path) -> None:
    writer, source = ArchiveWriter(tmp_path, ManualClock()), ArchiveSource(tmp_path)
    await writer.append(record(1))
    (file,) = files_of(tmp_path)
    with file.open("ab") as torn:
        torn.write(file.read_bytes()[:40])
    await writer.append(record(2))
    await writer.close()

    batches = await _read(source, {})

    assert [each.seq for batch in batches for each in batch.records] == [1, 2]


async def _read(source: ArchiveSource, places: object) -> list[Batch]:
    return [batch async for batch in source.batches(dict(places))]  # type: ignore[call-overload]


def _delivery(name: str) -> Item:
    return delivery("issues.opened", id=name, issue=issue("It crashes"))


def _seq(item: Item) -> int:
    assert isinstance(item, JournalRecord)
    return item.seq
