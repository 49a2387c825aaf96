"""The console: what is stored in Redis and lies on the deliveries topic, shown over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from reactor.adapters.clock import SystemClock
from reactor.errors import ReactorError
from reactor.inventory import told_components
from reactor.settings import Settings
from reactor.web.access import Access, is_loopback
from reactor.web.console.app import ConsoleParts, create_console
from reactor.web.console.live import Live
from reactor.wiring.explaining import explaining
from reactor.wiring.http import serve_http
from reactor.wiring.watching import watching

if TYPE_CHECKING:
    from starlette.types import ASGIApp


class NoToken(ReactorError):
    """The console would show everything to everybody."""

    def __init__(self, host: str) -> None:
        super().__init__(host)
        self.host = host

    def __str__(self) -> str:
        return (
            f"the console would listen on {self.host}, where others can connect, and no token is"
            " set; set REACTOR_TOKEN to a long random word, or listen on 127.0.0.1 (setting"
            " console.host, REACTOR_CONSOLE_HOST) and come through a tunnel"
        )


@asynccontextmanager
async def console_app(settings: Settings, *, live: Live | None = None) -> AsyncIterator["ASGIApp"]:
    """The application, connected to its servers for as long as the context lasts.

    `live`: its streams, for whoever wants to end them.  Raises `NoToken` and `NoServer`.
    """
    access, clock = console_access(settings), SystemClock()
    async with (
        explaining(settings) as parts,
        watching(settings, parts.redis.heartbeats) as watch,
    ):

        async def redis_answers() -> None:
            async with asyncio.timeout(1):
                await parts.redis.client.ping()

        yield create_console(
            ConsoleParts(
                lookup=parts.lookup,
                components=told_components(
                    parts.installed.platform, parts.installed.faults, parts.installed.disabled
                ),
                access=access,
                clock=clock,
                live=live or Live(clock),
                installation=watch if settings.kafka.bootstrap_servers else None,
                checks={"redis": redis_answers},
            )
        )


async def serve_console(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; requests under way are answered first, streams end."""
    live, at = Live(SystemClock()), settings.console
    async with console_app(settings, live=live) as app:
        await serve_http(app, host=at.host, port=at.port, stopping=live.close)


def console_access(settings: Settings) -> Access:
    """Who may look: on loopback whoever can connect, elsewhere who has the token.

    Raises `NoToken`.
    """
    host, token = settings.console.host, settings.gateway.token
    if is_loopback(host):
        return Access(loopback=True)
    if token is None:
        raise NoToken(host)
    return Access(loopback=False, token=token.get_secret_value())
