"""`reactor up`: serves, stops in order, and leaves nothing behind, however it ends."""

import subprocess

import httpx
import pytest

from tests.fixtures.site import SAMPLES, Site, alive, answers, descendants, post, terminate, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

SAMPLE = SAMPLES / "issues.opened.json"


def start_up(site: Site) -> subprocess.Popen[bytes]:
    words = ("--host", "127.0.0.1", "--port", str(site.port), "--data", str(site.folder / "data"))
    return site.start("up", "up", *words)


async def send(site: Site, delivery: str) -> httpx.Response:
    async with site.client() as client:
        return await post(client, "issues", SAMPLE.read_bytes(), delivery)


async def status_of(site: Site, delivery: str) -> dict[str, object]:
    async with httpx.AsyncClient(timeout=5) as client:
        answer = await client.get(f"{site.url}/api/deliveries/{delivery}")
        return dict(answer.json())


async def is_settled(site: Site, delivery: str) -> bool:
    return (await status_of(site, delivery)).get("status") == "settled"


async def test_a_delivery_is_accepted_settled_and_explained(embedded_site: Site) -> None:
    start_up(embedded_site)
    await until(lambda: answers(f"{embedded_site.url}/readyz"), within_s=60)

    answer = await send(embedded_site, "first")

    assert answer.status_code == 202
    assert answer.json() == {"delivery": "first", "status": "accepted"}
    await until(lambda: is_settled(embedded_site, "first"), within_s=60)
    told = await status_of(embedded_site, "first")
    assert told["topic"] == "reactor.deliveries"
    assert isinstance(told["partition"], int)
    assert told["offset"] == 0
    (process,) = told["processes"]  # type: ignore[misc]
    assert process["reaction"] == "everything"  # type: ignore[has-type]
    assert process["status"] == "TERMINATED"  # type: ignore[has-type]
    explain = embedded_site.start(
        "explain", "explain", "first", "--data", str(embedded_site.folder / "data")
    )
    assert explain.wait(60) == 0
    assert "triage.save_new_issue" in embedded_site.log("explain")


async def test_sigterm_ends_everything_within_ten_seconds(embedded_site: Site) -> None:
    up = start_up(embedded_site)
    await until(lambda: answers(f"{embedded_site.url}/readyz"), within_s=60)
    await send(embedded_site, "last-words")
    children = descendants(up.pid)
    assert len(children) >= 8  # four processes, each under its guardian

    terminate(up)

    assert up.wait(10) == 0
    # one whose guardian was told before it could listen is ended by the kernel, a moment later
    await until(lambda: alive(children) == [], within_s=10)


async def test_kill_9_leaves_no_child_behind(embedded_site: Site) -> None:
    up = start_up(embedded_site)
    await until(lambda: answers(f"{embedded_site.url}/readyz"), within_s=60)
    children = descendants(up.pid)

    up.kill()

    await until(lambda: not alive(children), within_s=20)


async def test_what_was_decided_outlives_a_restart(embedded_site: Site) -> None:
    up = start_up(embedded_site)
    await until(lambda: answers(f"{embedded_site.url}/readyz"), within_s=60)
    await send(embedded_site, "kept")
    await until(lambda: is_settled(embedded_site, "kept"), within_s=60)
    terminate(up)
    assert up.wait(20) == 0

    start_up(embedded_site)
    await until(lambda: answers(f"{embedded_site.url}/readyz"), within_s=60)

    assert await is_settled(embedded_site, "kept")
    again = await send(embedded_site, "kept")
    assert again.json()["status"] == "duplicate"


async def test_without_a_secret_it_listens_on_loopback_only(embedded_site: Site) -> None:
    embedded_site.environ = {**embedded_site.environ, "GITHUB_WEBHOOK_SECRET": ""}

    up = embedded_site.start("up", "up", "--host", "0.0.0.0", "--port", str(embedded_site.port))

    assert up.wait(60) == 2
    assert "set GITHUB_WEBHOOK_SECRET" in embedded_site.log("up")


async def test_a_second_up_on_the_same_data_or_port_is_refused(embedded_site: Site) -> None:
    start_up(embedded_site)
    await until(lambda: answers(f"{embedded_site.url}/readyz"), within_s=60)
    data, other = str(embedded_site.folder / "data"), str(embedded_site.folder / "other")

    same_data = embedded_site.start("same-data", "up", "--port", "0", "--data", data)
    same_port = embedded_site.start(
        "same-port", "up", "--port", str(embedded_site.port), "--data", other
    )

    assert (same_data.wait(60), same_port.wait(60)) == (2, 2)
    assert "another `reactor up` runs on" in embedded_site.log("same-data")
    assert "choose another --port" in embedded_site.log("same-port")
    assert await answers(f"{embedded_site.url}/readyz")
    assert (embedded_site.folder / "data" / "up.json").exists()
