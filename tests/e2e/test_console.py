"""`reactor up` with its console: a delivery that was sent can be looked at."""

import json
from typing import Any

import httpx
import pytest

from tests.e2e.test_up import send, start_up
from tests.fixtures.site import Site, answers, until
from tests.web.console.looked import Looked

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


async def test_the_page_of_a_delivery_leads_to_the_action_that_was_chosen(
    embedded_site: Site,
) -> None:
    start_up(embedded_site)
    place = embedded_site.folder / "data" / "up.json"
    await until(place.exists, within_s=90)
    console: str = json.loads(place.read_text())["console"]
    await until(lambda: answers(f"{console}/readyz"), within_s=60)
    await until(lambda: '"event": "ready"' in embedded_site.log("up"), within_s=60)
    assert console in embedded_site.log("up")

    await send(embedded_site, "first")

    async with httpx.AsyncClient(base_url=console, timeout=15) as client:

        async def has_settled() -> bool:
            found = await client.get("/api/processes?status=terminated")
            return bool(found.json()["processes"])

        await until(has_settled, within_s=60)
        page = Looked.at((await client.get("/deliveries/first")).text)
        assert "reactor.deliveries[" in page.text
        (link,) = page.all("a", class_="id")
        process = Looked.at((await client.get(link.attributes["href"])).text)
        told: dict[str, Any] = (await client.get("/api/deliveries/first")).json()

    chosen = [row.text.split()[0] for row in process.all("tr", class_="chosen")]
    assert chosen[0] == "triage.save_new_issue"
    assert chosen == [tick["chosen"] for tick in told["processes"][0]["ticks"] if tick["chosen"]]
    assert told["request"]["headers"]["x-github-event"] == "issues"


async def test_without_a_token_the_console_listens_on_loopback_only(embedded_site: Site) -> None:
    embedded_site.environ = {**embedded_site.environ, "REACTOR_CONSOLE_HOST": "0.0.0.0"}

    up = embedded_site.start("up", "up", "--port", str(embedded_site.port))

    assert up.wait(60) == 2
    assert "set REACTOR_TOKEN" in embedded_site.log("up")
