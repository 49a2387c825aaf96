"""An outage outside that lasts longer than the tries: what was given up is sent by one command."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from reactor.ledger import Fate
from reactor.testing import delivery, issue
from reactor.wiring.redis import redis_parts
from reactor.wiring.sending import make_ledger
from tests.fixtures.bell import Sink, install_bell
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.site import Site, until
from tests.fixtures.slow_site import deliveries

pytestmark = [pytest.mark.e2e, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(180)]


@pytest.fixture
def sink(site: Site) -> Sink:
    """Where changes go, and a reaction that makes three of each issue; one failure is enough."""
    sink, names = install_bell(site.folder)
    site.environ = {**site.environ, **names}
    settings = {
        "reactions": [{"name": "bells", "on": "issues", "scope": ["bell"], "effects": "live"}],
        "repositories": {"*": {"without_file": "live"}},
        "effects": {"attempts": 1},
    }
    (site.folder / "reactor.yaml").write_text(json.dumps(settings))
    return sink


@pytest.fixture
async def seen(site: Site, sink: Sink) -> AsyncIterator[Outside]:
    async with outside(site) as found:
        yield found


async def fates(seen: Outside, id: str) -> list[Fate]:
    (stored,) = await seen.processes(f"github.com/{id}")
    async with redis_parts(seen.settings) as redis:
        ledger = make_ledger(seen.settings, redis, seen.platform)
        return list(
            (
                await ledger.fates(stored.head.subject, [each.key for each in stored.effects])
            ).values()
        )


async def said(site: Site, name: str, *words: str) -> str:
    """What a command says, on both of its outputs; it has to end well."""
    config = str(site.folder / "reactor.yaml")
    process = site.start(name, *words, "--config", config)
    code = await asyncio.to_thread(process.wait, 60)
    assert code == 0, site.log(name)
    return site.log(name)


async def test_what_was_given_up_in_an_outage_is_sent_once_by_one_command(
    site: Site, sink: Sink, seen: Outside
) -> None:
    broken = sink.folder / "sink.jsonl"
    broken.mkdir()  # nothing can be read or written there
    site.start_worker("worker-a", "--config", str(site.folder / "reactor.yaml"))

    async def all_are(state: str) -> bool:
        if not await seen.processes("github.com/d-1"):
            return False
        return [fate.state for fate in await fates(seen, "d-1")] == [state] * 3

    async with deliveries(site) as log:
        await log.append(delivery("issues.opened", id="d-1", issue=issue("it crashes")))
    await until(lambda: all_are("given_up"), within_s=90)
    listed = await said(site, "list", "effects", "list", "--json")
    explained = await said(site, "explain", "explain", "d-1")
    broken.rmdir()
    retried = await said(site, "retry", "effects", "retry", "--delivery", "d-1", "--yes")
    await until(lambda: all_are("done"), within_s=90)

    assert json.loads(listed)["found"] == 3
    assert "given up after 1 try" in explained
    assert "reactor effects retry" in explained
    assert "effects: retried=3 skipped=0" in retried
    assert [line["kind"] for line in sink.lines] == ["mark", "say", "welcome"]
    assert "effect_given_up" in site.log("worker-a")
