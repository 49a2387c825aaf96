"""A browser, as far as the guards of the console see one: cookies, and what it says of itself."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.types import ASGIApp

from tests.web.console.looked import Looked

Peer = tuple[str, int]
NAVIGATES = {"accept": "text/html", "sec-fetch-mode": "navigate"}


@dataclass
class Browser:
    """Goes to pages of one console, and posts from them."""

    client: httpx.AsyncClient
    origin: str
    headers: dict[str, str] = field(default_factory=dict)  # what a proxy adds on the way

    async def visit(self, path: str, **said: str) -> httpx.Response:
        """By the address bar, or, with `said`, by a link from elsewhere."""
        sent = {**NAVIGATES, "sec-fetch-site": "none", **self.headers, **_names(said)}
        return await self.client.get(path, headers=sent)

    async def look(self, path: str) -> Looked:
        answer = await self.visit(path)
        assert answer.status_code == 200, answer.text
        return Looked.at(answer.text)

    async def post(
        self, path: str, data: Mapping[str, Any], *, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """A form on a page of ours; `headers` says what another page's would differ in."""
        own = {"origin": self.origin, "sec-fetch-site": "same-origin", "accept": "text/html"}
        sent = {k: v for k, v in {**own, **self.headers, **(headers or {})}.items() if v}
        return await self.client.post(path, data=dict(data), headers=sent)

    async def log_in(self, token: str, *, name: str = "ann", wanted: str = "/") -> httpx.Response:
        return await self.post("/login", {"name": name, "token": token, "next": wanted})

    async def word(self, path: str) -> str:
        """What goes with the forms of a page."""
        page = await self.look(path)
        return page.all("input", name="csrf")[0].attributes["value"]


@asynccontextmanager
async def browsing(
    app: ASGIApp, origin: str = "https://console.acme.example", *, peer: Peer = ("10.0.0.9", 4711)
) -> AsyncIterator[Browser]:
    """A browser at that address; `peer`: what the console sees connecting."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=peer)
    async with httpx.AsyncClient(transport=transport, base_url=origin) as client:
        yield Browser(client, origin)


def _names(said: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in said.items()}
