"""A proxy that knows people is believed, and nobody who plays one is."""

import pytest
from starlette.requests import Request

from reactor.refusal import Refused
from reactor.web.access import Access
from reactor.web.console.proxy import TrustedProxy, trusted_networks
from tests.web.console.browser import Peer, browsing
from tests.web.console.doing import TOKEN, Bell, guarded_site

PROXY: Peer = ("10.1.2.3", 5000)
STRANGER: Peer = ("203.0.113.9", 5000)
TRUSTED = TrustedProxy(
    networks=trusted_networks(["10.1.0.0/16", "fd00::/8"]),
    host="console.acme.example",
    user_header="X-Forwarded-User",
    role_header="X-Forwarded-Groups",
    operators=frozenset({"operator", "admin"}),
)
ANN = {"x-forwarded-user": "ann@acme.example", "x-forwarded-groups": "staff, operator"}


def request(
    *headers: tuple[str, str], peer: str = PROXY[0], host: str = "console.acme.example"
) -> Request:
    raw = [(name.lower().encode(), value.encode()) for name, value in (*headers, ("Host", host))]
    scope = {"type": "http", "headers": raw, "client": (peer, 1), "method": "GET"}
    return Request({**scope, "path": "/", "query_string": b"", "scheme": "http"})


@pytest.mark.parametrize("peer", ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1", "fd00::1%eth0"])
def test_the_proxy_says_who_it_is_from_any_address_of_its_own(peer: str) -> None:
    user = TRUSTED.user(request(("X-Forwarded-User", "ann"), peer=peer))

    assert user is not None
    assert (user.name, user.may_change) == ("ann", False)


@pytest.mark.parametrize("peer", ["203.0.113.9", "10.2.0.1", "127.0.0.1", "::1", "", "unix:", "x"])
def test_from_elsewhere_the_header_says_nothing(peer: str) -> None:
    assert TRUSTED.user(request(("X-Forwarded-User", "ann"), peer=peer)) is None


@pytest.mark.parametrize(
    "name", ["", "   ", "a\x00b", "a\nb", "x" * 129, "\u202egnp", "a\x7f"], ids=range(7)
)
def test_a_name_that_is_none_is_nobody(name: str) -> None:
    assert TRUSTED.user(request(("X-Forwarded-User", name))) is None


def test_a_name_in_any_script_is_itself() -> None:
    user = TRUSTED.user(request(("X-Forwarded-User", "Änn 木")))

    assert user is not None
    assert user.name == "Änn 木"


def test_a_header_that_is_there_twice_is_nobodys() -> None:
    twice = request(("X-Forwarded-User", "admin"), ("x-forwarded-user", "ann"))

    with pytest.raises(Refused, match="two people") as refused:
        TRUSTED.user(twice)

    assert refused.value.status == 401


def test_roles_that_are_there_twice_are_nobodys() -> None:
    twice = request(
        ("X-Forwarded-User", "ann"),
        ("X-Forwarded-Groups", "admin"),
        ("X-Forwarded-Groups", "staff"),
    )

    with pytest.raises(Refused):
        TRUSTED.user(twice)


@pytest.mark.parametrize(
    ("roles", "may_change"),
    [
        ("admin", True),
        ("staff,operator", True),
        ("operators", False),
        ("", False),
        ("ADMIN", False),
    ],
)
def test_roles_decide_who_may_change_things(roles: str, may_change: bool) -> None:
    user = TRUSTED.user(request(("X-Forwarded-User", "ann"), ("X-Forwarded-Groups", roles)))

    assert user is not None
    assert user.may_change is may_change


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("1.1.1.1, 203.0.113.9", "203.0.113.9"),  # the first one is what the browser has said
        ("203.0.113.9, 10.1.9.9", "203.0.113.9"),  # two proxies of ours
        ("", "10.1.2.3"),
        ("10.1.9.9", "10.1.2.3"),
    ],
)
def test_whose_address_it_is_says_the_last_of_our_own(forwarded: str, client: str) -> None:
    assert TRUSTED.client(request(("X-Forwarded-For", forwarded))) == client


def test_from_elsewhere_no_header_says_whose_address_it_is() -> None:
    told = request(("X-Forwarded-For", "10.1.2.3"), peer="203.0.113.9")

    assert TRUSTED.client(told) == "203.0.113.9"
    assert TRUSTED.user(told) is None


ANOTHER_NAME = ["evil.example:8081", "127.0.0.1:8081", "console.acme.example.evil.example", ""]


