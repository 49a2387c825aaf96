"""The journal of a whole installation: kill -9 costs neither the index nor what was settled."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from reactor.adapters.clock import SystemClock
from reactor.adapters.sqlite_schema import AnotherSchema, connect
from reactor.journal import JournalRecord
from reactor.settings import Settings, load
from reactor.wiring.archiving import archiving
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.recorded import records_of
from reactor.wiring.redis import redis_parts
from tests.fixtures.site import SAMPLES, Site, alive, answers, descendants, post, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

_PROCESSES, _RECORDS = 60, 50


@pytest.mark.kafka
@pytest.mark.redis
async def test_a_console_that_is_killed_again_and_again_indexes_everything_once(
    site: Site,
) -> None:
    site.environ = {**site.environ, "REACTOR_DATA": str(site.folder / "data")}
    settings = load(None, site.environ)
    written = await _write_journal(settings)

    for _ in range(2):
        console = site.start("console", "console", "--port", "0")
        await _has_more(settings, than=await _indexed(settings))
        console.kill()
        await asyncio.to_thread(console.wait)
    site.start("console", "console", "--port", "0")
    await _has_more(settings, than=len(written) - 1)

    assert await _indexed(settings) == len(written)
    for process in (f"p{number}" for number in range(_PROCESSES)):
        records = await records_of(settings).of_process(process)
        assert records == [record for record in written if record.process_id == process]


async def test_what_was_settled_is_explained_after_everything_was_killed(
    embedded_site: Site,
) -> None:
    up = await _start_up(embedded_site)
    sample = (SAMPLES / "issues.opened.json").read_bytes()
    async with embedded_site.client() as client:
        for name in ("settled-1", "settled-2"):
            assert (await post(client, "issues", sample, name)).status_code == 202
    before = [await _told(embedded_site, name) for name in ("settled-1", "settled-2")]

    await _kill_everything(up)
    alone = await _explain(embedded_site, "settled-1")  # nothing runs
    await _start_up(embedded_site)
    after = [await _told(embedded_site, name) for name in ("settled-1", "settled-2")]

    assert [each["processes"] for each in after] == [each["processes"] for each in before]
    assert [each["request"]["payload"] for each in after] == [
        each["request"]["payload"] for each in before
    ]
    assert [tick["chosen"] for tick in alone["processes"][0]["ticks"]] == [
        tick["chosen"] for tick in before[0]["processes"][0]["ticks"]
    ]


async def _write_journal(settings: Settings) -> list[JournalRecord]:
    """As workers do: in the archive too, where the broker forgets."""
    now = SystemClock().now()
    written = [
        JournalRecord(
            process_id=f"p{number}",
            seq=seq,
            kind="tick",
            at=now,
            data={"v": 2, "chosen": "triage.label", "outcome": "done", "preview": "x" * 500},
        )
        for number in range(_PROCESSES)
        for seq in range(1, _RECORDS + 1)
    ]
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as broker,
        archiving(settings, broker, SystemClock()) as (kafka, _),
    ):
        for number in range(0, len(written), _RECORDS):
            await kafka.journal.publish(written[number : number + _RECORDS])
        await kafka.journal.publish(written[:_RECORDS])  # some of it a second time
    return written


async def _indexed(settings: Settings) -> int:
    """How many records are indexed."""

    def count() -> int:
        try:
            with closing(connect(records_of(settings).path, writes=False)) as index:
                return int(index.execute("SELECT count(*) FROM records").fetchone()[0])
        except (sqlite3.Error, AnotherSchema):  # it is not made yet
            return 0

    return await asyncio.to_thread(count)


async def _has_more(settings: Settings, *, than: int) -> None:
    """Wait until more are indexed, or all."""

    async def has_more() -> bool:
        return await _indexed(settings) > min(than, _PROCESSES * _RECORDS - 1)

    await until(has_more, within_s=90, every_s=0.02)


async def _start_up(site: Site) -> subprocess.Popen[bytes]:
    place = site.folder / "data" / "up.json"
    place.unlink(missing_ok=True)
    up = site.start("up", "up", "--port", str(site.port), "--data", str(site.folder / "data"))
    await until(place.exists, within_s=90)
    console = json.loads(place.read_text())["console"]
    await until(lambda: answers(f"{site.url}/readyz"), within_s=90)
    await until(lambda: answers(f"{console}/readyz"), within_s=90)
    return up


async def _kill_everything(up: subprocess.Popen[bytes]) -> None:
    processes = [psutil.Process(up.pid), *descendants(up.pid)]
    for process in processes:
        process.kill()
    await asyncio.to_thread(up.wait)
    await until(lambda: not alive(processes))


async def _told(site: Site, name: str) -> dict[str, Any]:
    """What the console tells of a delivery, once all of it has come to rest and is indexed."""
    place = json.loads((site.folder / "data" / "up.json").read_text())
    told: dict[str, Any] = {}

    async def is_whole() -> bool:
        async with httpx.AsyncClient(base_url=place["console"], timeout=10) as client:
            answer = await client.get(f"/api/deliveries/{name}")
            found = (await client.get(f"/api/journal?delivery={name}")).json()
        told.update(answer.json() if answer.status_code == 200 else {})
        ended = [each for each in found.get("records", ()) if each["kind"] == "ended"]
        return bool(told.get("processes")) and bool(told.get("request")) and bool(ended)

    await until(is_whole, within_s=60)
    return told


async def _explain(site: Site, name: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "reactor", "explain", name, "--json"),
        *("--data", str(Path(site.folder) / "data")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(site.environ),
        cwd=site.folder,
    )
    out, error = await process.communicate()
    assert process.returncode == 0, error.decode()
    found: dict[str, Any] = json.loads(out)
    return found
