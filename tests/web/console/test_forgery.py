"""Pages of other people can't do anything in our name, nor read what we see."""

from dataclasses import dataclass

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reactor.web.console.entrance import fresh_seal
from tests.web.console.browser import browsing
from tests.web.console.doing import SEAL, TOKEN, Bell, guarded_site, open_site

HERE = "http://127.0.0.1:8081"
WORD = SEAL.word("here")
ELSEWHERE = {
    "another site": {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
    "another site, in an old browser": {"origin": "https://evil.example", "sec-fetch-site": ""},
    "another port of this machine": {
        "origin": "http://127.0.0.1:3000",
        "sec-fetch-site": "same-site",
    },
    "another port, in an old browser": {"origin": "http://127.0.0.1:3000", "sec-fetch-site": ""},
    "a sandboxed frame": {"origin": "null", "sec-fetch-site": "cross-site"},
    "a sandboxed frame, in an old browser": {"origin": "null", "sec-fetch-site": ""},
    "a page that says nothing": {"origin": "", "sec-fetch-site": ""},
    "a file": {"origin": "file://", "sec-fetch-site": "cross-site"},
    "a name that ends like ours": {"origin": "http://x.127.0.0.1:8081", "sec-fetch-site": ""},
    "a user's part that looks like us": {
        "origin": "http://127.0.0.1:8081@evil.example",
        "sec-fetch-site": "",
    },
    "half a lie": {"origin": "https://evil.example"},
}


@dataclass(frozen=True)
class Open:
    """A console on loopback, made once: none of these tests leaves anything behind."""

    bell: Bell
    app: ASGIApp


@pytest.fixture(scope="module")
def made() -> Open:
    bell = Bell()
    return Open(bell, open_site(bell).app())


@pytest.fixture
def here(made: Open) -> Open:
    made.bell.rung.clear()
    return made


@pytest.mark.parametrize("said", ELSEWHERE.values(), ids=ELSEWHERE)
async def test_a_form_of_another_page_does_nothing_even_with_the_word(
    here: Open, said: dict[str, str]
) -> None:
    async with browsing(here.app, HERE) as browser:
        answer = await browser.post("/bell", {"csrf": WORD}, headers=said)

    assert answer.status_code == 403
    assert here.bell.rung == []


@pytest.mark.parametrize("word", ["", "0" * 64, WORD[:-1], WORD.upper(), "\N{CAT FACE}", WORD * 99])
async def test_a_form_without_the_word_does_nothing_even_from_our_own_page(
    here: Open, word: str
) -> None:
    async with browsing(here.app, HERE) as browser:
        answer = await browser.post("/bell", {"csrf": word})

    assert answer.status_code in (400, 403)
    assert here.bell.rung == []


async def test_a_form_of_our_own_page_is_done_by_whoever_is_on_this_machine(here: Open) -> None:
    async with browsing(here.app, HERE) as browser:
        answer = await browser.post("/bell", {"csrf": WORD})

    assert (answer.status_code, answer.headers["location"]) == (303, "/components")
    assert here.bell.rung == ["ann"]


async def test_the_word_of_one_console_is_none_of_another() -> None:
    bell = Bell()
    async with browsing(open_site(bell, seal=fresh_seal()).app(), HERE) as browser:
        answer = await browser.post("/bell", {"csrf": WORD})

    assert answer.status_code == 403


async def test_the_word_of_one_visitor_is_none_of_another() -> None:
    bell = Bell()
    site = guarded_site(bell)
    async with browsing(site.app()) as ann, browsing(site.app()) as eve:
        await ann.log_in(TOKEN, name="ann")
        await eve.log_in(TOKEN, name="eve")

        stolen = await ann.post("/bell", {"csrf": await eve.word("/components")})
        own = await ann.post("/bell", {"csrf": await ann.word("/components")})

    assert (stolen.status_code, own.status_code) == (403, 303)
    assert bell.rung == ["ann"]


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_what_a_page_can_send_without_asking_is_nothing_to_the_api(
    here: Open, media_type: str
) -> None:
    async with browsing(here.app, HERE) as browser:
        headers = {"content-type": media_type} if media_type else {}
        answer = await browser.client.post("/api/bell", content=b"{}", headers=headers)

    assert answer.status_code == 415
    assert here.bell.rung == []


@pytest.mark.parametrize("said", ELSEWHERE.values(), ids=ELSEWHERE)
async def test_json_of_another_page_does_nothing_either(here: Open, said: dict[str, str]) -> None:
    headers = {name: value for name, value in said.items() if value}
    if not headers:
        return  # a browser says at least one of the two
    async with browsing(here.app, HERE) as browser:
        answer = await browser.client.post("/api/bell", json={}, headers=headers)

    assert answer.status_code == 403
    assert here.bell.rung == []


async def test_no_other_page_may_ask_first_whether_it_may_send_json(here: Open) -> None:
    async with browsing(here.app, HERE) as browser:
        asked = {
            "origin": "https://evil.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type",
        }
        answer = await browser.client.options("/api/bell", headers=asked)

    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/", "/processes", "/components", "/api/components", "/live"])
async def test_a_name_of_elsewhere_that_leads_here_reads_nothing(here: Open, path: str) -> None:
    async with browsing(here.app, "http://evil.example:8081") as browser:
        answer = await browser.visit(path)

    assert answer.status_code == 403
    assert "reactor-triage" not in answer.text


async def test_a_name_of_elsewhere_that_leads_here_does_nothing(here: Open) -> None:
    async with browsing(here.app, "http://evil.example:8081") as browser:
        form = await browser.post("/bell", {"csrf": WORD})
        json = await browser.client.post("/api/bell", json={})

    assert (form.status_code, json.status_code) == (403, 403)
    assert here.bell.rung == []


async def test_a_program_on_this_machine_needs_no_browser_and_no_word(here: Open) -> None:
    async with browsing(here.app, HERE) as browser:
        answer = await browser.client.post("/api/bell", json={})

    assert (answer.status_code, answer.json()) == (200, {"rung": 1})


async def test_no_page_may_be_put_into_a_frame_or_read_by_another_site() -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        for path in ("/login", "/nowhere", "/static/console.css", "/components"):
            headers = (await browser.visit(path)).headers
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-frame-options"] == "DENY"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert headers["cross-origin-opener-policy"] == "same-origin"


async def test_a_policy_lets_nothing_run_that_is_not_ours(here: Open) -> None:
    async with browsing(here.app, HERE) as browser:
        policy = (await browser.visit("/components")).headers["content-security-policy"]

    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": "'self'",
        "connect-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"csrf=%ff", 400),
        (b"csrf=\xff", 400),
        (b"a=1&" * 2_001, 400),
        (b"csrf=" + b"x" * (256 * 1024), 413),
    ],
    ids=["no UTF-8", "no ASCII", "too many fields", "too long"],
)
async def test_a_form_that_can_not_be_read_is_refused(here: Open, body: bytes, status: int) -> None:
    async with browsing(here.app, HERE) as browser:
        headers = {"origin": HERE, "content-type": "application/x-www-form-urlencoded"}
        answer = await browser.client.post("/bell", content=body, headers=headers)

    assert answer.status_code == status
    assert here.bell.rung == []


