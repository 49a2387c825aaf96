"""Watching an installation for the console: its servers when asked, its workers all the time."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from reactor.adapters.clock import SystemClock
from reactor.errors import InfrastructureError
from reactor.heartbeat import Heartbeats
from reactor.overview import Overview, Sample, sample_of
from reactor.settings import Settings
from reactor.wiring.status import look

EVERY_S = 5.0
KEEP = timedelta(hours=1)


class Watch:
    """Fits `Installation`: samples of what workers say, and a look at everything."""

    def __init__(self, settings: Settings, heartbeats: Heartbeats) -> None:
        self._settings, self._heartbeats, self._clock = settings, heartbeats, SystemClock()
        self._samples: deque[Sample] = deque(maxlen=int(KEEP.total_seconds() / EVERY_S))

    @property
    def samples(self) -> Sequence[Sample]:
        """The last ones, oldest first."""
        return tuple(self._samples)

    async def look(self) -> Overview:
        """As `reactor status` does."""
        return await look(self._settings)

    async def run(self) -> None:
        """Take samples until cancelled; while Redis is away there are none."""
        while True:
            try:
                alive = await self._heartbeats.alive()
                self._samples.append(sample_of(alive, self._clock.now()))
            except InfrastructureError:
                pass
            await asyncio.sleep(EVERY_S)


@asynccontextmanager
async def watching(settings: Settings, heartbeats: Heartbeats) -> AsyncIterator[Watch]:
    """Samples are taken for as long as the context lasts."""
    watch = Watch(settings, heartbeats)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(watch.run())
        try:
            yield watch
        finally:
            running.cancel()
