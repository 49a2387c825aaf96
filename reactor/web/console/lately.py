"""Processes that changed lately, kept in memory: a look costs what is new, not what is there."""

import asyncio
from datetime import datetime, timedelta

from reactor.ports import Boards, Place, Recent
from reactor.status import ProcessHead

MOST = 5_000  # heads that are kept, the newest: some megabytes
_NEW = 100  # are read at once to see what is new
_OLD = 250  # are read at once, further back: more would hold up who else is served
_OVERLAP = timedelta(seconds=10)  # what is written a little late, by clocks that differ a little


class Lately:
    """The newest heads of a store, as one stretch of time without a gap."""

    def __init__(self, boards: Boards, *, most: int = MOST) -> None:
        self._boards, self._most = boards, most
        self._lock = asyncio.Lock()
        self._kept: dict[str, Recent] = {}
        self._back_to: Place | None = None  # how far back it is complete
        self._is_all = False  # nothing is further back

    async def since(self, moment: datetime) -> tuple[list[ProcessHead], bool]:
        """Those that changed since then, and whether these are all.

        Raises `InfrastructureError`.
        """
        async with self._lock:
            await self._read_new()
            await self._read_old(moment)
            self._forget()
        heads = [each.head for each in self._kept.values() if each.place.at >= moment]
        is_whole = self._is_all or self._back_to is None or self._back_to.at < moment
        return heads, is_whole

    async def _read_new(self) -> None:
        known_from = max((each.place.at for each in self._kept.values()), default=None)
        place: Place | None = None
        seen = 0
        while True:
            found = await self._boards.recent(limit=_NEW, before=place)
            if not found and place is None:  # a store that is empty, or has become so
                self._kept.clear()
            self._keep(found)
            seen += len(found)
            is_end = len(found) < _NEW
            if is_end or known_from is None or seen >= self._most:
                break
            place = found[-1].place
            if place.at < known_from - _OVERLAP:
                return
        if known_from is None or is_end:
            self._is_all, self._back_to = is_end, found[-1].place if found else None
            return
        # so much is new that nothing joins it to what was known
        oldest = found[-1].place
        self._kept = {name: each for name, each in self._kept.items() if each.place >= oldest}
        self._is_all, self._back_to = False, oldest

    async def _read_old(self, moment: datetime) -> None:
        while (
            not self._is_all
            and self._back_to is not None
            and self._back_to.at >= moment
            and len(self._kept) < self._most
        ):
            found = await self._boards.recent(limit=_OLD, before=self._back_to)
            self._keep(found)
            self._is_all = len(found) < _OLD
            self._back_to = found[-1].place if found else self._back_to

    def _keep(self, found: list[Recent]) -> None:
        for each in found:
            known = self._kept.get(each.head.id)
            if known is None or known.place < each.place:
                self._kept[each.head.id] = each

    def _forget(self) -> None:
        if len(self._kept) <= self._most:
            return
        newest = sorted(self._kept.values(), key=lambda each: each.place, reverse=True)
        self._kept = {each.head.id: each for each in newest[: self._most]}
        self._back_to, self._is_all = newest[self._most - 1].place, False
