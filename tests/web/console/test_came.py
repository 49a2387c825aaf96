"""What came, also what started nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.adapters.memory_records import MemoryRecords
from reactor.delivery import Delivery
from reactor.records import Batch, delivery_mark
from reactor.testing import delivery, issue
from tests.web.console.site import Site

HOSTILE = "<script>alert(1)</script>"


async def indexed(console: Site, *came: Delivery) -> MemoryRecords:
    """The console with an index that has these."""
    records = MemoryRecords()
    await records.add(Batch(deliveries=tuple((delivery_mark(each), "") for each in came)))
    console.with_parts(lookup=replace(console.lookup, records=records))
    return records


async def test_deliveries_are_listed_newest_first_also_those_that_started_nothing(
    console: Site,
) -> None:
    first = delivery("issues.opened", id="guid-1", issue=issue("A crash", number=9))
    second = replace(
        delivery("push", id="guid-2"), received_at=first.received_at + timedelta(seconds=5)
    )
    await indexed(console, first, second)

    page = await console.look("/deliveries")

    header, newest, older = page.rows
    assert header == "Event Subject Delivery Started Received"
    assert newest.startswith("push octo/hello guid-2 nothing")
    assert older.startswith("issues.opened octo/hello#9 guid-1 nothing")
    assert page.all("a", href="/deliveries/guid-1")


async def test_the_filter_narrows_and_pages_lead_on(console: Site) -> None:
    many = [
        replace(
            delivery("issues.opened", id=f"guid-{n}", issue=issue("A crash", number=n + 1)),
            received_at=console.clock.now() + timedelta(seconds=n),
        )
        for n in range(60)
    ]
    await indexed(console, *many, delivery("push", id="other"))

    first = (await console.get("/api/deliveries?event=issues")).json()
    page = await console.look("/deliveries?event=issues")
    (link,) = page.all("a", rel="next")
    second = await console.look(link.attributes["href"])

    assert [each["delivery"] for each in first["deliveries"]][:2] == ["guid-59", "guid-58"]
    assert len(first["deliveries"]) == 50
    assert len(second.rows) == 1 + 10
    assert not second.all("a", rel="next")


async def test_a_name_of_a_stranger_does_nothing(console: Site) -> None:
    came = delivery("issues.opened", id="guid-1", issue=issue("A crash", number=9))
    subject = replace(came.subject, name=HOSTILE)
    await indexed(console, replace(came, subject=subject))

    answer = await console.get(f"/deliveries?event={HOSTILE}")
    listed = await console.get("/deliveries")

    assert HOSTILE not in answer.text + listed.text
    assert "&lt;script&gt;" in listed.text


@pytest.mark.parametrize("before", ["x", "2026-01-01", "2026-01-01T00:00:00+00:00", "~", "~a"])
async def test_a_page_that_is_none_is_refused(console: Site, before: str) -> None:
    await indexed(console)

    refused = await console.get(f"/api/deliveries?before={before}")

    assert refused.status_code == 400


async def test_without_an_index_there_is_no_such_page(console: Site) -> None:
    page = await console.look("/processes")

    assert not page.all("a", href="/deliveries")
    assert (await console.get("/deliveries")).status_code == 404
