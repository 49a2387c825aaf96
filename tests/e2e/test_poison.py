"""What can't be settled goes to the dead-letter topic with its reason, and the rest goes on."""

import os
import textwrap
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer

from reactor.github import Issue
from tests.fixtures.ledger import outside
from tests.fixtures.site import SAMPLES, Site, answers, post, until

pytestmark = [pytest.mark.e2e, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(180)]


def install_package(folder: Path, name: str, source: str) -> None:
    """A component package as pip would leave it: a module, and its metadata beside it."""
    (folder / f"{name}.py").write_text(textwrap.dedent(source))
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[reactor.components]\n{name} = {name}:COMPONENTS\n"
    )


BREAKS_ON_STARS = """
    from reactor import action, component
    from reactor.github import StarCreated

    @component
    class BreaksOnStars:
        @action(value=0.9)
        async def fail(self, event: StarCreated) -> str:
            raise ValueError("a bug in a plug-in")

    COMPONENTS = (BreaksOnStars,)
"""


async def send(site: Site, event: str, file: str, delivery: str) -> None:
    async with site.client() as client:
        answer = await post(client, event, (SAMPLES / file).read_bytes(), delivery)
    assert answer.status_code == 202, answer.text


async def plant(site: Site, bootstrap: str, topic: str) -> None:
    """Records that no gateway wrote."""
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
    await producer.start()
    try:
        await producer.send_and_wait(topic, b"not json", key=b"k")
        await producer.send_and_wait(topic, b"{}", key=b"k", headers=[("schema", b"99")])
    finally:
        await producer.stop()


async def test_poison_and_failed_processes_are_dead_letters_and_the_others_go_on(
    site: Site, kafka_bootstrap: str
) -> None:
    install_package(site.folder, "breaks_on_stars", BREAKS_ON_STARS)
    path = os.pathsep.join(filter(None, [str(site.folder), site.environ.get("PYTHONPATH")]))
    site.environ = {**site.environ, "PYTHONPATH": path}
    site.start_gateway()
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)

    async with outside(site) as seen:
        await plant(site, kafka_bootstrap, seen.topics.deliveries)
        await send(site, "star", "star.created.json", "breaks")
        await send(site, "issues", "issues.opened.json", "goes-on")
        site.start_worker("worker")

        async def all_dead() -> bool:
            return len(await seen.records(seen.topics.dead)) >= 3

        await until(all_dead, within_s=90, every_s=0.3)
        letters = [dict(r.headers) for r in await seen.records(seen.topics.dead)]
        assert sorted(each["dead.reason"] for each in letters) == [b"failed", b"poison", b"poison"]
        (failed,) = (each for each in letters if each["dead.reason"] == b"failed")
        assert b"a bug in a plug-in" in failed["dead.detail"]
        assert failed["delivery"] == b"breaks"

        async def is_finished() -> bool:
            started = await seen.processes("github.com/goes-on")
            return [stored.head.status.is_final for stored in started] == [True]

        await until(is_finished, within_s=60)
        (stored,) = await seen.processes("github.com/goes-on")
        assert any(
            isinstance(getattr(change, "entry", None) and change.entry.value, Issue)  # type: ignore[union-attr]
            for change in stored.changes
        )
        assert stored.effects
