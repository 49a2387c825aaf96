"""Searching the journal: decision records of all processes, also of those that Redis has let go."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from reactor.journal_search import BadQuery, query_of, told_found
from reactor.ports import Clock
from reactor.records import Records
from reactor.refusal import Refused
from reactor.web.console.areas import Change, Resource


class JournalArea:
    """The page, and `/api/journal`; there each record is told in full with `?data=1`."""

    def __init__(self, records: Records, clock: Clock) -> None:
        self._records, self._clock = records, clock

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The search."""
        return (Resource("/journal", "/api/journal", "journal.html", self._search, is_live=False),)

    @property
    def changes(self) -> tuple[Change, ...]:
        """None: what was decided stays."""
        return ()

    async def _search(self, request: Request) -> Mapping[str, Any]:
        words = request.query_params
        try:
            query = query_of(words, now=self._clock.now())
        except BadQuery as error:
            raise Refused(
                400,
                "query",
                f"the query's {error.name!r} can't be understood",
                where=f"query: {error.name}",
                fix=f"leave it out, or give {error.expected}",
            ) from None
        found = await self._records.find(query)
        return told_found(found, words, with_data=words.get("data") == "1")
