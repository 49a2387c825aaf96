"""What goes wrong in components: told to whoever counts, and kept in Redis for people."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from reactor.breakers import BreakerRule, Breakers
from reactor.errors import InfrastructureError
from reactor.noticing import Noticing
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.settings import Settings
from reactor.troubles import KEEP, Trouble, Troubles

_EVERY_S = 2.0
_FAREWELL_S = 1.0  # a Redis that is away must not hold up the end


def make_breakers(settings: Settings, clock: Clock, noticing: Noticing) -> Breakers:
    """Those of a worker; what they open is noticed."""
    said = settings.breaker
    rule = BreakerRule(
        failures=said.failures,
        within_s=said.within_s,
        rest_s=said.rest_s,
        longest_rest_s=said.longest_rest_s,
    )
    return Breakers(clock, rule, opened=noticing.rested)


@asynccontextmanager
async def noted(noticing: Noticing, platform: Platform, troubles: Troubles) -> AsyncIterator[None]:
    """Keep every two seconds what was gathered.  A Redis that is away gets it later."""
    left: list[Trouble] = []

    async def note() -> None:
        left.extend(noticing.taken(platform))
        if left:
            await troubles.note(left, keep=KEEP)
            left.clear()

    async def go_on() -> None:
        while True:
            await asyncio.sleep(_EVERY_S)
            with suppress(InfrastructureError):
                await note()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(go_on())
        try:
            yield
        finally:
            task.cancel()
            with suppress(InfrastructureError, TimeoutError):
                async with asyncio.timeout(_FAREWELL_S):
                    await note()
