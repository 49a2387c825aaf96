"""Every page that there is, found as a person finds it: by following links from the first one."""

import re
from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

import httpx

from tests.web.console.looked import Looked

_NO_PAGES = re.compile(r"/(api|static|live|find|logout|healthz|readyz)(/|$)|\.\w{2,5}$")
_IDS = re.compile(r"(?<=/)[^/]*\d[^/]*")  # a part of a path that has a digit


def kind_of(path: str) -> str:
    """What its address has in common with pages of its kind: "/processes/…"."""
    return _IDS.sub("…", urlsplit(path).path)


def name_of(path: str) -> str:
    """The kind in one word: "processes-one"; that of the first page is "overview"."""
    words = [part.replace("…", "one") for part in kind_of(path).split("/") if part]
    return "-".join(words) or "overview"


async def find_pages(origin: str, first: Iterable[str] = ()) -> dict[str, str]:
    """One address of each kind, by the name of the kind; those of `first` stand for their kinds.

    Each is read, and none may be broken.
    """
    found, unread = dict[str, str](), [*first, "/"]
    async with httpx.AsyncClient(base_url=origin, timeout=30) as client:
        while unread:
            path = unread.pop(0)
            if name_of(path) in found or _NO_PAGES.search(urlsplit(path).path):
                continue
            answer = await client.get(path)
            assert answer.status_code == 200, f"{path}: {answer.status_code}"
            if not answer.headers["content-type"].startswith("text/html"):
                continue
            found[name_of(path)] = path
            unread += _links(answer.text, f"{origin}{path}", origin)
    return found


def _links(html: str, here: str, origin: str) -> list[str]:
    """Paths within the origin that the page leads to, with what they ask for."""
    links = [urljoin(here, link.attributes.get("href", "")) for link in Looked.at(html).all("a")]
    places = [urlsplit(link) for link in links if link.startswith(f"{origin}/")]
    return [f"{place.path}?{place.query}" if place.query else place.path for place in places]
