"""Live pages: streams that say when what a page shows has changed, and end when they should."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from starlette.types import Message

from reactor.web.console.live import Live, Rhythm
from tests.web.console.site import Site

FAST = Rhythm(look_s=0.01)


@pytest.fixture
def console() -> Site:
    site = Site()
    return site.with_parts(live=Live(site.clock, rhythm=FAST))


class Stream:
    """One that is open, over ASGI: lines as they come."""

    def __init__(self, console: Site, page: str) -> None:
        self._console, self._page = console, page
        self._sent: asyncio.Queue[str | None] = asyncio.Queue()
        self._gone = asyncio.Event()
        self.status = 0
        self.headers: dict[str, str] = {}
        self._began = asyncio.Event()

    async def run(self) -> None:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": "/live",
            "raw_path": b"/live",
            "query_string": f"page={self._page}".encode(),
            "headers": [(b"host", b"127.0.0.1")],
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 1),
        }
        await self._console.app()(scope, self._receive, self._send)
        await self._sent.put(None)

    async def _receive(self) -> Message:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {k.decode(): v.decode() for k, v in message["headers"]}
            self._began.set()
        elif body := message.get("body"):
            await self._sent.put(body.decode())

    async def begun(self) -> None:
        await self._began.wait()

    async def next(self) -> str:
        """The next event that is not the opening; "" where the stream has ended."""
        while (text := await self._sent.get()) is not None:
            if not text.startswith("retry"):
                return text
        return ""

    def leave(self) -> None:
        self._gone.set()


@asynccontextmanager
async def stream(console: Site, page: str) -> AsyncIterator[Stream]:
    opened = Stream(console, page)
    async with asyncio.timeout(15), asyncio.TaskGroup() as group:
        running = group.create_task(opened.run())
        await opened.begun()
        try:
            yield opened
        finally:
            running.cancel()


async def test_a_stream_tells_what_a_page_is_made_of_and_each_change_of_it(console: Site) -> None:
    await console.put("github.com/a")

    async with stream(console, "/processes") as live:
        first = await live.next()
        await console.put("github.com/b")
        second = await live.next()
        page = await console.look("/processes")

    assert first.startswith("event: changed\ndata: ")
    assert second.startswith("event: changed\ndata: ")
    assert first != second
    assert page.one("main").attributes["data-digest"] == second.split()[-1]


async def test_what_does_not_fit_the_filter_changes_nothing(console: Site) -> None:
    async with stream(console, "/processes%3Fstatus=failed") as live:
        first = await live.next()
        await console.put("github.com/a")
        console.clock.move(timedelta(seconds=16))
        second = await live.next()

    assert first.startswith("event: changed")
    assert second == ": still here\n\n"  # proxies close what says nothing for long


async def test_nothing_between_holds_it_back_or_keeps_it(console: Site) -> None:
    async with stream(console, "/processes") as live:
        await live.next()

    assert live.status == 200
    assert live.headers["content-type"].startswith("text/event-stream")
    assert live.headers["x-accel-buffering"] == "no"
    assert live.headers["cache-control"] == "no-store"


async def test_it_ends_with_the_console(console: Site) -> None:
    async with stream(console, "/processes") as live:
        await live.next()
        console.parts.live.close()

        assert await live.next() == ""


async def test_it_ends_after_a_while_so_that_who_may_look_is_asked_again(console: Site) -> None:
    async with stream(console, "/processes") as live:
        await live.next()
        console.clock.move(timedelta(seconds=FAST.longest_s + 1))

        assert await live.next() == ""


async def test_who_leaves_is_forgotten(console: Site) -> None:
    async with stream(console, "/processes") as live:
        await live.next()
        assert console.parts.live.watchers == 1
        live.leave()
        assert await live.next() == ""

    assert console.parts.live.watchers == 0


async def test_there_are_so_many_streams_and_no_more(console: Site) -> None:
    console.with_parts(live=Live(console.clock, rhythm=FAST, most=1))

    async with stream(console, "/processes") as live:
        await live.next()
        refused = await console.get("/live?page=/components")

    assert refused.status_code == 503


@pytest.mark.parametrize(
    ("page", "status"),
    [("", 400), ("https://evil.example/", 400), ("/nowhere", 404), ("/live", 404)],
)
async def test_only_pages_of_the_console_are_live(console: Site, page: str, status: int) -> None:
    answer = await console.get(f"/live?page={page}")

    assert answer.status_code == status


async def test_a_page_that_cannot_be_read_is_told_as_away(console: Site) -> None:
    async with stream(console, "/processes/p000000000000000000000000") as live:
        assert (await live.next()).startswith("event: away")
