"""The addresses of a worker: what each says, and to whom."""

import httpx
import pytest
from prometheus_client import CollectorRegistry, Counter

from reactor.web.access import Access
from reactor.web.worker_app import WorkerParts, create_worker_app


async def well() -> None:
    return


async def ill() -> None:
    raise OSError("no route to the broker")


def client(
    *, why_stuck: str = "", checks: dict[str, object] | None = None, access: Access | None = None
) -> httpx.AsyncClient:
    registry = CollectorRegistry()
    Counter("reactor_tests", "One.", registry=registry).inc()
    parts = WorkerParts(
        why_stuck=lambda: why_stuck,
        checks=checks or {"kafka": well},  # type: ignore[arg-type]
        registry=registry,
        access=access or Access(loopback=True),
    )
    transport = httpx.ASGITransport(create_worker_app(parts))
    return httpx.AsyncClient(transport=transport, base_url="http://worker")


async def test_a_worker_that_gets_on_is_alive() -> None:
    async with client() as worker:
        answer = await worker.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_one_that_has_come_to_a_stand_is_not_and_says_why() -> None:
    async with client(why_stuck="nothing came for 60 s") as worker:
        answer = await worker.get("/healthz")

    assert answer.status_code == 503
    assert answer.json() == {"status": "stuck", "reason": "nothing came for 60 s"}


async def test_it_is_ready_when_all_that_it_needs_answers() -> None:
    async with client(checks={"kafka": ill, "redis": well}) as worker:
        answer = await worker.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["failing"] == ["kafka"]


async def test_counts_are_shown_in_the_text_format() -> None:
    async with client() as worker:
        answer = await worker.get("/metrics")

    assert answer.headers["content-type"].startswith("text/plain")
    assert "reactor_tests_total 1.0" in answer.text


@pytest.mark.parametrize(
    ("token", "sent", "status"),
    [
        (None, "", 401),
        ("t0ken", "", 401),
        ("t0ken", "Bearer wrong", 401),
        ("t0ken", "Bearer t0ken", 200),
    ],
)
async def test_where_others_can_connect_counts_need_the_token_and_probes_do_not(
    token: str | None, sent: str, status: int
) -> None:
    headers = {"authorization": sent} if sent else {}
    async with client(access=Access(loopback=False, token=token)) as worker:
        counts = await worker.get("/metrics", headers=headers)
        probes = [await worker.get(path) for path in ("/healthz", "/readyz")]

    assert counts.status_code == status
    assert [probe.status_code for probe in probes] == [200, 200]
