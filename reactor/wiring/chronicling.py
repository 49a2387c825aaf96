"""All that happened to a subject, put together: Redis, the journal's index, dead letters, timers."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from reactor.catalog import TypeCatalog
from reactor.chronicle import ToldSubject
from reactor.chronicler import Asked, Chronicler
from reactor.dead import Selection
from reactor.lookup import Lookup
from reactor.settings import Settings
from reactor.wiring.looking_up import from_folder, make_lookup
from reactor.wiring.redis import RedisParts, redis_parts

if TYPE_CHECKING:
    from reactor.dead import Entry

_PATIENCE = timedelta(seconds=10)  # with the topic of dead letters


async def chronicle(settings: Settings, asked: Asked) -> ToldSubject:
    """All that is known; of the data folder alone where no Redis is named.

    Raises `UnknownSubject` and `NoServer`.
    """
    if settings.redis.url is None and settings.data is not None:
        return await Chronicler(lookup=from_folder(settings)).tell(asked)

    async with redis_parts(settings) as redis:
        lookup = make_lookup(settings, redis, TypeCatalog())
        return await make_chronicler(settings, redis, lookup).tell(asked)


def make_chronicler(settings: Settings, redis: RedisParts, lookup: Lookup) -> Chronicler:
    """Asks the dead letters as well, where a broker is named, and the timers."""

    async def letters() -> "Sequence[Entry]":
        from reactor.wiring.dead import open_dead

        async with asyncio.timeout(_PATIENCE.total_seconds()), open_dead(settings) as dead:
            return await dead.desk.listed(Selection(is_handled_too=True))

    return Chronicler(
        lookup=lookup,
        letters=letters if settings.kafka.bootstrap_servers else None,
        timers=redis.timers.all,
    )
