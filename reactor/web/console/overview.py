"""The overview: rates and outcomes lately, how far behind, what waits for somebody."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from starlette.requests import Request

from reactor.errors import InfrastructureError
from reactor.overview import Overview, Sample, told_overview, told_sample
from reactor.ports import Boards, Clock, Place
from reactor.rates import WINDOWS, ToldRates, Window, told_rates
from reactor.refusal import Refused
from reactor.status import ProcessHead
from reactor.web.console.areas import Change, Resource

KEEP_S = 4.0  # what was looked up serves everybody for so long
MOST = 5_000  # processes that are counted
_BATCH = 1_000


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

    def __init__(self, boards: Boards, clock: Clock, installation: Installation | None) -> None:
        """`installation`: None where nobody looks at servers."""
        self._boards, self._clock, self._installation = boards, clock, installation
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
            heads, is_whole = await self._heads(window.since(now))
        except InfrastructureError:
            return None
        told = told_rates(heads, window, now, is_whole=is_whole)
        self._rates[window.name] = now_s, told
        return told

    async def _heads(self, since: datetime) -> tuple[list[ProcessHead], bool]:
        """Those that changed since then, and whether these are all."""
        heads, place = list[ProcessHead](), None
        while len(heads) < MOST:
            found = await self._boards.recent(limit=_BATCH, before=place)
            heads += [each.head for each in found if each.place.at >= since]
            place = found[-1].place if found else Place(since, "")
            if len(found) < _BATCH or place.at < since:
                return heads, True
        return heads, False

    async def _told_installation(self) -> dict[str, object] | None:
        if self._installation is None:
            return None
        now_s = self._clock.monotonic_s()
        if self._seen is None or now_s - self._seen[0] >= KEEP_S:
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
