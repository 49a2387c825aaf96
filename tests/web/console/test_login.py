"""Logging in: a token makes a session, and nothing else does."""

from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.web.access import Access
from reactor.web.console.entrance import COOKIE, SECURE_COOKIE
from reactor.web.console.places import own_path
from tests.web.console.browser import browsing
from tests.web.console.doing import READ_TOKEN, TOKEN, Bell, guarded_site, open_site
from tests.web.console.looked import Looked

OTHER_PLACES = [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "javascript:alert(1)",
    "evil.example",
    "/\u202eevil",
    "",
    "/" + "x" * 3_000,
]


async def test_a_page_leads_to_the_login_and_from_there_back_to_it() -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        sent_on = await browser.visit("/components?a=b%20c")
        login = await browser.look(sent_on.headers["location"])
        wanted = login.one("input", name="next").attributes["value"]
        came_in = await browser.log_in(TOKEN, wanted=wanted)
        page = await browser.visit(came_in.headers["location"])

    assert sent_on.status_code == 303
    assert came_in.headers["location"] == "/components?a=b%20c"
    assert page.status_code == 200


async def test_the_cookie_is_for_us_alone_and_no_script_reads_it() -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        cookie = (await browser.log_in(TOKEN)).headers["set-cookie"]

    name, *attributes = [part.strip().lower() for part in cookie.split(";")]
    assert name.startswith(f"{SECURE_COOKIE.lower()}=")
    assert {"httponly", "secure", "samesite=strict", "path=/", "max-age=43200"} <= set(attributes)
    assert "domain" not in cookie.lower()
    assert TOKEN not in cookie


async def test_without_tls_the_cookie_still_comes_back() -> None:
    async with browsing(guarded_site(Bell()).app(), "http://console.lan:8081") as browser:
        cookie = (await browser.log_in(TOKEN)).headers["set-cookie"]
        page = await browser.visit("/components")

    assert cookie.startswith(f"{COOKIE}=")
    assert "secure" not in cookie.lower()
    assert page.status_code == 200


@pytest.mark.parametrize(
    "token", ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "\N{CAT FACE}", "ü", "x" * 9999]
)
async def test_what_is_not_the_token_opens_nothing(token: str) -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        answer = await browser.log_in(token)
        page = await browser.visit("/components")

    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert page.status_code == 303
    assert Looked.at(answer.text).one("p", role="alert").text == "this is not the token"


async def test_a_token_with_letters_of_any_kind_opens_by_page_and_by_header() -> None:
    site = guarded_site(Bell(), access=Access(loopback=False, token="schlüssel \N{CAT FACE}"))
    async with browsing(site.app()) as browser:
        by_page = await browser.log_in("schlüssel \N{CAT FACE}")
        bearer = {b"authorization": "Bearer schlüssel \N{CAT FACE}".encode()}
        by_header = await browser.client.get("/api/components", headers=bearer)

    assert (by_page.status_code, by_header.status_code) == (303, 200)


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "a\x00b", "a\nb", "\u202egnp"])
async def test_who_does_not_say_who_they_are_is_asked_again(name: str) -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        answer = await browser.log_in(TOKEN, name=name)

    assert answer.status_code == 422
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("place", OTHER_PLACES)
async def test_nobody_is_sent_to_another_site(place: str) -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        asked = await browser.client.get("/login", params={"next": place})
        shown = Looked.at(asked.text).one("input", name="next").attributes["value"]
        came_in = await browser.log_in(TOKEN, wanted=place)
        again = await browser.client.get("/login", params={"next": place})

    assert shown == "/"
    # one that is longer than any path is refused as it is
    assert came_in.status_code == 400 or came_in.headers["location"] == "/"
    assert "location" not in again.headers or again.headers["location"] == "/"


@pytest.mark.parametrize("place", ["/", "/processes?status=failed&event=issues.opened", "/a//b"])
def test_a_path_of_our_own_stays_what_it_is(place: str) -> None:
    assert own_path(place) == place


async def test_a_page_whose_path_looks_like_another_host_leads_nowhere_else() -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        by_link = await browser.visit("https://console.acme.example//evil.example/x")
        from_elsewhere = await browser.visit(
            "https://console.acme.example//evil.example/x", sec_fetch_site="cross-site"
        )

    for answer in (by_link, from_elsewhere):
        assert "//evil.example" not in answer.headers.get("location", "")
        assert "url=//evil" not in answer.text


async def test_a_link_from_elsewhere_finds_who_is_logged_in_already() -> None:
    # the browser keeps a strict cookie to itself on the way here, so it is sent here once more
    async with browsing(guarded_site(Bell()).app()) as browser:
        await browser.log_in(TOKEN)
        cookie = dict(browser.client.cookies)
        browser.client.cookies.clear()
        answer = await browser.visit("/components?x=1", sec_fetch_site="cross-site")
        browser.client.cookies.update(cookie)
        then = await browser.visit("/components?x=1", sec_fetch_site="same-origin")

    metas = Looked.at(answer.text).all("meta")
    (refresh,) = [each for each in metas if "http-equiv" in each.attributes]
    assert refresh.attributes["content"] == "0; url=/components?x=1"
    assert then.status_code == 200


async def test_a_cookie_that_somebody_else_has_set_never_becomes_a_session() -> None:
    site = guarded_site(Bell())
    async with browsing(site.app()) as victim, browsing(site.app()) as attacker:
        victim.client.cookies.set(SECURE_COOKIE, "chosen by the attacker")
        await victim.log_in(TOKEN)
        attacker.client.cookies.set(SECURE_COOKIE, "chosen by the attacker")
        page = await attacker.visit("/components")

    assert page.status_code == 303


