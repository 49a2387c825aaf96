"""Where APIs are, and that nobody's token goes to another host."""

import pytest

from reactor.github.hosts import BadApiUrl, Login, api_url_of, checked_api_url, hosts_of

APP, OTHER = Login(token="t-common"), Login(token="t-other")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("github.com", "https://api.github.com"),
        ("acme.ghe.com", "https://api.acme.ghe.com"),
        ("git.acme.example", "https://git.acme.example/api/v3"),
    ],
)
def test_the_address_follows_from_the_name(host: str, url: str) -> None:
    assert api_url_of(host) == url


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://api.github.com/", "https://api.github.com"),
        ("http://127.0.0.1:9/api/v3", "http://127.0.0.1:9/api/v3"),
        ("git.acme.example", "https://git.acme.example/api/v3"),
        ("api.github.com", "https://api.github.com"),
    ],
)
def test_an_address_may_be_given(given: str, url: str) -> None:
    assert checked_api_url("github.com", given) == url


@pytest.mark.parametrize("url", ["ftp://x", "https://", "https://u:p@x", "https://x/?a=b"])
def test_an_address_that_is_none_is_refused_with_its_host(url: str) -> None:
    with pytest.raises(BadApiUrl, match=r"the API of github\.com"):
        checked_api_url("github.com", url)


@pytest.mark.parametrize("url", ["http://api.github.com", "http://10.0.0.1/api/v3", "HTTP://x"])
def test_no_token_goes_in_the_clear_to_another_machine(url: str) -> None:
    with pytest.raises(BadApiUrl, match=r"github\.com .* use https://"):
        checked_api_url("github.com", url)


@pytest.mark.parametrize("url", ["http://localhost:9", "http://127.0.0.2:9", "http://[::1]:9/api"])
def test_on_this_machine_it_may(url: str) -> None:
    assert checked_api_url("github.com", url) == url


def test_each_host_has_its_own_address_and_nobody_elses_token() -> None:
    hosts = hosts_of(APP, None, {"git.acme.example": (OTHER, None), "x.ghe.com": (Login(), None)})

    assert {name: (host.api_url, host.login.token) for name, host in hosts.items()} == {
        "github.com": ("https://api.github.com", "t-common"),
        "git.acme.example": ("https://git.acme.example/api/v3", "t-other"),
        "x.ghe.com": ("https://api.x.ghe.com", None),
    }


def test_a_common_address_of_an_enterprise_host_is_not_that_of_github_com() -> None:
    hosts = hosts_of(APP, "https://git.acme.example/api/v3", {"git.acme.example": (Login(), None)})

    assert hosts["git.acme.example"].login.token == "t-common"
    assert hosts["github.com"].login.token is None
    assert hosts["github.com"].api_url == "https://api.github.com"


def test_a_proxy_stands_for_github_com() -> None:
    hosts = hosts_of(APP, "http://127.0.0.1:8000", {"git.acme.example": (OTHER, None)})

    assert hosts["github.com"].api_url == "http://127.0.0.1:8000"
    assert hosts["git.acme.example"].api_url == "https://git.acme.example/api/v3"


def test_who_we_are_shows_no_secret() -> None:
    login = Login(app_id=1, private_key="-----BEGIN", token="ghp_x")

    assert "BEGIN" not in repr(login)
    assert "ghp_x" not in repr(login)
