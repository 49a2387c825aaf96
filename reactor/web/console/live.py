"""Live pages: a stream that says when what a page shows has changed, as server-sent events.

    /live?page=/processes?status=failed

Each second the document of that page is read again; where it differs, the event "changed" is
sent with its digest, and a page made of another one fetches itself anew.  The document says all:
no page has to name what it depends on.  Who looks at the same page shares the reading.

A stream ends with the console (`close`), and by itself after some minutes, so that whoever may no
longer look does not go on looking: browsers connect again by themselves.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match, Route

from reactor.errors import ReactorError
from reactor.ports import Clock
from reactor.refusal import Refused
from reactor.web.console.areas import Resource

_HEADERS = {"X-Accel-Buffering": "no"}  # nginx, and others after it: hand on what comes at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How often what happens."""

    look_s: float = 1.0  # between readings of one document
    beat_s: float = 15.0  # of silence, then a comment: proxies close what seems dead
    longest_s: float = 600.0  # of one stream


class Live:
    """Streams of one console."""

    def __init__(self, clock: Clock, *, rhythm: Rhythm | None = None, most: int = 100) -> None:
        """`most`: streams at once; each is a connection, and may be a page to be read."""
        self._clock, self._rhythm, self._most = clock, rhythm or Rhythm(), most
        self._closing = asyncio.Event()
        self._watchers: Counter[str] = Counter()  # by page
        self._seen: dict[str, _Seen] = {}

    @property
    def watchers(self) -> int:
        """Streams that are open."""
        return self._watchers.total()

    def close(self) -> None:
        """End all streams; new ones end at once."""
        self._closing.set()

    def route(self, resources: Sequence[Resource]) -> "LiveRoute":
        """The endpoint for these pages."""
        return LiveRoute(self, resources)

    async def stream(self, page: str, read: "_Reading") -> AsyncIterator[str]:
        """Text of the stream."""
        self._watchers[page] += 1
        try:
            yield "retry: 2000\n\n"
            async for event in self._events(page, read):
                yield event
        finally:
            self._watchers[page] -= 1
            if not self._watchers[page]:
                del self._watchers[page]
                self._seen.pop(page, None)

    async def _events(self, page: str, read: "_Reading") -> AsyncIterator[str]:
        began = quiet_since = self._clock.monotonic_s()
        told: str | None = None
        while not self._closing.is_set():
            now = self._clock.monotonic_s()
            if now - began > self._rhythm.longest_s:
                return
            digest = await self._digest(page, read)
            if digest != told:
                told, quiet_since = digest, now
                yield f"event: {'changed' if digest else 'away'}\ndata: {digest}\n\n"
            elif now - quiet_since > self._rhythm.beat_s:
                quiet_since = now
                yield ": still here\n\n"
            with suppress(TimeoutError):
                async with asyncio.timeout(self._rhythm.look_s):
                    await self._closing.wait()

    async def _digest(self, page: str, read: "_Reading") -> str:
        """Of the document as it is now; "" where it can't be read."""
        seen = self._seen.setdefault(page, _Seen())
        async with seen.lock:
            now = self._clock.monotonic_s()
            if seen.at_s is None or now - seen.at_s >= self._rhythm.look_s / 2:
                seen.digest, seen.at_s = await read.digest(), now
        return seen.digest

    @property
    def is_full(self) -> bool:
        """Whether there can be no further stream."""
        return self.watchers >= self._most


@dataclass(slots=True)
class _Seen:
    """What a page was last; one at a time reads it anew."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    at_s: float | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads the document of one page."""

    resource: Resource
    request: Request

    async def digest(self) -> str:
        try:
            told = await self.resource.read(self.request)
        except ReactorError:
            return ""
        return digest_of(told)


def digest_of(told: Mapping[str, Any]) -> str:
    """By which a page knows whether it is what the server would give now."""
    return hashlib.sha256(to_json(told, inf_nan_mode="null")).hexdigest()[:16]


class LiveRoute:
    """`/live`: finds the page, and streams."""

    def __init__(self, live: Live, resources: Sequence[Resource]) -> None:
        self._live = live
        self._routes = [(Route(each.page, _nothing), each) for each in resources]

    async def endpoint(self, request: Request) -> Response:
        """The stream.  Raises `Refused` (400, 404, 503)."""
        page = request.query_params.get("page", "")
        reading = self._reading(page, request)
        if self._live.is_full:
            what, fix = "there are too many live pages now", "close some, or load it by hand"
            raise Refused(503, "too_many", what, where="inside", fix=fix)
        stream = self._live.stream(page, reading)
        return StreamingResponse(stream, media_type="text/event-stream", headers=_HEADERS)

    def _reading(self, page: str, request: Request) -> _Reading:
        if not page.startswith("/") or len(page) > 2000:
            fix = "name a page of this console, as /live?page=/processes"
            raise Refused(400, "query", "no page is named", where="query: page", fix=fix)
        asked = urlsplit(page)
        scope = {**request.scope, "path": asked.path, "query_string": asked.query.encode()}
        scope["path_params"] = {}
        scope.pop("root_path", None)
        for route, resource in self._routes:
            match, more = route.matches(scope)
            if match is Match.FULL:
                return _Reading(resource, Request({**scope, **more}))
        fix = "name a page of this console"
        raise Refused(404, "path", "there is no such page", where="query: page", fix=fix)


async def _nothing(_: Request) -> Response:
    """Routes need an endpoint; these are only matched."""
    raise NotImplementedError
