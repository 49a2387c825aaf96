"""All that happened to a subject, put together: Redis, the journal's index, dead letters, timers."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from reactor.catalog import TypeCatalog
from reactor.chronicle import ToldSubject
from reactor.chronicler import Asked, Chronicler
from reactor.dead import Selection
from reactor.settings import Settings
from reactor.wiring.looking_up import from_folder, make_lookup
from reactor.wiring.redis import redis_parts

if TYPE_CHECKING:
    from reactor.dead import Entry

_PATIENCE = timedelta(seconds=10)  # with the topic of dead letters


async def chronicle(settings: Settings, asked: Asked) -> ToldSubject:
    """All that is known; of the data folder alone where no Redis is named.

    Raises `UnknownSubject` and `NoServer`.
    """
    if settings.redis.url is None and settings.data is not None:
        return await Chronicler(lookup=from_folder(settings)).tell(asked)

    async def letters() -> "Sequence[Entry]":
        from reactor.wiring.dead import open_dead

        async with asyncio.timeout(_PATIENCE.total_seconds()), open_dead(settings) as dead:
            return await dead.desk.listed(Selection(is_handled_too=True))

    async with redis_parts(settings) as redis:
        chronicler = Chronicler(
            lookup=make_lookup(settings, redis, TypeCatalog()),
            letters=letters if settings.kafka.bootstrap_servers else None,
            timers=redis.timers.all,
        )
        return await chronicler.tell(asked)
