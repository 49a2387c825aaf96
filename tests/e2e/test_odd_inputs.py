"""The odd inputs against the real gateway and a real worker: statuses, records, processes."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.fixtures.ledger import Outside, outside
from tests.fixtures.site import Site, answers, until
from tests.odd_inputs.cases import HOSTS, OWN_APP_ID, SECRETS, OddRequest, load_case, names

pytestmark = [pytest.mark.e2e, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(300)]

OCTOKIT = Path(__file__).parents[3] / "shared" / "octokit" / "octokit_examples.jsonl"


@pytest.fixture
def odd_site(site: Site) -> Site:
    """Configured as the cases ask, with one reaction that listens to everything."""
    config = site.folder / "reactor.yaml"
    hosts = [host for host in HOSTS if host != "github.com"]
    settings = {
        "github": {"app_id": OWN_APP_ID, "hosts": hosts},
        "reactions": [{"name": "all", "on": "*"}],
    }
    config.write_text(json.dumps(settings))  # JSON is YAML
    secrets = {"GITHUB_WEBHOOK_SECRET": ",".join(SECRETS)}
    site.environ = {**site.environ, **secrets}
    site.start_gateway("--config", str(config))
    site.start_worker("worker", "--config", str(config))
    return site


async def serves(site: Site) -> None:
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
    await until(lambda: site.is_ready("worker"), within_s=60)


async def send(client: httpx.AsyncClient, odd: OddRequest) -> int:
    async def chunks() -> AsyncIterator[bytes]:
        for chunk in odd.chunks():
            yield chunk

    headers = {name.encode(): value.encode("latin-1") for name, value in odd.headers.items()}
    content = chunks() if odd.chunked else odd.body
    return (await client.post("/webhook", content=content, headers=headers)).status_code


async def settled(seen: Outside, records: int) -> None:
    """Wait until the worker's group has committed every record of the deliveries topic."""
    from aiokafka import AIOKafkaConsumer, TopicPartition

    consumer = AIOKafkaConsumer(
        bootstrap_servers=seen.settings.kafka.bootstrap_servers,
        group_id=seen.settings.kafka.group,
        enable_auto_commit=False,
    )
    await consumer.start()
    topic = seen.topics.deliveries
    partitions = [TopicPartition(topic, n) for n in range(seen.settings.kafka.partitions)]

    async def all_committed() -> bool:
        offsets = [await consumer.committed(partition) for partition in partitions]
        return sum(offset or 0 for offset in offsets) >= records

    try:
        await until(all_committed, within_s=120, every_s=0.1)
    finally:
        await consumer.stop()


async def test_each_odd_input_ends_as_its_expectation_says(odd_site: Site) -> None:
    await serves(odd_site)
    cases = [load_case(name) for name in names()]
    wrong: list[str] = []

    async with httpx.AsyncClient(base_url=odd_site.url, timeout=30) as client:
        for case in cases:
            statuses = [await send(client, odd) for odd in case.requests]
            if Counter(statuses) != case.counts:
                wrong.append(f"{case.name}: statuses {Counter(statuses)}, not {case.counts}")

    async with outside(odd_site) as seen:
        total = sum(case.records for case in cases)
        records = await seen.records(seen.topics.deliveries)
        assert len(records) == total
        await settled(seen, total)
        by_id = Counter(dict(record.headers)["delivery"].decode() for record in records)
        for case in cases:
            ids = {odd.delivery_id for odd in case.requests}
            found = sum(by_id[each] for each in ids)
            if found != case.records:
                wrong.append(f"{case.name}: {found} records, not {case.records}")
            keys = [f"{host}/{each}" for host in HOSTS for each in ids]
            started = [stored for key in keys for stored in await seen.processes(key)]
            if len(started) != case.processes:
                wrong.append(f"{case.name}: {len(started)} processes, not {case.processes}")
            unsettled = [s.head.id for s in started if not s.head.status.is_final]
            if unsettled:
                wrong.append(f"{case.name}: {unsettled} not at an end")
        assert await seen.records(seen.topics.dead) == []
    assert wrong == []


async def test_no_example_of_github_ends_among_the_dead_letters(odd_site: Site) -> None:
    if not OCTOKIT.exists():
        pytest.skip(f"{OCTOKIT.name} is not beside this checkout: its licence is not ours")
    from reactor.cli.sending import signed_headers

    await serves(odd_site)
    examples = [json.loads(line) for line in OCTOKIT.read_text(encoding="utf-8").splitlines()]

    async with httpx.AsyncClient(base_url=odd_site.url, timeout=30) as client:
        statuses = Counter[int]()
        for number, example in enumerate(examples):
            body = json.dumps(example["payload"]).encode()
            headers = signed_headers(
                example["event"], body, secret=SECRETS[0], delivery=f"example-{number}"
            )
            answer = await client.post("/webhook", content=body, headers=headers)
            statuses[answer.status_code] += 1

    pings = sum(example["event"] == "ping" for example in examples)
    assert statuses == {202: len(examples) - pings, 200: pings}
    async with outside(odd_site) as seen:
        await settled(seen, len(examples) - pings)
        assert len(await seen.records(seen.topics.deliveries)) == len(examples) - pings
        assert await seen.records(seen.topics.dead) == []


async def test_deliveries_at_once_are_each_processed_once(odd_site: Site) -> None:
    await serves(odd_site)
    case = load_case("53_burst_1000")
    turns = asyncio.Semaphore(32)

    async def in_turn(client: httpx.AsyncClient, odd: OddRequest) -> int:
        async with turns:
            return await send(client, odd)

    async with (
        httpx.AsyncClient(base_url=odd_site.url, timeout=60) as client,
        asyncio.TaskGroup() as group,
    ):
        sent = [group.create_task(in_turn(client, odd)) for odd in case.requests]

    assert Counter(each.result() for each in sent) == case.counts
    async with outside(odd_site) as seen:
        await settled(seen, case.records)
        ids = {odd.delivery_id for odd in case.requests}
        started = [s for each in ids for s in await seen.processes(f"github.com/{each}")]
        assert len(started) == case.processes
        assert all(stored.head.status.is_final for stored in started)
