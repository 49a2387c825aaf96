"""Changes that wait for a person, over HTTP: listed, ruled on, under the rules of forms."""

import json
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from reactor.approvals import approval_id
from reactor.effect import EffectRecord
from reactor.github.effects import AddLabels
from reactor.ledger import Caps, Intent
from reactor.signal import read_signal
from reactor.web.access import Access
from tests.web.site import Site, told

KEY = "5f0c1e9a77b2" + "0" * 20
ID = approval_id(KEY)
HERE = "http://127.0.0.1:8080"


@pytest.fixture
async def held(site: Site) -> None:
    record = EffectRecord(
        key=KEY,
        effect=AddLabels(labels=("bug",)),
        subject="github.com/1#7",
        action="triage.label",
        mode="approve",
        state="intended",
    )
    wish = Intent(
        record=record,
        process_id="p1",
        delivery="github.com/d-1",
        host="github.com",
        subject_name="octo/hello#7",
        cause="c1",
    )
    plenty = Caps(per_event=9, per_day=9, per_subject=9, window=timedelta(minutes=1))
    await site.ledger.enrol([wish], plenty, now=site.clock.now())


async def listed(site: Site) -> list[dict[str, object]]:
    async with site.client() as client:
        found: list[dict[str, object]] = (await client.get("/api/approvals")).json()["approvals"]
    return found


async def post(site: Site, approval: str = ID, host: str = HERE, **more: object) -> httpx.Response:
    async with site.client() as client:
        return await client.post(f"{host}/api/approvals/{approval}", **more)  # type: ignore[arg-type]


@pytest.mark.usefixtures("held")
async def test_what_waits_is_listed_with_what_it_would_do_and_for_whom(site: Site) -> None:
    (waiting,) = await listed(site)

    assert waiting["id"] == ID
    assert waiting["would"] == "add label bug"
    assert (waiting["subject"], waiting["action"]) == ("octo/hello#7", "triage.label")
    assert (waiting["process"], waiting["delivery"]) == ("p1", "d-1")


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("is_approved", [True, False], ids=["yes", "no"])
async def test_a_ruling_is_taken_and_on_its_way(site: Site, *, is_approved: bool) -> None:
    answer = await post(site, json={"approved": is_approved, "by": "ann", "reason": "seen"})

    assert answer.status_code == 202
    assert answer.json() == {"approval": ID, "status": "accepted", "process": "p1"}
    (record,) = site.signals.deliveries
    signal = read_signal(replace(record, payload=json.loads(record.body)))
    assert signal.ruling is not None
    assert (signal.ruling.key, signal.ruling.is_approved) == (KEY, is_approved)
    assert (signal.by, signal.reason) == ("ann", "seen")


@pytest.mark.usefixtures("held")
async def test_an_id_of_nothing_that_waits_is_not_found(site: Site) -> None:
    assert told(await post(site, "0" * 12, json={"approved": True})) == (404, "unknown_approval")
    assert site.signals.deliveries == []


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({}, "`approved` is true or false"),
        ({"approved": "yes"}, "`approved` is true or false"),
        ({"approved": True, "mood": 1}, "'mood' means nothing here"),
        ({"approved": True, "by": "x" * 129}, "`by` is a text of at most 128 characters"),
        ({"approved": True, "reason": 7}, "`reason` is a text of at most 1000 characters"),
    ],
)
async def test_what_is_no_ruling_is_refused_with_what_is_wrong(
    site: Site, sent: dict[str, object], problem: str
) -> None:
    answer = await post(site, json=sent)

    assert told(answer) == (400, "ruling")
    assert problem in answer.json()["title"]
    assert site.signals.deliveries == []


@pytest.mark.usefixtures("held")
async def test_other_peoples_pages_can_approve_nothing(site: Site) -> None:
    elsewhere = await post(site, host="http://evil.example", json={"approved": True})
    as_a_form = await post(
        site, content=b'{"approved": true}', headers={"content-type": "text/plain"}
    )

    assert told(elsewhere) == (403, "host")
    assert as_a_form.status_code == 415
    assert site.signals.deliveries == []


@pytest.mark.usefixtures("held")
async def test_where_others_can_connect_the_token_is_asked_for(site: Site) -> None:
    site.with_parts(access=Access(loopback=False, token="secret"))

    assert (await post(site, json={"approved": True})).status_code == 401
    async with site.client() as client:
        assert (await client.get("/api/approvals")).status_code == 401
