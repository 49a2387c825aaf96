"""The door: which answers a sender gets, and in which order the checks are made."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict

import httpx
import pytest
import structlog
from prometheus_client import CollectorRegistry

from reactor.delivery import Delivery
from reactor.github.dialect import GitHubDialect
from reactor.topic import Position
from reactor.web.app import WEBHOOK_PATHS
from reactor.web.body import BodyLimits
from tests.web.site import ISSUE, SECRET, Site, headers, told


@pytest.mark.parametrize("path", WEBHOOK_PATHS)
async def test_a_signed_delivery_is_accepted_at_each_path(site: Site, path: str) -> None:
    async with site.client() as client:
        answer = await client.post(path, content=ISSUE, headers=headers())

    assert answer.status_code == 202
    assert answer.json() == {"delivery": "guid-1", "status": "accepted"}
    (delivery,) = site.log.deliveries
    assert (delivery.body, delivery.kind) == (ISSUE, "issues.opened")
    assert delivery.subject.key == "github.com/9#7"
    assert delivery.received_at == site.clock.now()


async def test_the_same_id_is_a_duplicate_and_another_body_under_it_a_conflict(site: Site) -> None:
    other = ISSUE.replace(b"opened", b"closed")

    answers = [told(await site.post(body)) for body in (ISSUE, ISSUE, other)]

    assert answers == [(202, "accepted"), (202, "duplicate"), (202, "conflict")]
    assert (len(site.log.deliveries), len(site.dead.letters)) == (1, 1)


async def test_a_ping_is_answered_with_200_and_not_kept(site: Site) -> None:
    answer = await site.post(b'{"zen":"Keep it."}', x_github_event="ping")

    assert told(answer) == (200, "ignored")
    assert site.log.deliveries == []


async def test_events_and_actions_that_nobody_knows_are_accepted(site: Site) -> None:
    answer = await site.post(b'{"action":"entangled"}', x_github_event="quantum_widget")

    assert told(answer) == (202, "accepted")


@pytest.mark.parametrize(
    ("changed", "body", "answer"),
    [
        ({"content_type": "text/plain"}, ISSUE, (415, "media_type")),
        ({"x_github_delivery": "../x"}, ISSUE, (400, "delivery_header")),
        ({"x_github_event": None}, ISSUE, (400, "event_header")),
        ({"x_github_enterprise_host": "elsewhere"}, ISSUE, (403, "unknown_host")),
        ({"x_hub_signature_256": None}, ISSUE, (401, "signature_missing")),
        ({"x_hub_signature_256": "sha256=" + "0" * 64}, ISSUE, (401, "signature_mismatch")),
        ({}, b"[]", (400, "payload")),
        ({}, b"", (400, "payload")),
    ],
)
async def test_what_is_refused_says_why_and_leaves_nothing(
    site: Site, changed: dict[str, str | None], body: bytes, answer: tuple[int, str]
) -> None:
    response = await site.post(body, **changed)

    assert told(response) == answer
    assert response.headers["content-type"] == "application/problem+json"
    assert {"title", "where", "fix"} <= response.json().keys()
    assert site.log.deliveries == []
    assert (await site.post()).json()["status"] == "accepted"  # nor is its id taken


async def test_the_wrong_path_and_the_wrong_method_say_what_is_right(site: Site) -> None:
    async with site.client() as client:
        nowhere = await client.post("/webhook/", content=ISSUE, headers=headers())
        read = await client.get("/webhook", headers={"content-type": "text/plain"})

    assert told(nowhere) == (404, "path")
    assert "/webhook" in nowhere.json()["fix"]
    assert told(read) == (405, "method")
    assert read.headers["allow"] == "POST"


async def test_a_header_that_is_sent_twice_is_not_taken_for_either(site: Site) -> None:
    twice = [*headers().items(), ("x-github-event", "push")]

    async with site.client() as client:
        answer = await client.post("/webhook", content=ISSUE, headers=twice)

    assert told(answer) == (400, "event_header")


async def test_while_the_broker_is_away_senders_are_told_when_to_come_back(site: Site) -> None:
    site.log.is_down = True
    refused = await site.post()
    site.log.is_down = False
    accepted = await site.post()

    assert told(refused) == (503, "server_away")
    assert int(refused.headers["retry-after"]) > 0
    assert told(accepted) == (202, "accepted")


async def test_while_redis_is_away_deliveries_are_accepted_and_marked(site: Site) -> None:
    site.claims.is_down = True

    assert told(await site.post()) == (202, "accepted")
    assert [delivery.unclaimed for delivery in site.log.deliveries] == [True]


async def test_a_fault_of_ours_is_no_acknowledgement_and_gives_the_claim_back(site: Site) -> None:
    class Broken:
        async def append(self, delivery: Delivery) -> Position:
            raise ZeroDivisionError

    whole = site.parts.deliveries
    site.with_parts(deliveries=Broken())
    transport = httpx.ASGITransport(site.app(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
        answer = await client.post("/webhook", content=ISSUE, headers=headers())
    site.with_parts(deliveries=whole)

    assert told(answer) == (500, "fault")
    assert told(await site.post()) == (202, "accepted")
    assert [delivery.unclaimed for delivery in site.log.deliveries] == [False]


async def test_unsigned_deliveries_are_accepted_where_that_is_allowed(site: Site) -> None:
    site.with_parts(dialect=GitHubDialect({"github.com": ()}, allow_unsigned=True))

    assert told(await site.post(x_hub_signature_256=None)) == (202, "accepted")


async def test_many_requests_with_one_id_at_once_leave_one_record(site: Site) -> None:
    async with site.client() as client, asyncio.TaskGroup() as group:
        sent = [
            group.create_task(client.post("/webhook", content=ISSUE, headers=headers()))
            for _ in range(20)
        ]

    statuses = sorted(each.result().json()["status"] for each in sent)
    assert statuses == ["accepted"] + 19 * ["duplicate"]
    assert len(site.log.deliveries) == 1


# Size


async def test_a_body_is_read_up_to_the_cap_and_refused_beyond_it(site: Site) -> None:
    def padded(size: int) -> bytes:
        return b'{"pad":"' + b"a" * (size - 10) + b'"}'

    site.with_parts(limits=BodyLimits(largest_bytes=1_000, small_bytes=100))

    assert told(await site.post(padded(1_000), x_github_delivery="fits")) == (202, "accepted")
    assert told(await site.post(padded(1_001), x_github_delivery="over")) == (413, "too_large")


async def test_a_declared_length_over_the_cap_is_refused_before_anything_is_read(
    site: Site,
) -> None:
    read: list[int] = []

    async def body() -> AsyncIterator[bytes]:
        read.append(1)
        yield ISSUE

    declared = headers() | {"content-length": str(26 * 1024 * 1024)}
    limits = BodyLimits(discard_bytes=0)
    async with site.with_parts(limits=limits).client() as client:
        answer = await client.post("/webhook", content=body(), headers=declared)

    assert told(answer) == (413, "too_large")
    assert answer.headers["connection"] == "close"
    assert read == []


async def test_a_body_without_a_length_is_refused_at_the_cap(site: Site) -> None:
    site.with_parts(limits=BodyLimits(largest_bytes=1_000, small_bytes=100, discard_bytes=2_000))
    read: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            read.append(100)
            yield b" " * 100

    async with site.client() as client:
        answer = await client.post("/webhook", content=endless(), headers=headers())

    assert told(answer) == (413, "too_large")
    assert sum(read) <= 1_000 + 2_000 + 2 * 100


async def test_a_body_that_does_not_come_is_not_waited_for(site: Site) -> None:
    site.with_parts(limits=BodyLimits(read_timeout_s=0.02))

    async def stalled() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    async with site.client() as client:
        answer = await client.post("/webhook", content=stalled(), headers=headers())

    assert told(answer) == (408, "slow")
    assert answer.headers["connection"] == "close"


async def test_large_bodies_take_turns_and_small_ones_do_not_wait(site: Site) -> None:
    limits = BodyLimits(small_bytes=1_000, large_at_once=1, read_timeout_s=0.05)
    site.with_parts(limits=limits)
    large = b'{"pad":"' + b"a" * 5_000 + b'"}'
    has_turn, go_on = asyncio.Event(), asyncio.Event()

    class Held:
        async def append(self, delivery: Delivery) -> Position:
            if delivery.id == "first":
                has_turn.set()
                await go_on.wait()
            return await site.log.append(delivery)

    site.with_parts(deliveries=Held())
    async with site.client() as client, asyncio.TaskGroup() as group:

        async def send(delivery_id: str, body: bytes) -> tuple[int, str]:
            sent = headers(body, x_github_delivery=delivery_id)
            return told(await client.post("/webhook", content=body, headers=sent))

        first = group.create_task(send("first", large))
        await has_turn.wait()
        second, small = await send("second", large), await send("small", ISSUE)
        go_on.set()
    third = await site.post(large, x_github_delivery="third")

    assert first.result() == (202, "accepted")
    assert second == (503, "busy")
    assert small == (202, "accepted")
    assert told(third) == (202, "accepted")


async def test_a_client_that_hangs_up_leaves_nothing(site: Site) -> None:
    sent: list[str] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        sent.append(str(message))

    raw = [(name.encode(), value.encode()) for name, value in headers().items()]
    scope = {"type": "http", "method": "POST", "path": "/webhook", "headers": raw}
    await site.app()(scope, receive, send)

    assert (sent, site.log.deliveries) == ([], [])


# What operators see


async def test_nothing_secret_is_logged_or_answered_or_kept(site: Site) -> None:
    with structlog.testing.capture_logs() as lines:
        accepted = await site.post()
        refused = await site.post(x_hub_signature_256="sha256=" + "0" * 64)

    seen = json.dumps([lines, accepted.text, refused.text], default=str)
    seen += str([asdict(delivery) for delivery in site.log.deliveries])
    assert SECRET not in seen
    assert headers()["x-hub-signature-256"].removeprefix("sha256=") not in seen
    assert [line["delivery_id"] for line in lines] == ["guid-1", "guid-1"]
    assert lines[0]["subject"] == "octo/hello#7"
    assert lines[1]["reason"] == "signature_mismatch"


async def test_deliveries_are_counted_by_event_and_status_within_bounds(site: Site) -> None:
    registry = CollectorRegistry()
    site.with_parts(registry=registry)
    async with site.client() as client:
        for number in range(150):
            sent = headers(x_github_event=f"event_{number}", x_github_delivery=str(number))
            await client.post("/webhook", content=ISSUE, headers=sent)
        await client.post("/webhook", content=b"x", headers=headers())
        metrics = await client.get("/metrics")

    def count(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, labels)

    assert count("reactor_deliveries_total", event="event_7", status="accepted") == 1
    assert count("reactor_deliveries_total", event="other", status="accepted") == 50
    assert count("reactor_refused_total", reason="signature_mismatch") == 1
    assert 'reactor_deliveries_total{event="event_7",status="accepted"} 1.0' in metrics.text
