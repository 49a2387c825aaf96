"""The console: what is stored in Redis and lies on the deliveries topic, shown over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from reactor.adapters.clock import SystemClock
from reactor.inventory import told_components
from reactor.ports import Clock
from reactor.settings import Settings
from reactor.web.console.app import ConsoleParts, create_console
from reactor.web.console.areas import Area
from reactor.web.console.journal import JournalArea
from reactor.web.console.live import Live
from reactor.wiring.chronicling import make_chronicler
from reactor.wiring.doing import Here, doing
from reactor.wiring.entrance import console_access, make_entrance
from reactor.wiring.explaining import explaining
from reactor.wiring.granting import told_grants
from reactor.wiring.http import serve_http
from reactor.wiring.indexing import indexed
from reactor.wiring.recorded import records_of
from reactor.wiring.watching import watching

if TYPE_CHECKING:
    from starlette.types import ASGIApp


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
        indexed(settings, parts.redis),
        doing(settings, here, clock) as areas,
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
                platform=parts.installed.platform,
                grants=tuple(told_grants(settings)),
                troubles=parts.redis.troubles,
                access=entrance.access,
                entrance=entrance,
                session_lasts=timedelta(hours=settings.console.session_hours),
                areas=(*areas, *journal_areas(settings, clock)),
                clock=clock,
                live=live or Live(clock),
                chronicler=make_chronicler(settings, parts.redis, parts.lookup),
                installation=watch if settings.kafka.bootstrap_servers else None,
                checks={"redis": redis_answers},
            )
        )


def journal_areas(settings: Settings, clock: Clock) -> tuple[Area, ...]:
    """What shows the journal's index; nothing without a data folder, for there is no index then."""
    return (JournalArea(records_of(settings), clock),) if settings.data else ()


async def serve_console(settings: Settings, here: Here) -> None:
    """Serve until SIGTERM or Ctrl-C; requests under way are answered first, streams end."""
    live, at = Live(SystemClock()), settings.console
    async with console_app(settings, live=live, here=here) as app:
        await serve_http(app, host=at.host, port=at.port, stopping=live.close)
