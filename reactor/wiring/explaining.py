"""Looking up, with all that is installed: as the console shows it, and for what did not run."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryFirsts
from reactor.command import usage
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError, ReactorError
from reactor.explain import ToldDelivery
from reactor.lookup import Lookup
from reactor.platform import Platform
from reactor.settings import Settings
from reactor.why_not import Offer
from reactor.wiring.commands import commands
from reactor.wiring.looking_up import looking_up, make_lookup
from reactor.wiring.platform import Installed, install, listeners, reader
from reactor.wiring.redis import RedisParts, redis_parts


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainingParts:
    """What answers, and what it rests on."""

    lookup: Lookup
    redis: RedisParts
    installed: Installed  # whose types values are read into


@asynccontextmanager
async def explaining(settings: Settings) -> AsyncIterator[ExplainingParts]:
    """Connected for as long as the context lasts.  Raises `NoServer`."""
    async with redis_parts(settings) as redis:
        installed = install(settings, firsts=redis.firsts, clock=SystemClock())
        lookup = make_lookup(settings, redis, installed.platform.catalog)
        yield ExplainingParts(lookup=lookup, redis=redis, installed=installed)


async def on_offer(settings: Settings, told: ToldDelivery) -> Offer:
    """What is installed now, and which reactions began nothing for a delivery, and why.

    Raises `NoServer` and `BadReactions`.
    """
    async with looking_up(settings) as lookup:
        came = await _came(lookup, told)
    installed = install(settings, firsts=MemoryFirsts(), clock=SystemClock())
    actions, asked = installed.platform.actions, {*installed.platform.commands}
    faults = dict[str, tuple[str, ...]]()
    for fault in installed.faults:
        faults[fault.package] = (*faults.get(fault.package, ()), str(fault))
    return Offer(
        actions={name: str(action.component.package) for name, action in actions.items()},
        commands={
            name: usage(action.trigger)
            for name, action in actions.items()
            if action.trigger is not None and action.trigger in asked
        },
        faults=faults,
        disabled=installed.disabled,
        unstarted=_unstarted(settings, installed.platform, told, came) if came else {},
    )


async def _came(lookup: Lookup, told: ToldDelivery) -> Delivery | None:
    """What came; None where nobody has it now: the rest can be told without it."""
    for host in lookup.hosts:
        key = f"{host}/{told['delivery']}"
        with suppress(InfrastructureError):
            position = await lookup.claims.position(key)
            came = await lookup.delivery_at(position) if position else None
            if came and came.key == key:
                return came
        with suppress(InfrastructureError):
            if lookup.archive and (kept := await lookup.archive.read(key)):
                return kept
    return None


def _unstarted(
    settings: Settings, platform: Platform, told: ToldDelivery, came: Delivery
) -> Mapping[str, str]:
    started = {process["reaction"] for process in told["processes"]}
    try:
        reading = reader(settings)(came)
    except ReactorError as error:
        return {each.name: f"it can't be read: {error}" for each in settings.reactions}
    return {
        listener.reaction.name: why
        for listener in (*listeners(settings, platform), *commands(settings, platform))
        if listener.reaction.name not in started and (why := listener.why_not(came, reading))
    }
