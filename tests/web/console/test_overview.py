"""The overview: what happened lately, how far behind it is, and what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from reactor.adapters.memory_records import MemoryRecords
from reactor.errors import InfrastructureError
from reactor.heartbeat import Heartbeat, Holding
from reactor.overview import Backlog, Lag, Overview, Sample, ServerSeen, sample_of
from reactor.ports import Place, Recent
from reactor.records import Bar
from reactor.status import ProcessHead, Status
from reactor.web.console import charts
from reactor.web.console.overview import LOOK_EVERY_S
from tests.web.console.looked import Looked
from tests.web.console.site import FaultyBoards, Site


@dataclass
class Seen:
    """An installation of which a test says how it is."""

    console: Site
    overview: Overview = field(init=False)
    samples: Sequence[Sample] = ()
    looks: int = 0

    def __post_init__(self) -> None:
        now = self.console.clock.now()
        held = Holding(topic="reactor.deliveries", partition=0, lag=12)
        worker = Heartbeat(
            owner="host-1/7/worker-1", at=now, started_at=now, is_ready=True, holds=(held,)
        )
        self.overview = Overview(
            at=now,
            servers=(ServerSeen(name="kafka"), ServerSeen(name="redis")),
            lag=Lag(by="broker", partitions=(held,), oldest_at=None),
            workers=(worker,),
            backlog=Backlog(dead=2, forms=1, timers=0, timers_due=0, effects=0, effects_given_up=0),
        )

    async def look(self) -> Overview:
        self.looks += 1
        return self.overview


def seeing(console: Site) -> Seen:
    seen = Seen(console)
    console.with_parts(installation=seen)
    return seen


def tiles(page: Looked) -> dict[str, str]:
    """Value by name."""
    names = [each.text for each in page.all("span", class_="name")]
    values = [e.text for e in page.elements if e.attributes.get("class", "").startswith("value")]
    return dict(zip(names, values, strict=True))


async def test_with_nothing_yet_it_says_what_to_do(console: Site) -> None:
    page = await console.look("/")

    assert "Nothing has happened in this window" in page.text
    assert "reactor send" in page.text


async def test_figures_say_how_it_goes(console: Site) -> None:
    seeing(console)
    await console.put("github.com/a")
    await console.put("github.com/b", Status.FAILED, failure="no")

    page = await console.look("/")

    shown = tiles(page)
    assert shown["Processes"] == "2"
    assert shown["Failed"] == "1"
    assert shown["Lag"] == "12"
    assert shown["Workers"] == "1"
    assert shown["Dead letters"] == "2"
    assert shown["Waiting for people"] == "1"
    assert any(row.startswith("worker-1 host-1 ready") for row in page.rows)


async def test_what_is_red_is_the_figure_of_what_was_given_up(console: Site) -> None:
    seen = seeing(console)
    backlog = replace(seen.overview.backlog, effects=0, effects_given_up=3)
    seen.overview = replace(seen.overview, backlog=backlog)

    page = await console.look("/")

    assert tiles(page)["Effects given up"] == "3"
    assert "3" in [each.text for each in page.all("span", class_="value bad")]
    assert "0 subjects still due" in page.text


async def test_outcomes_are_drawn_and_told_in_words(console: Site) -> None:
    for number in range(3):
        await console.put(f"github.com/{number}")
    await console.put("github.com/x", Status.FAILED)

    page = await console.look("/")

    bars = {rect.attributes["class"] for rect in page.all("rect")} & {"good", "bad"}
    assert bars == {"good", "bad"}
    said = [each.attributes["aria-label"] for each in page.all("figure")]
    assert said[0] == "Processes over time: 4 in all, at most 4 in 1 min"
    assert any("3 completed, 1 failed" in row for row in page.rows)  # without a drawing as well


async def test_the_same_as_json_with_another_window(console: Site) -> None:
    seeing(console)
    await console.put("github.com/a")

    told = (await console.get("/api/overview?window=24h")).json()

    assert told["rates"]["window"] == "24h"
    assert told["rates"]["outcomes"] == {"COMPLETED": 1}
    assert told["installation"]["lag"]["records"] == 12
    assert (await console.get("/api/overview?window=9y")).status_code == 400


async def test_servers_that_are_away_are_named_on_top(console: Site) -> None:
    seen = seeing(console)
    away = ServerSeen(name="kafka", trouble="nothing listens on <127.0.0.1>")
    seen.overview = replace(seen.overview, servers=(away,), lag=None, workers=())

    page = await console.look("/")

    assert "kafka does not answer: nothing listens on <127.0.0.1>" in page.text
    assert "No worker is alive" in page.text
    assert tiles(page)["Lag"] == charts.NOBODY_KNOWS


async def test_without_redis_there_is_an_overview_all_the_same(console: Site) -> None:
    seen = seeing(console)
    away = ServerSeen(name="redis", trouble="refused")
    seen.overview = replace(seen.overview, servers=(away,), workers=None, backlog=Backlog())
    console.with_parts(lookup=replace(console.lookup, boards=AwayBoards("away")))

    page = await console.look("/")

    assert "redis does not answer: refused" in page.text


async def test_what_was_looked_up_serves_everybody_for_a_while(console: Site) -> None:
    seen = seeing(console)

    for _ in range(3):
        await console.look("/")
    assert seen.looks == 1
    console.clock.move(timedelta(seconds=LOOK_EVERY_S + 1))
    await console.look("/")

    assert seen.looks == 2


async def test_where_more_happened_than_is_listed_the_index_of_the_journal_counts(
    console: Site,
) -> None:
    class Index(MemoryRecords):
        async def bars(self, begin: datetime, end: datetime, number: int) -> Sequence[Bar]:
            step = (end - begin) / number
            busy = Bar(begin=begin, ended={"COMPLETED": 70_000}, median_s=1.0, slowest_s=9.0)
            return [busy, *(Bar(begin=begin + step * n) for n in range(1, number))]

    boards = EndlessBoards("never", console.clock.now())
    console.with_parts(lookup=replace(console.lookup, boards=boards, records=Index()))

    told = (await console.get("/api/overview")).json()["rates"]

    assert told["processes"] == 70_000
    assert (told["p50_s"], told["p95_s"], told["upper"]) == (1.0, 9.0, "slowest")
    assert told["is_whole"]


async def test_lag_over_time_is_what_workers_say_together(console: Site) -> None:
    seen = seeing(console)
    workers = seen.overview.workers or ()
    now = console.clock.now()
    seen.samples = [sample_of(workers * n, now + timedelta(seconds=n)) for n in (1, 2, 3)]
    await console.put("github.com/a")

    page = await console.look("/")
    told = (await console.get("/api/overview")).json()

    assert [each["lag"] for each in told["samples"]] == [12, 24, 36]
    assert "Records not settled, now 36" in [
        figure.attributes["aria-label"] for figure in page.all("figure")
    ]


class AwayBoards(FaultyBoards):
    """Redis does not answer."""

    async def recent(self, *, limit: int, before: Place | None = None) -> list[Recent]:
        raise InfrastructureError("redis", "refused")


class EndlessBoards(FaultyBoards):
    """There is always one more, as many as are asked for, all of just now."""

    def __init__(self, says: str, now: datetime) -> None:
        super().__init__(says)
        self._now, self._number = now, 0

    async def recent(self, *, limit: int, before: Place | None = None) -> list[Recent]:
        return [self._one() for _ in range(limit)]

    def _one(self) -> Recent:
        self._number += 1
        at = self._now - timedelta(microseconds=self._number)
        head = ProcessHead(
            id=f"p{self._number:024x}",
            delivery="github.com/a",
            reaction="everything",
            subject="github.com/9#7",
            agent="reactor",
            planner="utility",
            created_at=at,
            updated_at=at,
        )
        return Recent(Place(at, head.id), head)


def test_a_chart_of_nothing_is_a_chart() -> None:
    assert charts.stacked([], []).startswith("<svg")
    assert "polyline" not in charts.lines([None, None])
    assert charts.lines([1.0, None, 2.0]).count("<polyline") == 2


def test_a_lone_point_at_the_edge_is_drawn_within_the_chart_and_wide_enough_to_be_seen() -> None:
    drawn = charts.lines([*[None] * 59, 1.0])

    assert 'points="592.00,4.00 600.00,4.00"' in drawn


def test_what_is_told_where_one_points_is_escaped() -> None:
    drawn = charts.stacked([{"COMPLETED": 1}], ["<script>alert(1)</script>"])

    assert "<script>" not in drawn
    assert "&lt;script&gt;" in drawn


def test_spans_are_said_in_the_unit_that_fits() -> None:
    spans = [charts.span(s) for s in (None, 0.0123, 1.25, 30, 60, 600, 7200)]

    assert spans == [charts.NOBODY_KNOWS, "12 ms", "1.25 s", "30 s", "1 min", "10 min", "2.0 h"]


def test_what_costs_more_than_it_is_worth_is_shown_as_that() -> None:
    assert 'class="below" width="50.0"' in charts.bar(-0.5, 1.0)
    assert 'class="filled" width="100.0"' in charts.bar(None, 1.0)  # infinitely much
    assert 'width="0.0"' in charts.bar(0.0, 0.0)
