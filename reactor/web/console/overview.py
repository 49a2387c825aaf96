"""The overview: rates and outcomes lately, how far behind, what waits for somebody."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from starlette.requests import Request

from reactor.errors import InfrastructureError
from reactor.lookup import Lookup
from reactor.overview import Overview, Sample, told_overview, told_sample
from reactor.ports import Clock
from reactor.rates import WINDOWS, ToldRates, Window, told_rates, with_bars
from reactor.records import Bar, NoRecords
from reactor.refusal import Refused
from reactor.web.console.areas import Change, Resource
from reactor.web.console.lately import Lately

KEEP_S = 4.0  # what was counted serves everybody for so long
LOOK_EVERY_S = 8.0  # at servers: each look reads topics, that of dead letters to its end


class Installation(Protocol):
    """Looks at servers and workers."""

    async def look(self) -> Overview:
        """As they are now; a server that is away is told in it."""
        ...

    @property
    def samples(self) -> Sequence[Sample]:
        """What workers said of late, oldest first."""
        ...


class Overviews:
    """The first page, and its JSON."""

    changes: tuple[Change, ...] = ()

    def __init__(self, lookup: Lookup, clock: Clock, installation: Installation | None) -> None:
        """`installation`: None where nobody looks at servers."""
        self._lately, self._records = Lately(lookup.boards), lookup.records
        self._clock, self._installation = clock, installation
        self._rates: dict[str, tuple[float, ToldRates]] = {}  # by window, and when
        self._seen: tuple[float, dict[str, object]] | None = None

    @property
    def resources(self) -> tuple[Resource, ...]:
        """One."""
        return (Resource("/", "/api/overview", "overview.html", self._read),)

    async def _read(self, request: Request) -> Mapping[str, Any]:
        window = _window(request.query_params.get("window", "1h"))
        return {
            "rates": await self._told_rates(window),
            "windows": [each.name for each in WINDOWS],
            "installation": await self._told_installation(),
            "samples": self._told_samples(),
        }

    async def _told_rates(self, window: Window) -> ToldRates | None:
        """None while Redis is away: then the rest of the page says so."""
        now_s = self._clock.monotonic_s()
        if (kept := self._rates.get(window.name)) and now_s - kept[0] < KEEP_S:
            return kept[1]
        now = self._clock.now()
        try:
            heads, is_whole = await self._lately.since(window.since(now))
        except InfrastructureError:
            return None
        told = told_rates(heads, window, now, is_whole=is_whole)
        if not is_whole and (bars := await self._from_index(window, now)):
            told = with_bars(told, bars, window, now)
        self._rates[window.name] = now_s, told
        return told

    async def _from_index(self, window: Window, now: datetime) -> Sequence[Bar]:
        """Of the journal's index, which knows more than the store lists; nothing without one."""
        if self._records is None:
            return ()
        begin = window.since(now)
        try:
            return await self._records.bars(begin, begin + window.length, window.buckets)
        except NoRecords:
            return ()

    async def _told_installation(self) -> dict[str, object] | None:
        if self._installation is None:
            return None
        now_s = self._clock.monotonic_s()
        if self._seen is None or now_s - self._seen[0] >= LOOK_EVERY_S:
            self._seen = now_s, told_overview(await self._installation.look())
        return self._seen[1]

    def _told_samples(self) -> list[dict[str, object]]:
        return (
            [told_sample(each) for each in self._installation.samples] if self._installation else []
        )


def _window(name: str) -> Window:
    for window in WINDOWS:
        if window.name == name:
            return window
    fix = f"give one of {', '.join(each.name for each in WINDOWS)}"
    raise Refused(400, "query", "there is no such window", where="query: window", fix=fix)