@pytest.mark.parametrize("host", ANOTHER_NAME)
def test_under_another_name_the_proxys_word_is_refused(host: str) -> None:
    told = request(("X-Forwarded-User", "ann"), ("X-Forwarded-For", "203.0.113.9"), host=host)

    with pytest.raises(Refused, match="own name") as refused:
        TRUSTED.user(told)

    assert refused.value.status == 403
    assert TRUSTED.client(told) == PROXY[0]


@pytest.mark.parametrize("host", ["Console.Acme.Example", "console.acme.example:8081"])
def test_the_name_counts_in_any_case_and_with_any_port(host: str) -> None:
    assert TRUSTED.user(request(("X-Forwarded-User", "ann"), host=host)) is not None


async def test_a_page_whose_name_leads_to_the_proxys_machine_plays_no_proxy() -> None:
    # the browser is where the proxy is, and the page's own address is ours: it sets any header
    bell = Bell()
    here = TrustedProxy(
        networks=trusted_networks(["127.0.0.1"]), host="console.acme.example",
        user_header="X-Forwarded-User",
    )  # fmt: skip
    site = guarded_site(bell, proxy=here, public_url="https://console.acme.example")
    evil, peer = "http://evil.example:8081", ("127.0.0.1", 5)
    async with browsing(site.app(), evil, peer=peer) as browser:
        browser.headers = {"x-forwarded-user": "root", "sec-fetch-site": "same-origin"}
        page = await browser.visit("/components")
        said = {**browser.headers, "origin": evil}
        json = await browser.client.post("/api/bell", json={}, headers=said)

    assert (page.status_code, json.status_code) == (403, 403)
    assert bell.rung == []


async def test_who_comes_through_the_proxy_acts_under_their_own_name() -> None:
    bell = Bell()
    site = guarded_site(bell, proxy=TRUSTED)
    async with browsing(site.app(), peer=PROXY) as browser:
        browser.headers = ANN
        assert site.parts.entrance
        word = site.parts.entrance.seal.word("proxy ann@acme.example")
        page = await browser.look("/components")
        answer = await browser.post("/bell", {"csrf": word})

    assert "ann@acme.example" in page.text
    assert answer.status_code == 303
    assert bell.rung == ["ann@acme.example"]


async def test_who_plays_the_proxy_is_nobody() -> None:
    bell = Bell()
    async with browsing(guarded_site(bell, proxy=TRUSTED).app(), peer=STRANGER) as browser:
        browser.headers = {**ANN, "x-forwarded-for": "10.1.2.3", "forwarded": "for=10.1.2.3"}
        page = await browser.visit("/components")
        json = await browser.client.post("/api/bell", json={}, headers=browser.headers)

    assert (page.status_code, json.status_code) == (303, 401)
    assert bell.rung == []


async def test_who_has_no_role_for_it_changes_nothing() -> None:
    bell = Bell()
    site = guarded_site(bell, proxy=TRUSTED)
    async with browsing(site.app(), peer=PROXY) as browser:
        browser.headers = {**ANN, "x-forwarded-groups": "staff"}
        assert site.parts.entrance
        word = site.parts.entrance.seal.word("proxy ann@acme.example")
        form = await browser.post("/bell", {"csrf": word})
        json = await browser.client.post("/api/bell", json={}, headers=browser.headers)

    assert (form.status_code, json.status_code) == (403, 403)
    assert bell.rung == []


async def test_behind_a_proxy_loopback_alone_opens_nothing() -> None:
    # the proxy on this machine may forget a header: whoever it lets through would be everybody
    here = Access(loopback=True)
    proxy = TrustedProxy(
        networks=trusted_networks(["127.0.0.1"]), host="console.lan", user_header="X-Forwarded-User"
    )
    site = guarded_site(Bell(), access=here, read_token=None, proxy=proxy)
    async with browsing(site.app(), "http://console.lan:8081", peer=("127.0.0.1", 5)) as browser:
        without = await browser.visit("/components")
        browser.headers = {"x-forwarded-user": "ann"}
        named = await browser.visit("/components")

    assert (without.status_code, named.status_code) == (401, 200)


async def test_guesses_through_the_proxy_are_those_of_who_is_behind_it() -> None:
    site = guarded_site(Bell(), proxy=TRUSTED)
    async with browsing(site.app(), peer=PROXY) as browser:
        browser.headers = {"x-forwarded-for": "1.1.1.1, 203.0.113.9"}
        tried = [(await browser.log_in("guess")).status_code for _ in range(11)]
        browser.headers = {"x-forwarded-for": "203.0.113.10"}
        other = await browser.log_in(TOKEN)

    assert tried == [401] * 10 + [429]
    assert other.status_code == 303
