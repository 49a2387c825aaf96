"""What was decided is told by the command line, while all runs and after it has ended."""

import asyncio
import json

import pytest

from tests.fixtures.site import SAMPLES, Site, answers, post, terminate, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

URGENT = "issues.opened.urgent"


async def said(site: Site, name: str, *words: str, code: int = 0) -> str:
    process = site.start(name, *words, "--data", str(site.folder / "data"))
    ended = await asyncio.to_thread(process.wait, 60)
    assert ended == code, site.log(name)
    return site.log(name)


async def test_a_delivery_and_its_issue_are_told_while_it_runs_and_when_nothing_does(
    embedded_site: Site,
) -> None:
    site, data = embedded_site, str(embedded_site.folder / "data")
    up = site.start("up", "up", "--host", "127.0.0.1", "--port", str(site.port), "--data", data)
    await until(lambda: answers(f"{site.url}/readyz"), within_s=90)
    async with site.client() as client:
        for sample in (URGENT, "star.created"):
            body, event = (SAMPLES / f"{sample}.json").read_bytes(), sample.partition(".")[0]
            assert (await post(client, event, body, event)).is_success  # its id: the event

    async def is_settled() -> bool:
        async with site.client() as client:
            return bool((await client.get("/api/deliveries/issues")).json()["status"] == "settled")

    async def is_indexed() -> bool:
        name = f"journal-{len(site.processes)}"
        told = json.loads(await said(site, name, "journal", "--delivery", "issues", "--json"))
        return any(each["kind"] == "ended" for each in told["records"])

    await until(is_settled, within_s=60)
    screen = await said(site, "explain", "explain", "issues")
    why_not = await said(site, "why-not", "explain", "issues", "--why-not", "commands.label")
    mistyped = await said(site, "typo", "explain", "issues", "--why-not", "lable_issue", code=2)
    trace = json.loads(await said(site, "trace", "trace", "harbour/lantern#102", "--json"))
    await until(is_indexed, within_s=60, every_s=0.5)
    terminate(up)
    assert await asyncio.to_thread(up.wait, 30) == 0
    later = await said(site, "explain-later", "explain", "issues")
    trace_later = json.loads(await said(site, "trace-later", "trace", "harbour/lantern", "--json"))

    assert len(screen.splitlines()) <= 40
    assert "triage.ask_for_information: issue_assessment.quality <" in screen
    assert "commands.label does what a comment asks for: /label" in why_not
    assert "did you mean one of: triage.label_issue" in mistyped
    assert [each["what"] for each in trace["moments"]][:2] == ["delivery", "began"]
    assert later.splitlines()[3:] == screen.splitlines()[3:]
    kept = [each for each in trace_later["moments"] if each["subject"] == "harbour/lantern#102"]
    assert [each["says"] for each in kept] == [each["says"] for each in trace["moments"]]
