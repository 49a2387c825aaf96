"""An installation seen from outside: traces across its processes, lines of its log, its state."""

import asyncio
import json
import subprocess
from collections.abc import Iterator, Mapping

import httpx
import pytest

from reactor.cli.sending import signed_headers
from reactor.wiring.redis import redis_parts
from tests.fixtures.bell import install_bell
from tests.fixtures.collector import Collector, Seen, collecting
from tests.fixtures.ledger import outside
from tests.fixtures.site import SAMPLES, SECRET, Site, answers, terminate, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

SAMPLE = SAMPLES / "issues.opened.json"
TOKEN = "ghp_" + "a1B2c3D4" * 4


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as made:
        yield made


@pytest.fixture
def traced(site: Site, collector: Collector) -> Site:
    """With a component whose effects are really sent."""
    _, environ = install_bell(site.folder)
    site.environ = {
        **site.environ,
        **environ,
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
        "REACTOR_WORKER_HTTP_PORT": "0",
    }
    return site


LIVE = json.dumps(
    {
        "reactions": [{"name": "bells", "on": "issues.opened", "effects": "live"}],
        "repositories": {"*": {"without_file": "live"}},
    }
)


async def started(site: Site, settings: str = "{}") -> None:
    config = site.folder / "reactor.yaml"
    config.write_text(settings)
    site.start_gateway("--config", str(config))
    site.start_worker("worker", "--config", str(config))
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
    await until(lambda: site.is_ready("worker"), within_s=60)


async def send(site: Site, delivery: str, body: bytes) -> None:
    headers = signed_headers("issues", body, secret=SECRET, delivery=delivery)
    headers["authorization"] = f"Bearer {TOKEN}"  # nobody asks for it, and nobody may tell it
    async with site.client() as client:
        answer = await client.post("/webhook", content=body, headers=headers)
    assert answer.status_code == 202


async def ended(process: subprocess.Popen[bytes]) -> int:
    return await asyncio.to_thread(process.wait, 30)


async def test_a_delivery_is_one_trace_from_the_gateway_to_its_effects(
    traced: Site, collector: Collector
) -> None:
    await started(traced, LIVE)

    await send(traced, "traced", SAMPLE.read_bytes())
    await until(lambda: traced.log("worker").count("effect_sent") == 3, within_s=60)
    counts = await metrics_of(traced)
    for process in traced.processes:
        terminate(process)
    codes = [await ended(process) for process in traced.processes]

    assert codes == [0, 0]
    for kind in ("Mark", "Say", "Welcome"):
        assert f'reactor_effects_total{{kind="{kind}",state="queued"}} 1.0' in counts
        assert f'reactor_effects_total{{kind="{kind}",state="sent"}} 1.0' in counts
    (accepted,) = collector.named("accept")
    (settled,) = collector.named("settle")
    (process_,) = collector.named("process")
    (wished,) = collector.named("enrol")
    sent = {seen.noted["effect"]: seen for seen in collector.named("send")}
    assert (accepted.service, settled.service) == ("reactor-gateway", "reactor-worker")
    assert accepted.parent == ""
    assert [settled.parent, process_.parent] == [accepted.id, settled.id]
    actions = {seen.noted["action"]: seen for seen in collector.named("action")}
    assert actions["bell.want"].parent == process_.id
    assert wished.parent == settled.id
    assert {seen.parent for seen in sent.values()} == {wished.id}
    assert actions["bell.mark"].parent == sent["Mark"].id
    assert actions["bell.say"].parent == sent["Say"].id
    assert {seen.trace for seen in collector.spans} == {accepted.trace}
    assert _told(accepted) == _told(settled) == ("traced", "harbour/lantern#101")


async def metrics_of(site: Site) -> str:
    """Of its worker, which names its address in its heartbeat."""
    async with outside(site) as seen, redis_parts(seen.settings) as redis:
        (told,) = await redis.heartbeats.alive()
    async with httpx.AsyncClient() as client:
        return (await client.get(f"{told.http}/metrics")).text


def _told(seen: Seen) -> tuple[object, object]:
    return seen.noted["delivery_id"], seen.noted["subject"]


async def test_every_line_about_a_delivery_names_it_and_no_line_has_a_secret(site: Site) -> None:
    await started(site)

    await send(site, "told", SAMPLE.read_bytes())
    await send(site, "told", SAMPLE.read_bytes())
    await until(lambda: "delivery_settled" in site.log("worker"), within_s=60)

    lines = [*lines_of(site, "gateway"), *lines_of(site, "worker")]
    about = [line for line in lines if line["event"] in ("delivery", "delivery_settled")]
    caught = [line for line in lines if line["event"] == "guard_caught"]
    assert len(about) == 3
    assert {(line["delivery_id"], line["subject"]) for line in (*about, *caught)} == {
        ("told", "harbour/lantern#101")
    }
    text = site.log("gateway") + site.log("worker")
    assert SECRET not in text
    assert TOKEN not in text
    assert "sha256=" not in text


def lines_of(site: Site, name: str) -> list[Mapping[str, object]]:
    return [json.loads(line) for line in site.log(name).splitlines()]


async def test_status_tells_what_is_behind_and_who_works(site: Site) -> None:
    await started(site)
    await send(site, "seen", SAMPLE.read_bytes())

    async def told() -> dict[str, object]:
        site_name = "status"
        (site.folder / f"{site_name}.log").unlink(missing_ok=True)
        process = site.start(site_name, "status", "--json")
        await ended(process)
        found: dict[str, object] = json.loads(site.log(site_name).splitlines()[-1])
        return found

    settled: list[dict[str, object]] = []

    async def is_settled() -> bool:
        seen = await told()
        workers = seen["workers"]  # null while Redis has no time to tell
        assert workers is None or isinstance(workers, list)
        is_whole = seen["lag"] is not None and seen["dead"] is not None
        if seen["well"] and is_whole and workers and workers[0]["settled"] == 1:
            settled.append(seen)
        return bool(settled)

    await until(is_settled, within_s=90)
    (seen,) = settled
    assert seen["lag"]["records"] == 0  # type: ignore[index]
    assert seen["dead"] == {"letters": 0, "oldest_s": None}
