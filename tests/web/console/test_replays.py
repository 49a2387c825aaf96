"""Replays on the console: begun with what is typed, watched, read side by side."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest

from reactor.replay.document import Decided, DecidedTick, Difference, Replayed, Summary
from reactor.replay.folder import Progress, Run, Runs
from reactor.web.access import Access
from reactor.web.console.entrance import Entrance
from reactor.web.console.replays import PAGE, AskedReplay, NotBegun, ReplayPages
from tests.web.console.browser import browsing
from tests.web.console.desk_site import HERE, post
from tests.web.console.doing import SEAL
from tests.web.console.site import Site

EVIL = "<script>alert(1)</script> \u202eevil"


@dataclass
class MemoryReplays:
    """Fits the port `Replays`: folders are there, and nothing runs."""

    data: Path
    begun: list[AskedReplay] = field(default_factory=list)
    steered: list[str] = field(default_factory=list)
    why_not: str = ""

    @property
    def runs(self) -> Runs:
        return Runs(self.data)

    async def begin(self, asked: AskedReplay) -> str:
        if self.why_not:
            raise NotBegun(self.why_not)
        self.begun.append(asked)
        put(self.data, f"run-{len(self.begun)}", [])
        return f"run-{len(self.begun)}"

    async def go_on(self, run: str) -> None:
        _ = self.runs.run(run).request
        self.steered.append(f"go on {run}")

    async def stop(self, run: str) -> bool:
        self.steered.append(f"stop {run}")
        return run == "run-1"


@pytest.fixture
def replays(tmp_path: Path) -> MemoryReplays:
    return MemoryReplays(tmp_path)


def console(replays: MemoryReplays, **entrance: object) -> Site:
    way: dict[str, object] = {"access": Access(loopback=True), "here": "ann", "seal": SEAL}
    made = Entrance(**{**way, **entrance})  # type: ignore[arg-type]
    return Site().with_parts(areas=(ReplayPages(replays),), entrance=made)


def decided(*actions: str) -> Decided:
    ticks = [
        DecidedTick(tick=n, action=each, outcome="done", net_value=0.5, error="", outputs=[])
        for n, each in enumerate(actions, start=1)
    ]
    return Decided(status="TERMINATED", reason="", goal=None, ticks=ticks, effects=[])


def replayed(number: int, verdict: str = "different") -> Replayed:
    told = Replayed(
        process=f"p{number:024x}",
        delivery=f"github.com/d-{number}",
        event="issues.opened",
        subject=f"octo/hello#{number} {EVIL}",
        reaction="triage",
        attempt=1,
        received_at="2026-03-14T15:09:00+00:00",
        verdict=verdict,  # type: ignore[typeddict-item]
        then=decided("a.look", "a.label") if verdict != "same" else None,
        now=decided("a.look", f"a.other{EVIL}"),
        differences=[Difference(what="action", tick=2, then="a.label", now=EVIL)],
        unrecorded=[f"store.read({EVIL})"] if number == 1 else [],
        failure=f"it broke {EVIL}" if verdict == "failed" else "",
    )
    if verdict == "same":
        told["differences"] = []
    return told


def put(data: Path, name: str, found: Sequence[Replayed], *, is_done: bool = True) -> Run:
    """A run with these results."""
    run = Runs(data).run(name)
    run.begin({"options": {"set": [f"components.x={EVIL}"], "config": "/etc/secret.yaml"}})
    results, stores = run.append(results=map(json.dumps, found), stores=[])
    summary = Summary().plus(found)
    progress = Progress(summary=summary, total=10, read=4, elapsed_s=2.0, results_bytes=results,
                        stores_bytes=stores)  # fmt: skip
    run.note(progress, is_done=is_done)
    return run


async def test_a_replay_is_begun_with_what_is_typed(replays: MemoryReplays) -> None:
    typed = {
        "since": "2h",
        "repo": "octo/hello\r\n\r\n octo/other ",
        "set": "components.triage.urgent_at=0.6",
        "scope": "triage",
    }
    async with browsing(console(replays).app(), HERE) as browser:
        done = await post(browser, "/replays", **typed)
        page = await browser.look(done[1])

    assert done == (303, "/replays/run-1?said=begun")
    (asked,) = replays.begun
    assert asked.one == {"since": "2h", "until": ""}
    assert {name: words for name, words in asked.several.items() if words} == {
        "repo": ["octo/hello", "octo/other"],
        "set": ["components.triage.urgent_at=0.6"],
        "scope": ["triage"],
    }
    assert page.one("p", role="status").text == "The replay has begun."


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("set", "redis.url=redis://evil.example"),
        ("set", "llm.models.default.api_base=https://evil.example"),
        ("set", "gateway.token=x"),
        ("set", "components.x=1\ngithub.token=x"),
        ("repo", "a\x1bb"),
        ("repo", "\u202eoctop"),
        ("event", "\n".join(f"e{n}" for n in range(21))),
        ("delivery", "x" * 501),
    ],
)
async def test_what_may_not_be_tried_is_told_beside_its_field(
    replays: MemoryReplays, name: str, typed: str
) -> None:
    async with browsing(console(replays).app(), HERE) as browser:
        answer = await browser.post("/replays", {"csrf": SEAL.word("here"), name: typed})
        api = await browser.client.post("/api/replays", json={name: typed.splitlines()})

    assert (answer.status_code, api.status_code) == (422, 422)
    assert 'aria-invalid="true"' in answer.text
    assert replays.begun == []


async def test_what_the_command_says_is_wrong_is_shown_with_what_was_typed(
    replays: MemoryReplays,
) -> None:
    replays.why_not = f"--since: say 90m {EVIL}"
    async with browsing(console(replays).app(), HERE) as browser:
        answer = await browser.post("/replays", {"csrf": SEAL.word("here"), "since": "last <b>"})

    assert answer.status_code == 422
    assert "say 90m &lt;script&gt;" in answer.text
    assert 'value="last &lt;b&gt;"' in answer.text


async def test_then_and_now_stand_side_by_side_and_text_of_events_does_nothing(
    replays: MemoryReplays,
) -> None:
    put(replays.data, "done", [replayed(1), replayed(2, "same"), replayed(3, "failed")])
    async with browsing(console(replays).app(), HERE) as browser:
        page = await browser.look("/replays/done")
        every = await browser.look("/replays/done?show=all")
        listed = await browser.look("/replays")

    assert [each.text for each in page.all("del")] == ["a.label done"]
    assert page.one("ins").text == "a.other<script>alert(1)</script> [U+202E]evil done"
    assert [len(shown.all("article")) for shown in (page, every)] == [2, 3]
    for shown in (page, every, listed):
        assert [e.attributes.get("src") for e in shown.all("script")] == ["/static/console.js"]
        assert "secret.yaml" not in shown.text
    assert "No record of store.read(" in page.text


async def test_a_run_that_was_stopped_can_go_on_and_one_that_runs_be_stopped(
    replays: MemoryReplays,
) -> None:
    run = put(replays.data, "run-1", [], is_done=False)
    async with browsing(console(replays).app(), HERE) as browser:
        stopped = await browser.look("/replays/run-1")
        with run.alone():
            running = await browser.look("/replays/run-1")
        gone_on = await post(browser, "/replays/run-1", do="resume")
        ended = await post(browser, "/replays/run-1", do="stop")
        elsewhere = await post(browser, "/replays/run-2", do="stop")
        unclear = await post(browser, "/replays/run-1", do="delete")

    assert [each.text for each in stopped.all("button", name="do")] == ["Go on"]
    assert [each.text for each in running.all("button", name="do")] == ["Stop"]
    assert running.one("progress").attributes["value"] == "40"
    assert (gone_on[0], ended[0], elsewhere[0], unclear[0]) == (303, 303, 409, 400)
    assert replays.steered[:2] == ["go on run-1", "stop run-1"]


@pytest.mark.parametrize("name", ["none", "..", "%2e%2e", "..%2f..%2fetc", "a%00b", "x" * 300])
async def test_a_name_leads_to_no_other_folder(replays: MemoryReplays, name: str) -> None:
    (replays.data / "request.json").write_text('{"options": {}}')
    async with browsing(console(replays).app(), HERE) as browser:
        looked = await browser.client.get(f"/api/replays/{name}")
        resumed = await post(browser, f"/replays/{name}", do="resume")

    assert looked.status_code in (404, 307) or "replays" in looked.json()  # ".." is left out before
    assert resumed[0] in (404, 405)
    assert replays.steered == []


async def test_a_run_whose_files_are_damaged_hides_no_other(replays: MemoryReplays) -> None:
    put(replays.data, "good", [replayed(1)])
    put(replays.data, "bad", [])
    (replays.data / "replays" / "bad" / "progress.json").write_text("{")
    async with browsing(console(replays).app(), HERE) as browser:
        listed = (await browser.client.get("/api/replays")).json()["replays"]
        bad = await browser.visit("/replays/bad")

    assert {each["id"]: each["state"] for each in listed} == {"good": "done", "bad": "damaged"}
    assert bad.status_code == 500
    assert "remove its folder" in bad.text


async def test_many_results_come_in_pages(replays: MemoryReplays) -> None:
    put(replays.data, "done", [replayed(n) for n in range(PAGE + 5)])
    async with browsing(console(replays).app(), HERE) as browser:
        first = (await browser.client.get("/api/replays/done")).json()
        second = (await browser.client.get(f"/api/replays/done?start={first['next']}")).json()
        wrong = await browser.client.get("/api/replays/done?start=-1")

    shown = [each["process"] for told in (first, second) for each in told["results"]]
    assert shown == [replayed(n)["process"] for n in range(PAGE + 5)]
    assert second["next"] is None
    assert wrong.status_code == 400


async def test_who_may_only_look_begins_and_stops_nothing(replays: MemoryReplays) -> None:
    put(replays.data, "run-1", [], is_done=False)
    async with browsing(console(replays, is_read_only=True).app(), HERE) as browser:
        pages = [await browser.look(path) for path in ("/replays", "/replays/run-1")]
        begun = await post(browser, "/replays", since="2h")
        stopped = await post(browser, "/replays/run-1", do="stop")

    assert [page.all("form", method="post") for page in pages] == [[], []]
    assert (begun[0], stopped[0]) == (403, 403)
    assert (replays.begun, replays.steered) == ([], [])


def test_a_progress_is_told_as_the_folder_has_it(tmp_path: Path) -> None:
    run = put(tmp_path, "one", [replayed(1)])

    assert asdict(run.progress)["summary"]["different"] == 1
