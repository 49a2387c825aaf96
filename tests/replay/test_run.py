"""A run that is killed anywhere and goes on finds what one finds that was not."""

import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from reactor import action, component
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.github import AddLabels, Issue
from reactor.replay.document import Replayed
from reactor.replay.folder import Cursor, OtherRequest, Progress, Run, RunInUse, Runs, UnknownRun
from reactor.replay.run import Came, Running
from reactor.replay.selection import Selection
from reactor.testing import issue
from tests.replay.conftest import Site


@component(effects=(AddLabels,))
class Labels:
    """Labels each issue."""

    @action(value=0.5)
    async def label(self, issue: Issue) -> AddLabels:
        """By its number."""
        return AddLabels(labels=("odd" if issue.number % 2 else "even",))


class Ticking:
    """A clock by which everything takes more than a second, so that it is written down at once."""

    def __init__(self, site: Site) -> None:
        self.now, self._s = site.clock.now, 0.0

    def monotonic_s(self) -> float:
        self._s += 1.5
        return self._s


@dataclass
class Listed:
    """A source of these, that is cut off after some."""

    deliveries: list[Delivery]
    breaks_at: int = 10**9

    @property
    def total(self) -> int:
        return len(self.deliveries)

    async def records(self, cursor: Cursor) -> AsyncIterator[Came]:
        for number, each in enumerate(self.deliveries):
            if number < int(cursor.get("next", 0)):
                continue
            if number == self.breaks_at:
                raise InfrastructureError("kafka", "it is away")
            yield Came(each, {"next": number + 1})


def running(site: Site, run: Run, **changes: object) -> Running:
    again = site.again(Labels())
    made = Running(
        run=run,
        source=Listed(site.deliveries),
        selection=Selection(),
        replaying=again.replaying,
        stores=again.stores,
        standing=again.clock,
        clock=Ticking(site),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
async def busy(site: Site) -> Site:
    live = site.open(Labels())
    for number in range(1, 7):
        await live.hear("issues.opened", issue=issue(f"No. {number}", number=number))
    return site


async def test_all_that_is_found_is_kept_in_order_with_the_sum_of_it(
    busy: Site, tmp_path: Path
) -> None:
    run, told = Runs(tmp_path).run("r-1"), list[Replayed]()

    progress = await running(busy, run, on_found=told.append).to_end({"since": None})

    assert [each["delivery"] for each in run.results()] == [d.key for d in busy.deliveries]
    assert list(run.results()) == told
    assert (progress.summary.deliveries, progress.summary.same) == (6, 6)
    assert (progress.read, progress.total, run.is_done) == (6, 6, True)
    assert progress.summary.line(rate=12.345) == (
        "replay: deliveries=6 processes=6 same=6 different=0 failed=0 rate=12.3/s"
    )


@pytest.mark.parametrize("breaks_at", range(7))
async def test_a_run_that_was_cut_off_goes_on_as_if_nothing_had_happened(
    busy: Site, tmp_path: Path, breaks_at: int
) -> None:
    whole, cut = Runs(tmp_path).run("whole"), Runs(tmp_path).run("cut")
    expected = await running(busy, whole).to_end({})
    source = Listed(busy.deliveries, breaks_at)
    if breaks_at < 6:
        with pytest.raises(InfrastructureError):
            await running(busy, cut, source=source).to_end({})
        for name in ("results.jsonl", "stores.jsonl"):  # written, and not counted yet
            with (cut.folder / name).open("a") as file:
                file.write('["half a line')

    progress = await running(busy, cut).to_end({})

    assert progress.summary == expected.summary
    assert list(cut.results()) == list(whole.results())


async def test_what_is_done_is_not_done_again(busy: Site, tmp_path: Path) -> None:
    run, told = Runs(tmp_path).run("r-1"), list[Replayed]()
    first = await running(busy, run).to_end({})

    again = await running(busy, run, on_found=told.append).to_end({})

    assert (again.summary, told) == (first.summary, [])


async def test_only_what_is_meant_is_replayed_and_the_rest_counts_as_read(
    busy: Site, tmp_path: Path
) -> None:
    meant = Selection(deliveries=frozenset({"d-2", "github.com/d-5"}))

    progress = await running(busy, Runs(tmp_path).run("r"), selection=meant).to_end({})

    assert (progress.summary.deliveries, progress.read) == (2, 6)


async def test_another_request_does_not_go_on_with_it(busy: Site, tmp_path: Path) -> None:
    run = Runs(tmp_path).run("r-1")
    await running(busy, run).to_end({"since": None, "options": {"repo": ["a/b"]}})

    with pytest.raises(OtherRequest) as refused:
        await running(busy, run).to_end({"since": None, "options": {"repo": ["a/c"]}})

    assert refused.value.names == ("options",)


async def test_what_the_stores_were_told_is_told_again_to_a_run_that_goes_on(
    site: Site, tmp_path: Path
) -> None:
    run = Runs(tmp_path).run("r-1")
    first = site.again(Labels()).stores
    assert await first.firsts.claim_new("github.com/1#7", purpose="x", process_id="p-1")
    run.begin({})
    results, stores = run.append(results=[], stores=first.told.take())
    run.note(Progress(results_bytes=results, stores_bytes=stores))

    again = site.again(Labels())
    await again.stores.fill(run.told(), again.clock)

    assert not await again.stores.firsts.claim_new("github.com/1#7", purpose="x", process_id="p-2")
    assert await again.stores.firsts.claim_new("github.com/1#7", purpose="x", process_id="p-1")
    assert json.loads(again.stores.told.take()[0])[0] == "first"


# The folder ----------------------------------------------------------------------------------


def test_two_are_not_at_one_run_at_once(tmp_path: Path) -> None:
    run = Runs(tmp_path).run("r-1")

    with run.alone():
        assert run.is_at_work
        with pytest.raises(RunInUse), run.alone():
            pass

    assert not run.is_at_work


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a b", "\0", "x" * 65, "é" * 20])
def test_a_name_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownRun):
        Runs(tmp_path).run(name)


def test_runs_are_listed_the_newest_first(tmp_path: Path) -> None:
    for number, name in enumerate(("b", "a", "c")):
        run = Runs(tmp_path).run(name)
        run.begin({})
        os.utime(run.folder / "request.json", (number, number))

    assert [run.id for run in Runs(tmp_path).newest()] == ["c", "a", "b"]
    assert Runs(tmp_path / "nowhere").newest() == []


def test_time_left_is_reckoned_from_the_pace_so_far() -> None:
    assert Progress(total=100, read=25, elapsed_s=10).left_s == 30
    assert Progress(total=0, read=25, elapsed_s=10).left_s is None
