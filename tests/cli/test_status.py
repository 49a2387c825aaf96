"""`reactor status`: what it shows, and how it says that all is not well."""

import asyncio
import io
import json
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import Result

from reactor.adapters.file_spool import open_spool
from reactor.children import free_port
from reactor.cli.overview import rendered
from reactor.heartbeat import Heartbeat, Holding
from reactor.overview import Backlog, Lag, Overview, ServerSeen, lag_of_workers, told_overview
from reactor.wiring.redis import NoServer

Run = Callable[..., Result]

NOW = datetime(2026, 3, 14, 15, 0, tzinfo=UTC)
WORKER = Heartbeat(
    owner="host/1/worker-1",
    at=NOW,
    started_at=NOW - timedelta(hours=5),
    is_ready=True,
    holds=(
        Holding(topic="r.deliveries", partition=0, lag=7),
        Holding(topic="r.signals", partition=0, lag=0),
    ),
    running=4,
    waiting=3,
    waiting_out=1,
    settled=1200,
    settled_per_s=12.5,
    oldest_at=NOW - timedelta(seconds=90),
    http="http://127.0.0.1:9100",
)
WELL = (ServerSeen(name="kafka"), ServerSeen(name="redis"))


def shown(seen: Overview) -> str:
    written = io.StringIO()
    Console(width=140, file=written).print(rendered(seen))
    return written.getvalue()


def overview(**changed: object) -> Overview:
    lag = Lag(by="broker", partitions=WORKER.holds, oldest_at=NOW - timedelta(minutes=3))
    fields = {
        "at": NOW,
        "servers": WELL,
        "lag": lag,
        "workers": (WORKER,),
        "backlog": Backlog(
            dead=2,
            oldest_dead_at=NOW - timedelta(days=3),
            forms=1,
            timers=2,
            timers_due=1,
            effects=0,
        ),
    }
    return Overview(**{**fields, **changed})  # type: ignore[arg-type]


def test_each_thing_has_a_line_and_each_worker_too() -> None:
    lines = shown(overview()).splitlines()

    told = {line.split("  ")[0].strip(): line for line in lines}
    assert "answers" in told["kafka"]
    assert "7 records not settled, the oldest 3 min old" in told["lag"]
    assert "4 in work, 1 of them held up by a server that is away, 3 behind" in told["in flight"]
    assert "2 letters, the oldest 3 d old: `reactor dead list`" in told["dead"]
    assert "1 form open" in told["forms"]
    assert "2 timers, 1 due" in told["timers"]
    assert "none" in told["effects"]
    assert "1, settling 12.5/s" in told["workers"]
    assert "deliveries 0, signals 0" in told["worker-1"]
    assert "http://127.0.0.1:9100" in told["worker-1"]
    assert "1,200" in told["worker-1"]


def test_effects_that_were_given_up_are_told_with_what_lists_them() -> None:
    seen = overview(backlog=Backlog(effects=0, effects_given_up=3))

    (line,) = [line for line in shown(seen).splitlines() if line.startswith("effects")]

    assert line.split(maxsplit=1)[1].strip() == "none; 3 given up: `reactor effects list`"
    assert told_overview(seen)["effects"] == {"subjects_due": 0, "given_up": 3}


def test_what_could_not_be_seen_is_no_zero() -> None:
    away = ServerSeen(name="kafka", trouble="no answer within 1.5 s")
    seen = overview(servers=(away, WELL[1]), lag=None, backlog=Backlog())

    lines = shown(seen).splitlines()

    assert any(line.split() == ["lag", "?"] for line in lines)
    assert any(line.split() == ["dead", "?"] for line in lines)
    assert any("no answer within 1.5 s" in line for line in lines)
    assert not seen.is_well


def test_that_nobody_works_is_said_and_is_not_well() -> None:
    seen = overview(workers=())

    assert "none: what comes in waits" in shown(seen)
    assert not seen.is_well
    assert not overview(
        workers=(Heartbeat(owner="h/1/w", at=NOW, started_at=NOW, is_ready=False),)
    ).is_well


def test_the_lag_of_workers_is_what_they_hold() -> None:
    lag = lag_of_workers((WORKER,))

    assert (lag.by, lag.records, lag.oldest_at) == ("workers", 7, NOW - timedelta(seconds=90))


def test_without_servers_it_says_how_to_have_them(run: Run) -> None:
    assert isinstance(run("status").exception, NoServer)


@pytest.fixture
def site(kafka_bootstrap: str, redis_url: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    prefix = f"status-{secrets.token_hex(6)}"
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", kafka_bootstrap)
    monkeypatch.setenv("REDIS_URL", redis_url)
    for name in ("REACTOR_KAFKA_PREFIX", "REACTOR_REDIS_PREFIX", "REACTOR_KAFKA_GROUP"):
        monkeypatch.setenv(name, prefix)
    return run


@pytest.mark.kafka
@pytest.mark.redis
async def test_where_nobody_works_it_shows_all_and_ends_with_1(site: Run, tmp_path: Path) -> None:
    async with open_spool(tmp_path / "data" / "spool", size_up_to=10**8) as spool:
        await spool.append(b"12345")

    result = await _answered(site, "kafka", "redis", data=tmp_path / "data")

    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert told["servers"] == {
        "kafka": {"up": True, "trouble": ""},
        "redis": {"up": True, "trouble": ""},
    }
    assert (told["workers"], told["dead"]["letters"], told["forms"]) == ([], 0, {"waiting": 0})
    assert told["spool"]["items"] == 1


@pytest.mark.redis
async def test_where_the_broker_is_away_the_rest_is_shown(
    site: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", f"127.0.0.1:{free_port()}")

    result = await _answered(site, "redis")

    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert told["servers"]["kafka"]["up"] is False
    assert told["servers"]["redis"]["up"] is True
    assert (told["lag"], told["timers"]) == (None, {"set": 0, "due": 0})


async def _answered(run: Run, *servers: str, data: Path = Path("data")) -> Result:
    """What it tells once these answer; a busy machine may keep them from that for a while."""
    async with asyncio.timeout(45):
        while True:
            # in a thread, as the command has an event loop of its own
            result = await asyncio.to_thread(run, "status", "--json", "--data", str(data))
            told = json.loads(result.stdout)["servers"]
            if all(told[server]["up"] for server in servers):
                return result


@pytest.mark.kafka
@pytest.mark.redis
@pytest.mark.usefixtures("site")
def test_watched_it_tells_again_and_again_until_ctrl_c() -> None:
    command = [sys.executable, "-m", "reactor", "status", "--watch", "--json", "--every", "0.5"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout
        lines = [json.loads(watching.stdout.readline()) for _ in range(2)]
        watching.send_signal(signal.SIGINT)
        code = watching.wait(20)

    assert code == 0
    assert lines[0]["at"] < lines[1]["at"]