BETWEEN = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Host": "console.acme.example",
    "X-Forwarded-Proto": "https",
    "X-Real-IP": "203.0.113.9",
    "Forwarded": "for=203.0.113.9",
    "Via": "1.1 proxy",
}


@pytest.mark.parametrize("name", BETWEEN)
async def test_what_came_through_a_proxy_that_nobody_named_is_not_of_this_machine(
    here: Open, name: str
) -> None:
    # a proxy here that hands strangers on, under our own name: it connects from loopback too
    async with browsing(here.app, HERE) as browser:
        browser.headers = {name: BETWEEN[name]}
        page = await browser.visit("/components")
        json = await browser.client.post("/api/bell", json={}, headers=browser.headers)

    assert (page.status_code, json.status_code) == (403, 403)
    assert "console.proxy" in json.json()["fix"]
    assert here.bell.rung == []


async def test_nginx_as_it_comes_is_a_proxy_too_although_it_says_nothing(here: Open) -> None:
    async def as_nginx(scope: Scope, receive: Receive, send: Send) -> None:
        await here.app({**scope, "http_version": "1.0"}, receive, send)

    async with browsing(as_nginx, HERE) as browser:
        json = await browser.client.post("/api/bell", json={})

    assert (json.status_code, json.json()["reason"]) == (403, "proxy")
    assert here.bell.rung == []


async def test_who_hangs_up_in_the_middle_of_a_form_is_no_fault_of_ours(here: Open) -> None:
    said: list[str] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        said.append(f"{message.get('status', '')}")

    headers = {"host": "127.0.0.1:8081", "origin": HERE, "content-length": "9",
               "content-type": "application/x-www-form-urlencoded"}  # fmt: skip
    scope = {"type": "http", "method": "POST", "path": "/bell", "query_string": b"",
             "http_version": "1.1", "scheme": "http", "client": ("127.0.0.1", 5),
             "headers": [(k.encode(), v.encode()) for k, v in headers.items()]}  # fmt: skip
    await here.app(scope, receive, send)

    assert said[0] == "400"
    assert here.bell.rung == []
