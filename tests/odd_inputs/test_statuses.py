"""The odd inputs against the gateway alone, in memory: statuses and records.

What the processor makes of them is tested where both run.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest

from reactor.github.dialect import GitHubDialect
from tests.odd_inputs.cases import HOSTS, SECRETS, OddRequest, load_case, names
from tests.web.site import Site


@pytest.fixture
def site() -> Site:
    secrets = dict.fromkeys(HOSTS, SECRETS)
    return Site().with_parts(dialect=GitHubDialect(secrets, allow_unsigned=False))


async def send(client: httpx.AsyncClient, odd: OddRequest) -> int:
    async def chunks() -> AsyncIterator[bytes]:
        for chunk in odd.chunks():
            yield chunk

    headers = {name.encode(): value.encode("latin-1") for name, value in odd.headers.items()}
    content = chunks() if odd.chunked else odd.body
    return (await client.post("/webhook", content=content, headers=headers)).status_code


@pytest.mark.parametrize("name", names())
async def test_each_odd_input_is_answered_and_kept_as_its_expectation_says(
    site: Site, name: str
) -> None:
    case = load_case(name)

    async with site.client() as client:
        statuses = [await send(client, odd) for odd in case.requests]

    assert Counter(statuses) == case.counts
    assert tuple(statuses) == case.statuses or not case.statuses
    assert len(site.log.deliveries) == case.records
    assert site.dead.letters == []


async def test_deliveries_at_once_are_answered_as_one_after_the_other(site: Site) -> None:
    case = load_case("53_burst_1000")

    async with site.client() as client, asyncio.TaskGroup() as group:
        sent = [group.create_task(send(client, odd)) for odd in case.requests]

    assert Counter(each.result() for each in sent) == case.counts
    assert len(site.log.deliveries) == case.records
    assert len({delivery.key for delivery in site.log.deliveries}) == case.records


@pytest.mark.parametrize("name", ["09_unicode_raw_bytes", "11_utf8_bom", "18_payload_over_1_MiB"])
async def test_the_bytes_that_were_signed_are_kept(site: Site, name: str) -> None:
    (odd,) = load_case(name).requests

    async with site.client() as client:
        await send(client, odd)

    (delivery,) = site.log.deliveries
    assert delivery.body == odd.body
    assert delivery.digest == hashlib.sha256(odd.body).hexdigest()


async def test_a_comment_and_the_opening_of_its_issue_are_kept_in_order(site: Site) -> None:
    async with site.client() as client:
        for odd in load_case("36_comment_before_opened").requests:
            await send(client, odd)

    assert len({delivery.subject.key for delivery in site.log.deliveries}) == 1


async def test_equal_numbers_on_three_hosts_are_three_subjects(site: Site) -> None:
    async with site.client() as client:
        for odd in (
            *load_case("03_json_charset_param").requests,
            *load_case("38_enterprise_hosts").requests,
        ):
            await send(client, odd)

    keys = [delivery.subject.key for delivery in site.log.deliveries]
    assert [key.partition("/")[0] for key in keys] == [
        "github.com",
        "ghe.acme.example",
        "acme.ghe.com",
    ]
    assert len({key.partition("/")[2] for key in keys}) == 1
