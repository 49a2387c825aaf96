"""The page of a replay: what differs, and nothing that strangers wrote does anything in it."""

import json
import re
from pathlib import Path

from reactor.replay.document import Decided, DecidedTick, Difference, Replayed, Summary
from reactor.replay.folder import Progress, Run, Runs
from reactor.web.replay_page import MOST, rows, write_page

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe {{ 7*7 }} 🦔"


def decided(*actions: str) -> Decided:
    ticks = [
        DecidedTick(tick=n, action=a, outcome="done", net_value=0.5, error="", outputs=[])
        for n, a in enumerate(actions, start=1)
    ]
    return Decided(status="TERMINATED", reason="", goal=None, ticks=ticks, effects=[])


def replayed(**fields: object) -> Replayed:
    told = Replayed(
        process="p1",
        delivery="github.com/d-1",
        event="issues.opened",
        subject="octo/hello#7",
        reaction="all",
        attempt=1,
        received_at="2026-03-14T12:00:00+00:00",
        verdict="different",
        then=decided("triage.label"),
        now=decided("triage.label", "triage.escalate"),
        differences=[Difference(what="action", tick=2, then="", now="triage.escalate")],
        unrecorded=[],
        failure="",
    )
    return told | fields  # type: ignore[return-value]


def page_of(folder: Path, *found: Replayed) -> str:
    run: Run = Runs(folder).run("r-1")
    run.begin({"options": {"repo": ["octo/hello"], "since": "", "set": [HOSTILE]}})
    results, stores = run.append(results=map(json.dumps, found), stores=())
    summary = Summary().plus(found)
    progress = Progress(summary=summary, results_bytes=results, stores_bytes=stores, elapsed_s=2)
    run.note(progress, is_done=True)
    write_page(folder / "page.html", run, progress)
    return (folder / "page.html").read_text(encoding="utf-8")


def test_what_differs_stands_side_by_side(tmp_path: Path) -> None:
    page = page_of(tmp_path, replayed(), replayed(verdict="same", process="p2"))

    assert re.search(r"<dt>different</dt><dd>1</dd>", page)
    assert '<td class="then"></td><td class="now">triage.escalate done</td>' in page
    assert "p2" not in page


def test_what_is_the_same_is_told_once_and_stands_on_both_sides() -> None:
    same, new = replayed(verdict="same", then=None), replayed(verdict="new", then=None)

    assert all(row.is_same for row in rows(same))
    assert list(rows(new))[-1].then == "not known"


def test_no_text_of_strangers_does_anything(tmp_path: Path) -> None:
    other = Difference(what="effect", tick=0, then=HOSTILE, now=HOSTILE)
    found = replayed(subject=HOSTILE, differences=[other], unrecorded=[HOSTILE])

    page = page_of(tmp_path, found, replayed(verdict="failed", failure=HOSTILE))

    assert "<script" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "[U+202E]" in page
    assert "{{ 7*7 }}" in page  # text, and no template
    assert "default-src 'none'" in page


def test_it_needs_nothing_from_anywhere(tmp_path: Path) -> None:
    page = page_of(tmp_path, replayed())

    assert not re.search(r"<[^>]*\s(src|href)=|url\(|@import|https?:", page)


def test_a_page_of_very_many_says_how_many_it_leaves_out(tmp_path: Path) -> None:
    page = page_of(tmp_path, *[replayed()] * (MOST + 3))

    assert page.count("<section>") == MOST
    assert "3 more differ or failed" in page


def test_nothing_differs_is_said(tmp_path: Path) -> None:
    assert "Nothing differs." in page_of(tmp_path, replayed(verdict="same"))
