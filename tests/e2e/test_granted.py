"""What operators grant, with real workers: the rest is refused by name, also what is under way."""

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

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(240),
]

LIVE = {
    "reactions": [{"name": "bells", "on": "issues", "scope": ["bell"], "effects": "live"}],
    "worker": {"lease_s": 2},
}


@pytest.fixture
def sink(site: Site) -> Sink:
    """Where changes go; the bell wants a mark, a note and a welcome for each issue."""
    sink, names = install_bell(site.folder)
    site.environ = {**site.environ, **names}
    return sink


@pytest.fixture
async def seen(site: Site, sink: Sink) -> AsyncIterator[Outside]:
    async with outside(site) as found:
        yield found


def grant(site: Site, **settings: object) -> None:
    (site.folder / "reactor.yaml").write_text(json.dumps({**LIVE, **settings}))


async def wish(site: Site, title: str, number: int) -> None:
    async with deliveries(site) as log:
        opened = issue(title, number=number)
        await log.append(delivery("issues.opened", id=f"d-{number}", issue=opened))


async def explained(site: Site, number: int) -> str:
    """What people are told of the delivery."""
    name = f"explain-{number}"
    process = site.start(
        name, "explain", f"d-{number}", "--config", str(site.folder / "reactor.yaml")
    )
    code = await asyncio.to_thread(process.wait, 60)
    assert code == 0, site.log(name)
    return " ".join(site.log(name).split())


async def fates(seen: Outside, number: int) -> dict[str, Fate]:
    """By kind, where those stand that are in the ledger."""
    found: dict[str, Fate] = {}
    for stored in await seen.processes(f"github.com/d-{number}"):
        kinds = {each.key: each.effect.kind for each in stored.effects}
        async with redis_parts(seen.settings) as redis:
            ledger = make_ledger(seen.settings, redis, seen.platform)
            told = await ledger.fates(stored.head.subject, kinds)
        found |= {kinds[key]: fate for key, fate in told.items()}
    return found


async def test_what_is_not_granted_is_refused_by_name_and_the_rest_is_sent(
    site: Site, sink: Sink, seen: Outside
) -> None:
    grant(
        site,
        components={"bell": {"allow": ["Mark", "Welcome"]}},
        repositories={"octo/*": {"without_file": "live", "labels": ["bug"]}},
    )
    site.start_worker("worker", "--config", str(site.folder / "reactor.yaml"))

    await wish(site, "bug", 1)
    await wish(site, "wontfix", 2)

    async def all_sent() -> bool:
        first, second = await fates(seen, 1), await fates(seen, 2)
        sent = [*first.values(), *second.values()]
        return len(sent) == 3 and all(fate.state == "done" for fate in sent)

    await until(all_sent, within_s=90, every_s=0.5)
    first, second = await explained(site, 1), await explained(site, 2)

    assert sorted(line["kind"] for line in sink.lines) == ["mark", "welcome", "welcome"]
    assert sink.of("bug") == ["mark"]
    assert sink.of("wontfix") == []
    assert "components.bell does not allow Say" in first
    assert "repositories.octo/* does not allow the label wontfix" in second


async def test_what_is_granted_no_more_is_refused_though_it_waits_in_the_ledger_already(
    site: Site, sink: Sink, seen: Outside
) -> None:
    everything = {"*": {"without_file": "live"}}
    grant(site, repositories=everything)
    sink.hold("bug")
    before = site.start_worker("before", "--config", str(site.folder / "reactor.yaml"))
    await wish(site, "bug", 1)

    async def all_wait() -> bool:
        return len(await fates(seen, 1)) == 3

    await until(all_wait, within_s=90, every_s=0.5)
    before.kill()
    await asyncio.to_thread(before.wait, 30)
    grant(site, repositories=everything, components={"bell": {"allow": ["Mark"]}})
    sink.let_go("bug")
    site.start_worker("after", "--config", str(site.folder / "reactor.yaml"))

    async def all_settled() -> bool:
        found = await fates(seen, 1)
        return all(fate.state in ("done", "refused") for fate in found.values())

    await until(all_settled, within_s=90, every_s=0.5)

    found = await fates(seen, 1)
    assert [line["kind"] for line in sink.lines] == ["mark"]
    assert {kind: (fate.state, fate.reason) for kind, fate in found.items()} == {
        "Mark": ("done", ""),
        "Say": ("refused", "components.bell does not allow Say"),
        "Welcome": ("refused", "components.bell does not allow Welcome"),
    }


async def test_a_live_reaction_that_nobody_grants_anything_says_so_and_only_observes(
    site: Site, sink: Sink, seen: Outside
) -> None:
    grant(site)
    site.start_worker("worker", "--config", str(site.folder / "reactor.yaml"))

    await wish(site, "bug", 1)

    async def is_over() -> bool:
        return any(
            each.head.status.is_settled and each.effects
            for each in await seen.processes("github.com/d-1")
        )

    await until(is_over, within_s=90, every_s=0.5)
    told = await explained(site, 1)

    assert "nothing_granted" in site.log("worker")
    assert "octo/hello has no .github/reactor.yml" in told
    assert await fates(seen, 1) == {}
    assert sink.lines == []
