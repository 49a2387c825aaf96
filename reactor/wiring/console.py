"""The console: what is stored in Redis and lies on the deliveries topic, shown over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reactor.adapters.clock import SystemClock
from reactor.inventory import told_components
from reactor.settings import Settings
from reactor.web.console.app import ConsoleParts, create_console
from reactor.web.console.live import Live
from reactor.wiring.entrance import console_access, make_entrance
from reactor.wiring.explaining import explaining
from reactor.wiring.http import serve_http
from reactor.wiring.watching import watching

if TYPE_CHECKING:
    from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """Where a console runs, and who has started it."""

    user: str = ""  # as is recorded of what is done from this machine, where nobody logs in
    config: Path | None = None  # the file that the settings are from
    environ: Mapping[str, str] = field(default_factory=dict)


@asynccontextmanager
async def console_app(
    settings: Settings, *, live: Live | None = None, here: Here | None = None
) -> AsyncIterator["ASGIApp"]:
    """The application, connected to its servers for as long as the context lasts.

    `live`: its streams, for whoever wants to end them.  Raises `NoToken` and `NoServer`.
    """
    here, clock = here or Here(), SystemClock()
    console_access(settings)  # before anything is connected
    async with (
        explaining(settings) as parts,
        watching(settings, parts.redis.heartbeats) as watch,
    ):

        async def redis_answers() -> None:
            async with asyncio.timeout(1):
                await parts.redis.client.ping()

        entrance = make_entrance(settings, parts.redis, clock, here.user)
        yield create_console(
            ConsoleParts(
                lookup=parts.lookup,
                components=told_components(
                    parts.installed.platform, parts.installed.faults, parts.installed.disabled
                ),
                access=entrance.access,
                entrance=entrance,
                session_lasts=timedelta(hours=settings.console.session_hours),
                clock=clock,
                live=live or Live(clock),
                installation=watch if settings.kafka.bootstrap_servers else None,
                checks={"redis": redis_answers},
            )
        )


async def serve_console(settings: Settings, here: Here) -> None:
    """Serve until SIGTERM or Ctrl-C; requests under way are answered first, streams end."""
    live, at = Live(SystemClock()), settings.console
    async with console_app(settings, live=live, here=here) as app:
        await serve_http(app, host=at.host, port=at.port, stopping=live.close)
