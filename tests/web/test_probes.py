"""Probes."""

import asyncio

from tests.web.site import Site


async def well() -> None:
    return


async def ill() -> None:
    raise OSError("no route to the broker")


async def test_a_gateway_is_alive_whatever_its_servers_do(site: Site) -> None:
    site.with_parts(checks={"kafka": ill})

    async with site.client() as client:
        answer = await client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_it_is_ready_when_every_check_passes(site: Site) -> None:
    site.with_parts(checks={"kafka": well, "redis": well})

    async with site.client() as client:
        answer = await client.get("/readyz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_it_names_the_checks_that_fail_or_hang(site: Site) -> None:
    async def hangs() -> None:
        await asyncio.Event().wait()

    site.with_parts(checks={"spool": hangs, "kafka": ill, "redis": well}, check_timeout_s=0.02)

    async with site.client() as client:
        answer = await client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json() == {"status": "unavailable", "failing": ["kafka", "spool"]}
