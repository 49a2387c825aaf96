"""Components that have something open for as long as their worker runs: begun, and ended.

Such a component is an async context manager.  Until it has started its actions are left out, and
what waits for them is not lost (`reactor.breakers`); a start that fails is tried again.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import structlog

from reactor.breakers import Breakers
from reactor.failure import in_one_line
from reactor.installed import Component
from reactor.noticing import Noticing
from reactor.platform import Platform

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Starting:
    """How long a component may take, in seconds, and who is told."""

    breakers: Breakers
    noticing: Noticing
    start_s: float = 10.0
    end_s: float = 5.0
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


@asynccontextmanager
async def started(platform: Platform, starting: Starting) -> AsyncIterator[None]:
    """Each has started, or was tried once, when the context begins; all have ended after it."""
    kept = [each for each in platform.components if _opens(each)]
    tried = {component.name: asyncio.Event() for component in kept}
    for component in kept:
        starting.breakers.hold(component.name, f"component {component.name} has not started yet")
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_keep(component, starting, tried[component.name]))
            for component in kept
        ]
        for event in tried.values():
            await event.wait()
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


def _opens(component: Component) -> bool:
    return isinstance(component.instance, AbstractAsyncContextManager)


async def _keep(component: Component, starting: Starting, tried: asyncio.Event) -> None:
    """Start it, as often as it takes, and end it when this is cancelled."""
    name, log = component.name, structlog.get_logger("reactor.worker")
    pause_s = _FIRST_PAUSE_S
    while not await _begin(component, starting):
        tried.set()
        await starting.pause(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
    starting.breakers.let_go(name)
    tried.set()
    try:
        await asyncio.Event().wait()
    finally:
        try:
            async with asyncio.timeout(starting.end_s):
                await component.instance.__aexit__(None, None, None)  # type: ignore[attr-defined]
        except Exception as error:  # noqa: BLE001 - a component may raise anything
            log.error("component_not_ended", component=name, error=in_one_line(error))  # noqa: TRY400


async def _begin(component: Component, starting: Starting) -> bool:
    name = component.name
    try:
        async with asyncio.timeout(starting.start_s):
            await component.instance.__aenter__()  # type: ignore[attr-defined]
    except Exception as error:  # noqa: BLE001 - a component may raise anything
        told = in_one_line(error) if str(error) else f"it took longer than {starting.start_s:g} s"
        why = f"component {name} could not be started: {told}"
        starting.breakers.hold(name, why)
        starting.noticing.failed_to_start(name, told)
        structlog.get_logger("reactor.worker").error(
            "component_not_started", component=name, error=told
        )
        return False
    return True
