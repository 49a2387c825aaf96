"""Who may look, and what a browser may do with what it gets."""

import pytest

from reactor.web.access import Access
from reactor.web.probes import Check
from tests.web.console.site import Site, faulty

PATHS = [
    "/processes",
    "/components",
    "/deliveries/a",
    "/processes/a",
    "/find?id=a",
    "/api/processes",
]


@pytest.mark.parametrize("path", PATHS)
async def test_beyond_loopback_only_the_token_opens_a_page(console: Site, path: str) -> None:
    console.with_parts(access=Access(loopback=False, token="abc"))

    without = await console.get(path)
    wrong = await console.get(path, {"authorization": "Bearer abd"})
    right = await console.get(path, {"authorization": "Bearer abc", "host": "console.acme.example"})

    assert (without.status_code, wrong.status_code) == (401, 401)
    assert without.headers["www-authenticate"] == "Bearer"
    assert right.status_code != 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/static/console.css"])
async def test_probes_and_the_style_sheet_are_for_everybody(console: Site, path: str) -> None:
    console.with_parts(access=Access(loopback=False, token="abc"))

    assert (await console.get(path)).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8081", "127.0.0.1:8081", "127.0.0.2", "[::1]:8081", "[::1]"],
)
async def test_on_loopback_names_of_this_machine_are_answered(console: Site, host: str) -> None:
    assert (await console.get("/processes", {"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.7:8081", "localhost.evil:80"]
)
@pytest.mark.parametrize("path", ["/processes", "/api/processes"])
async def test_on_loopback_a_name_of_elsewhere_is_refused(
    console: Site, host: str, path: str
) -> None:
    answer = await console.get(path, {"host": host})

    assert answer.status_code == 403
    assert "this machine by its own name" in answer.text


async def test_every_answer_says_what_a_browser_may_do(console: Site) -> None:
    async def broken() -> None:
        raise OSError

    checks: dict[str, Check] = {"redis": broken}
    console.with_parts(checks=checks, lookup=faulty(console.lookup))
    for path, status in (
        ("/components", 200),
        ("/static/console.css", 200),
        ("/readyz", 503),
        ("/nowhere", 404),
        ("/processes", 500),
    ):
        answer = await console.get(path)
        assert answer.status_code == status
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        kept = "no-cache" if path.startswith("/static") else "no-store"
        assert answer.headers["cache-control"] == kept


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_nothing_can_be_changed(console: Site, method: str) -> None:
    async with console.client() as client:
        for path in ("/processes", "/api/processes", "/components", "/find"):
            answer = await client.request(method, path)
            assert answer.status_code == 405
            assert "GET" in answer.headers["allow"]


async def test_asking_for_the_head_of_a_page_gives_no_page(console: Site) -> None:
    async with console.client() as client:
        answer = await client.head("/processes")

    assert (answer.status_code, answer.content) == (200, b"")
