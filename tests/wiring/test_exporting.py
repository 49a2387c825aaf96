"""Archives: what is written from the topics, or the data folder, comes in elsewhere as it was."""

import asyncio
import gzip
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from reactor.adapters.archive_folder import FOLDER, archived, files_of
from reactor.adapters.clock import SystemClock
from reactor.adapters.sqlite_index import open_index
from reactor.archive import Damage, read_archive, write_archive
from reactor.archive_lines import Item, head_line, line_of
from reactor.delivery import Delivery
from reactor.journal import VERSION, JournalRecord
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.archiving import archiving
from reactor.wiring.exporting import Counts, Imported, Wanted, export_archive, import_archive
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.recorded import FolderArchive, records_of
from reactor.wiring.redis import redis_parts

NOW = SystemClock().now()


def opened(name: str, *, hours_ago: float = 0, number: int = 7) -> Delivery:
    came = delivery("issues.opened", id=name, issue=issue("It crashes", number=number))
    return replace(came, received_at=NOW - timedelta(hours=hours_ago))


def process_of(came: Delivery) -> list[JournalRecord]:
    rescued: dict[str, object] = {"v": VERSION, "rescue": 1, "outputs": []}
    seeded: dict[str, object] = {
        "v": VERSION,
        "delivery": came.key,
        "reaction": "everything",
        "event": came.kind,
        "subject": came.subject.key,
        "subject_name": came.subject.name,
        "agent": "reactor",
        "planner": "utility",
        "scope": "",
        "attempt": 1,
        "actions": [],
        "facts": [],
    }
    name = f"p-{came.id}"
    return [
        JournalRecord(process_id=name, seq=1, kind="seeded", at=came.received_at, data=seeded),
        JournalRecord(process_id=name, seq=2, kind="rescued", at=came.received_at, data=rescued),
    ]


def in_folder(folder: Path) -> Settings:
    return load(None, {"REACTOR_DATA": str(folder)})


def kept(folder: Path, *items: Item) -> Settings:
    """A data folder that holds these."""
    (folder / FOLDER).mkdir(parents=True)
    write_archive(folder / FOLDER / "kept-1.jsonl.gz", items)
    return in_folder(folder)


CAME = [opened("d-1", hours_ago=3), opened("d-2", hours_ago=2, number=8), opened("d-3")]
EVERY: list[Item] = [*CAME, *(record for came in CAME for record in process_of(came))]


@pytest.mark.kafka
@pytest.mark.redis
async def test_what_went_over_the_topics_is_exported_whole(
    environ: dict[str, str], tmp_path: Path
) -> None:
    settings = load(None, {**environ, "REACTOR_DATA": str(tmp_path / "data")})
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as broker,
        archiving(settings, broker, SystemClock()) as (kafka, hear),
    ):
        for came in CAME:
            await kafka.deliveries.append(came)
            await hear(came)
            await kafka.journal.publish(process_of(came))

    counts = await export_archive(settings, tmp_path / "out.gz", Wanted())

    assert counts == Counts(deliveries=3, records=6)
    read = list(read_archive(tmp_path / "out.gz"))
    assert sorted(map(repr, read)) == sorted(map(repr, EVERY))


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Wanted(), ["d-1", "d-2", "d-3"]),
        (Wanted(since=NOW - timedelta(hours=2.5)), ["d-2", "d-3"]),
        (Wanted(until=NOW - timedelta(hours=2.5)), ["d-1"]),
        (Wanted(repositories=frozenset({"octo/hello"})), ["d-1", "d-2", "d-3"]),
        (Wanted(repositories=frozenset({"octo/other"})), []),
        (Wanted(events=frozenset({"issues"})), ["d-1", "d-2", "d-3"]),
        (Wanted(events=frozenset({"issues.closed"})), []),
    ],
)
async def test_records_go_with_the_deliveries_that_are_wanted(
    tmp_path: Path, wanted: Wanted, names: list[str]
) -> None:
    settings = await asyncio.to_thread(kept, tmp_path / "data", *EVERY, *EVERY)

    await export_archive(settings, tmp_path / "out.gz", wanted)

    items = list(read_archive(tmp_path / "out.gz"))
    assert [item.id for item in items if isinstance(item, Delivery)] == names
    records = [item for item in items if isinstance(item, JournalRecord)]
    assert [(r.process_id, r.seq) for r in records] == [
        (f"p-{name}", seq) for name in names for seq in (1, 2)
    ]


async def test_what_is_imported_is_found_there(tmp_path: Path) -> None:
    await asyncio.to_thread(write_archive, tmp_path / "in.gz", EVERY)
    settings = in_folder(tmp_path / "data")

    came = await _import(settings, tmp_path / "in.gz")

    assert came == Imported(Counts(deliveries=3, records=6), came.name, False, True)
    assert list(await records_of(settings).of_process("p-d-2")) == process_of(CAME[1])
    assert await FolderArchive(settings).read(CAME[0].key) == CAME[0]


async def test_the_same_file_comes_in_once(tmp_path: Path) -> None:
    await asyncio.to_thread(write_archive, tmp_path / "in.gz", EVERY)
    settings = in_folder(tmp_path / "data")

    await _import(settings, tmp_path / "in.gz")
    again = await _import(settings, tmp_path / "in.gz")

    assert again.was_there
    assert len(files_of(tmp_path / "data" / FOLDER)) == 1
    assert list(archived(tmp_path / "data" / FOLDER)) == EVERY


async def test_what_is_damaged_is_told_by_its_line_and_the_rest_comes_in(tmp_path: Path) -> None:
    later = replace(process_of(CAME[0])[1], data={"v": VERSION + 1})
    lines = [head_line(), line_of(CAME[0]), b"{]\n", line_of(later), line_of(CAME[1])]
    await asyncio.to_thread((tmp_path / "in.gz").write_bytes, gzip.compress(b"".join(lines)))
    damage = list[Damage]()

    came = await import_archive(
        in_folder(tmp_path / "data"), tmp_path / "in.gz", damaged=damage.append
    )

    assert came.counts == Counts(deliveries=2, records=0, damaged=2)
    assert [each.line for each in damage] == [3, 4]
    assert f"it is of version {VERSION + 1}" in damage[1].why
    assert list(archived(tmp_path / "data" / FOLDER)) == CAME[:2]


async def test_beside_a_console_the_index_is_left_to_it(tmp_path: Path) -> None:
    await asyncio.to_thread(write_archive, tmp_path / "in.gz", EVERY)

    async with open_index(tmp_path / "data"):  # as a console that runs
        came = await _import(in_folder(tmp_path / "data"), tmp_path / "in.gz")

    assert not came.is_indexed
    assert list(archived(tmp_path / "data" / FOLDER)) == EVERY


async def _import(settings: Settings, path: Path) -> Imported:
    damage = list[Damage]()
    came = await import_archive(settings, path, damaged=damage.append)
    assert damage == []
    return came
