"""What came: deliveries, also those that started nothing, from the index of the journal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from starlette.requests import Request

from reactor.records import PAGE, DeliveryMark, DeliveryQuery, Records
from reactor.refusal import Refused
from reactor.web.console.areas import Change, Resource

_APART = "~"  # between time and key in `before`: neither has it


@dataclass(frozen=True, slots=True)
class Came:
    """`/deliveries` and its JSON."""

    records: Records
    changes: tuple[Change, ...] = ()

    @property
    def resources(self) -> tuple[Resource, ...]:
        """One."""
        return (Resource("/deliveries", "/api/deliveries", "deliveries.html", self._read),)

    async def _read(self, request: Request) -> Mapping[str, Any]:
        words = request.query_params
        search = {name: words.get(name, "").strip() for name in ("event", "subject")}
        query = DeliveryQuery(event=search["event"], subject=search["subject"], limit=PAGE)
        if before := words.get("before", ""):
            query = replace(query, before=_place(before))
        found = await self.records.deliveries(query)
        return {
            "deliveries": [await self._told(mark) for mark in found.deliveries],
            "next": f"{found.next[0].isoformat()}{_APART}{found.next[1]}" if found.next else None,
            "search": search,
        }

    async def _told(self, mark: DeliveryMark) -> dict[str, Any]:
        host, _, name = mark.key.rpartition("/")
        started: Sequence[str] = await self.records.of_delivery(mark.key)
        return {
            "delivery": name,
            "host": host,
            "event": mark.event,
            "subject": mark.subject_name,
            "received_at": mark.received_at.isoformat(),
            "source": mark.source,
            "attempt": mark.attempt,
            "processes": list(started),
        }


def _place(before: str) -> tuple[datetime, str]:
    at, apart, key = before.partition(_APART)
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or not apart:
        fix = "leave it out, or give the `next` of another page"
        raise Refused(
            400, "query", "the query's 'before' can't be understood", where="query: before", fix=fix
        )
    return moment, key
