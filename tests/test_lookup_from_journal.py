"""Looking up what Redis and the topic have let go: the index and the archive still know it."""

from dataclasses import replace
from pathlib import Path

import pytest

from reactor.adapters.memory import MemoryBoards, MemoryClaims
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_records import MemoryArchive, MemoryRecords
from reactor.adapters.sqlite_records import FILE, SqliteRecords
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.lookup import Lookup, UnknownDelivery, UnknownProcess
from reactor.records import Batch, delivery_mark
from reactor.testing import delivery, issue
from reactor.topic import Position
from tests.web.console.site import Site

CAME = delivery("issues.opened", id="guid-1", issue=issue("It crashes"))


@pytest.fixture
def site() -> Site:
    return Site()


async def forgotten(site: Site, *, archived: bool = True) -> Lookup:
    """A lookup after everything has run out, but for what the data folder has."""
    settled = await site.settle(CAME)
    records = MemoryRecords(await site.boards.journal(settled.heads[0].id))
    await records.add(Batch(deliveries=[(delivery_mark(CAME), "")]))
    return replace(
        site.lookup,
        boards=MemoryBoards(Codec(site.installed.platform.catalog), site.clock),
        claims=MemoryClaims(site.clock),
        outcomes=MemoryOutcomes(),
        records=records,
        archive=MemoryArchive([CAME] if archived else []),
    )


async def test_a_delivery_is_told_with_its_processes_and_its_request(site: Site) -> None:
    lookup = await forgotten(site)

    told = await lookup.delivery("guid-1", with_request=True)

    assert (told["event"], told["subject"], told["topic"]) == (
        "issues.opened",
        "octo/hello#17",
        None,
    )
    (process,) = told["processes"]
    assert process["ticks"] == (await site.lookup.process(process["id"]))["ticks"]
    request = told.get("request")
    assert request is not None
    assert request["digest"] == CAME.digest


async def test_without_the_archive_it_is_told_without_its_request(site: Site) -> None:
    lookup = await forgotten(site, archived=False)

    told = await lookup.delivery("guid-1", with_request=True)

    assert len(told["processes"]) == 1
    assert told.get("request") is None


async def test_a_delivery_that_started_nothing_says_why_from_the_archive(site: Site) -> None:
    ping = delivery("ping", id="guid-2")
    records = MemoryRecords()
    await records.add(Batch(deliveries=[(delivery_mark(ping), "")]))
    lookup = replace(site.lookup, records=records, archive=MemoryArchive([ping]))

    told = await lookup.delivery("guid-2")

    assert told["event"] == "ping"
    assert told["ignored"] == "no reaction listens to it: stored, nothing else"


async def test_where_another_delivery_lies_now_the_archive_counts(site: Site) -> None:
    settled = await site.settle(CAME)

    async def another(position: Position) -> Delivery:
        return delivery("issues.opened", id="guid-9", issue=issue("Another"))

    lookup = replace(site.lookup, delivery_at=another, archive=MemoryArchive([CAME]))

    request = (await lookup.delivery("guid-1", with_request=True)).get("request")

    assert settled.heads
    assert request is not None
    assert request["digest"] == CAME.digest


async def test_what_nobody_knows_stays_unknown(site: Site) -> None:
    lookup = await forgotten(site)

    with pytest.raises(UnknownDelivery):
        await lookup.delivery("guid-7")
    with pytest.raises(UnknownProcess, match=r"journal\.retention_days"):
        await lookup.process("p000000000000000000000000")


async def test_without_an_index_it_is_told_as_far_as_it_is_known(
    site: Site, tmp_path: Path
) -> None:
    await site.settle(CAME)
    lookup = replace(site.lookup, records=SqliteRecords(tmp_path / FILE))

    told = await lookup.delivery("guid-1")

    assert len(told["processes"]) == 1
    with pytest.raises(UnknownDelivery):
        await lookup.delivery("guid-7")
