"""Open forms over HTTP: listed, answered, and nobody else's pages may answer them."""

import json
from datetime import timedelta

import httpx
import pytest

from reactor.ports import Commit
from reactor.signal import read_signal
from reactor.status import ProcessHead, Status
from reactor.waiting import FormRequest
from reactor.web.access import Access
from reactor.web.forms import LARGEST_ANSWER
from tests.web.site import Site, told

SCHEMA = {"type": "object", "properties": {"stars": {"type": "integer"}}, "required": ["stars"]}
HERE = "http://127.0.0.1:8080"


@pytest.fixture
async def form(site: Site) -> FormRequest:
    """An open one."""
    now = site.clock.now()
    form = FormRequest(
        id="p1-1",
        process_id="p1",
        action="writer.ask",
        kind="form",
        model="tests:Feedback",
        title="How is it? <script>",
        schema=SCHEMA,
        asked_at=now,
    )
    head = ProcessHead(
        id="p1",
        delivery="github.com/d-1",
        reaction="triage",
        subject="github.com/1#7",
        agent="reactor",
        planner="utility",
        status=Status.WAITING,
        created_at=now,
        updated_at=now,
        forms=(form,),
    )
    opened = await site.boards.open(
        "p1", delivery=head.delivery, owner="w", lease=timedelta(minutes=1)
    )
    await site.boards.commit(opened.lease, Commit(head=head))
    await site.forms.add(form.id, asked_at=now)
    return form


async def get(site: Site, path: str) -> httpx.Response:
    async with site.client() as client:
        return await client.get(path)


async def post(site: Site, form: str = "p1-1", host: str = HERE, **more: object) -> httpx.Response:
    async with site.client() as client:
        return await client.post(f"{host}/api/forms/{form}", **more)  # type: ignore[arg-type]


async def test_open_forms_are_listed_with_all_that_is_needed_to_answer(
    site: Site, form: FormRequest
) -> None:
    answer = await get(site, "/api/forms")

    (listed,) = answer.json()["forms"]
    assert listed["id"] == form.id
    assert listed["title"] == form.title
    assert listed["schema"] == SCHEMA
    assert (await get(site, f"/api/forms/{form.id}")).json() == listed


async def test_an_answer_is_taken_and_told_to_its_process(site: Site, form: FormRequest) -> None:
    answer = await post(site, json={"value": {"stars": 5}, "by": "ann", "id": "a-1"})

    assert answer.status_code == 202
    assert answer.json() == {
        "form": form.id,
        "answer": "a-1",
        "status": "accepted",
        "process": "p1",
    }
    (record,) = site.signals.deliveries
    heard = read_signal(record).answer
    assert heard is not None
    assert (heard.value, heard.by, heard.id) == ({"stars": 5}, "ann", "a-1")


async def test_each_answer_without_an_id_has_one_of_its_own(site: Site, form: FormRequest) -> None:
    first, second = [await post(site, json={"value": {"stars": 5}}) for _ in range(2)]

    assert first.json()["answer"] != second.json()["answer"]


async def test_an_answer_that_is_not_as_asked_is_refused_with_every_fault(
    site: Site, form: FormRequest
) -> None:
    answer = await post(site, json={"value": {"stars": "many"}})

    assert told(answer) == (422, "answer_refused")
    assert answer.json()["faults"] == ["stars: 'many' is not of type 'integer'"]
    assert site.signals.deliveries == []


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"value": 1, "approved": True},
        {"approved": "yes"},
        {"value": {"stars": 5}, "by": 7},
        {"value": {"stars": 5}, "by": "ann\x1b[2J"},
        {"value": {"stars": 5}, "id": "x" * 200},
        {"value": {"stars": 5}, "form": "p2-1"},
        {"value": {"stars": 5}, "expired": True},
    ],
)
async def test_what_is_no_answer_is_refused(
    site: Site, form: FormRequest, sent: dict[str, object]
) -> None:
    assert told(await post(site, json=sent)) == (400, "answer")
    assert site.signals.deliveries == []


@pytest.mark.parametrize("body", [b"", b"[1]", b'{"value": NaN}', b"{", b'{"a":1,"a":2}'])
async def test_a_body_that_is_no_json_object_is_refused(
    site: Site, form: FormRequest, body: bytes
) -> None:
    answer = await post(site, content=body, headers={"content-type": "application/json"})

    assert told(answer) == (400, "body")


async def test_a_body_that_is_too_large_is_refused(site: Site, form: FormRequest) -> None:
    body = json.dumps({"value": "x" * LARGEST_ANSWER}).encode()

    answer = await post(site, content=body, headers={"content-type": "application/json"})

    assert told(answer) == (413, "too_large")


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_what_a_strangers_page_can_have_a_browser_send_is_refused(
    site: Site, form: FormRequest, media_type: str
) -> None:
    answer = await post(
        site, content=b'{"value": {"stars": 5}}', headers={"content-type": media_type}
    )

    assert told(answer) == (415, "media_type")
    assert site.signals.deliveries == []


async def test_a_name_of_somebody_elses_that_leads_here_changes_nothing(
    site: Site, form: FormRequest
) -> None:
    answer = await post(site, host="http://evil.example", json={"value": {"stars": 5}})

    assert told(answer) == (403, "host")
    assert site.signals.deliveries == []


@pytest.mark.parametrize("path", ["/api/forms/p1-9", "/api/forms/p404-1"])
async def test_a_form_that_is_not_open_is_not_found(
    site: Site, form: FormRequest, path: str
) -> None:
    assert told(await get(site, path)) == (404, "unknown_form")
    assert told(await post(site, path.rpartition("/")[2], json={"value": 1})) == (
        404,
        "unknown_form",
    )


async def test_elsewhere_than_on_loopback_all_of_it_needs_the_token(
    site: Site, form: FormRequest
) -> None:
    site.with_parts(access=Access(loopback=False, token="t0ken"))
    sent = {"json": {"value": {"stars": 5}}, "host": "http://reactor.example"}

    assert told(await get(site, "/api/forms")) == (401, "token")
    assert told(await post(site, **sent)) == (401, "token")  # type: ignore[arg-type]
    assert site.signals.deliveries == []

    answer = await post(site, **sent, headers={"authorization": "Bearer t0ken"})  # type: ignore[arg-type]
    assert answer.status_code == 202


async def test_while_the_broker_is_away_nothing_is_taken(site: Site, form: FormRequest) -> None:
    site.signals.is_down = True

    answer = await post(site, json={"value": {"stars": 5}})

    assert told(answer) == (503, "server_away")