async def test_logging_in_again_ends_the_session_that_was_there() -> None:
    site = guarded_site(Bell())
    async with browsing(site.app()) as browser, browsing(site.app()) as other:
        await browser.log_in(TOKEN)
        other.client.cookies.update(dict(browser.client.cookies))
        await browser.log_in(TOKEN)
        earlier = await other.visit("/components")
        now = await browser.visit("/components")

    assert (earlier.status_code, now.status_code) == (303, 200)


async def test_over_tls_a_cookie_under_the_plain_name_is_no_session() -> None:
    # a neighbour under the same domain could set that one
    async with browsing(guarded_site(Bell()).app()) as browser:
        await browser.log_in(TOKEN)
        secret = browser.client.cookies[SECURE_COOKIE]
        browser.client.cookies.clear()
        browser.client.cookies.set(COOKIE, secret)
        page = await browser.visit("/components")

    assert page.status_code == 303


async def test_who_logs_out_is_out_with_every_copy_of_the_cookie() -> None:
    site = guarded_site(Bell())
    async with browsing(site.app()) as browser, browsing(site.app()) as thief:
        await browser.log_in(READ_TOKEN)
        thief.client.cookies.update(dict(browser.client.cookies))
        before = await thief.visit("/components")
        left = await browser.post("/logout", {"csrf": await browser.word("/components")})
        after = await thief.visit("/components")

    assert (before.status_code, left.status_code, after.status_code) == (200, 303, 303)
    assert left.headers["location"] == "/login"


async def test_no_other_page_can_log_somebody_out_or_in() -> None:
    site = guarded_site(Bell())
    async with browsing(site.app()) as browser:
        elsewhere = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
        word = {"name": "eve", "token": TOKEN}
        forced_in = await browser.post("/login", word, headers=elsewhere)
        await browser.log_in(TOKEN)
        csrf = await browser.word("/components")
        forced_out = await browser.post("/logout", {"csrf": csrf}, headers=elsewhere)
        page = await browser.visit("/components")

    assert (forced_in.status_code, forced_out.status_code, page.status_code) == (403, 403, 200)


async def test_a_session_ends_after_its_time() -> None:
    site = guarded_site(Bell()).with_parts(session_lasts=timedelta(hours=1))
    async with browsing(site.app()) as browser:
        await browser.log_in(TOKEN)
        site.clock.move(timedelta(minutes=59))
        within = await browser.visit("/components")
        site.clock.move(timedelta(minutes=1))
        after = await browser.visit("/components")

    assert (within.status_code, after.status_code) == (200, 303)


async def test_a_new_token_ends_the_sessions_of_the_old_one() -> None:
    site = guarded_site(Bell())
    async with browsing(site.app()) as browser:
        await browser.log_in(TOKEN)
        cookies = dict(browser.client.cookies)
    assert site.parts.entrance
    changed = replace(site.parts.entrance, access=Access(loopback=False, token="a new one"))
    site.with_parts(entrance=changed)
    async with browsing(site.app()) as browser:
        browser.client.cookies.update(cookies)
        page = await browser.visit("/components")

    assert page.status_code == 303


async def test_guessing_is_slowed_for_the_one_who_guesses_and_for_nobody_else() -> None:
    site = guarded_site(Bell())
    async with (
        browsing(site.app(), peer=("203.0.113.5", 1)) as guesser,
        browsing(site.app(), peer=("203.0.113.6", 1)) as other,
    ):
        tried = [(await guesser.log_in(f"guess {number}")).status_code for number in range(11)]
        right = await guesser.log_in(TOKEN)
        bearer = {"authorization": f"Bearer {TOKEN}"}
        by_header = await guesser.client.get("/api/components", headers=bearer)
        others = await other.log_in(TOKEN)
        site.clock.move(timedelta(minutes=6))
        later = await guesser.log_in(TOKEN)

    assert tried == [401] * 10 + [429]
    assert by_header.headers["retry-after"] == "300"
    assert (right.status_code, by_header.status_code) == (429, 429)
    assert (others.status_code, later.status_code) == (303, 303)


async def test_guessing_by_header_is_slowed_as_well_over_all_of_a_network_of_ipv6() -> None:
    site = guarded_site(Bell())
    statuses = []
    for number in range(11):
        peer = (f"2001:db8:0:7::{number:x}", 1)
        async with browsing(site.app(), peer=peer) as browser:
            wrong = {"authorization": f"Bearer {number}"}
            answer = await browser.client.get("/api/components", headers=wrong)
            statuses.append(answer.status_code)

    assert statuses == [401] * 10 + [429]


async def test_a_password_that_a_proxy_hands_on_hides_no_session_and_is_no_guess() -> None:
    site = guarded_site(Bell())
    async with browsing(site.app()) as browser:
        browser.headers = {"authorization": "Basic YW5uOnNlY3JldA=="}
        before = [(await browser.visit("/components")).status_code for _ in range(11)]
        api = await browser.visit("/api/components")
        came_in = await browser.log_in(TOKEN)
        pages = [(await browser.visit("/components")).status_code for _ in range(11)]

    assert before == [303] * 11
    assert (api.status_code, came_in.status_code) == (401, 303)
    assert pages == [200] * 11


async def test_programs_are_told_so_and_not_led_to_a_page() -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        api = await browser.visit("/api/components")
        script = await browser.visit("/live", sec_fetch_mode="cors", accept="text/event-stream")

    assert (api.status_code, script.status_code) == (401, 401)
    assert "/login" in api.json()["fix"]


async def test_where_there_is_no_token_there_is_no_login() -> None:
    async with browsing(open_site(Bell()).app(), "http://127.0.0.1:8081") as browser:
        assert (await browser.visit("/login")).status_code == 404
