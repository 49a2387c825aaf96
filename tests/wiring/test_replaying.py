"""A replay of what is installed, from an archive file: no server, and nothing is asked of anybody."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from reactor.archive import NoArchive, write_archive
from reactor.replay.folder import Progress, Run, RunInUse, Runs
from reactor.replay.selection import Selection
from reactor.settings import Settings, load
from reactor.wiring.replaying import Replay, replay
from tests.fixtures.recorded import opened, recorded, write_recorded


@pytest.fixture
async def archive(tmp_path: Path) -> Path:
    path = tmp_path / "recorded.jsonl.gz"
    await write_recorded(path)
    return path


async def replayed(
    archive: Path, run: str, *, settings: Settings | None = None, **meant: object
) -> tuple[Run, Progress]:
    made = Runs(archive.parent).run(run)
    wanted = Replay(
        run=made,
        request={},
        selection=Selection(**meant),  # type: ignore[arg-type]
        archive=archive,
    )
    return made, await replay(settings or load(None, {}), wanted)


async def test_what_is_installed_decides_what_it_decided_and_asks_nobody(archive: Path) -> None:
    run, progress = await replayed(archive, "same")

    found = progress.summary
    assert (found.deliveries, found.same, found.different) == (9, 9, 0)
    assert (found.failed, found.new, found.unrecorded) == (0, 0, 0)
    effects = [each["now"]["effects"] for each in run.results() if each["now"]]
    assert all(effects)
    assert {effect["state"] for each in effects for effect in each} == {"observed"}
    kept = {path.name for path in run.folder.iterdir()}  # no index of the journal any more
    assert kept >= {"results.jsonl", "done"}
    assert not [name for name in kept if "sqlite" in name]


async def test_another_threshold_makes_exactly_the_expected_differences(archive: Path) -> None:
    settings = load(None, {}, {"components.triage": {"urgent_at": 1}})

    run, progress = await replayed(archive, "what-if", settings=settings)

    different = [each for each in run.results() if each["verdict"] == "different"]
    assert progress.summary.different == 3
    assert [each["delivery"].rpartition("/")[2] for each in different] == ["d-3", "d-6", "d-9"]
    assert {d["then"] for each in different for d in each["differences"]} >= {
        "triage.heavy_hitter_issue",
        "add label urgent",
    }


async def test_a_reply_of_then_counts_where_part_of_the_past_is_not_replayed(
    archive: Path,
) -> None:
    run, progress = await replayed(archive, "some", deliveries=frozenset({"d-6"}))

    assert progress.summary.same == 1  # that its author was known is in the journal
    (found,) = run.results()
    assert found["unrecorded"] == []


async def test_without_records_of_calls_the_replays_own_stores_answer_and_that_is_told(
    archive: Path,
) -> None:
    several = [opened(number) for number in range(1, 10)]
    records = await recorded(load(None, {}), several)
    older = [
        replace(each, data={k: v for k, v in each.data.items() if k != "calls"}) for each in records
    ]
    write_archive(archive, [*several, *older])

    _, every = await replayed(archive, "every")
    run, one = await replayed(archive, "one", deliveries=frozenset({"d-6"}))

    assert (every.summary.same, every.summary.unrecorded) == (9, 9)  # filled in their order
    assert one.summary.unrecorded == 1
    (found,) = run.results()
    assert set(found["unrecorded"]) == {
        "CommunityStore.claim_new",
        "IssueIndex.remember",
        "IssueIndex.like",
    }
    assert found["verdict"] == "different"  # its author seems to be new


def put_a_bad_line_into(archive: Path) -> None:
    lines = gzip.decompress(archive.read_bytes()).splitlines(keepends=True)
    lines.insert(3, b'{"delivery": {"id": 7}}\n')
    archive.write_bytes(gzip.compress(b"".join(lines)))


async def test_damaged_lines_are_told_and_the_rest_is_replayed(archive: Path) -> None:
    put_a_bad_line_into(archive)
    wanted = Replay(
        run=Runs(archive.parent).run("r"), request={}, selection=Selection(), archive=archive
    )

    progress = await replay(load(None, {}), wanted)

    assert progress.summary.same == 9
    assert [damage.line for damage in wanted.damage] == [4]


async def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("{}\n")

    with pytest.raises(NoArchive):
        await replayed(path, "r")


async def test_a_run_that_somebody_is_at_is_left_alone(archive: Path) -> None:
    with Runs(archive.parent).run("r").alone(), pytest.raises(RunInUse):
        await replayed(archive, "r")
