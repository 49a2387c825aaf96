"""What the console tells: each resource is one document, shown as a page and given as JSON."""

import re

from starlette.requests import Request

from reactor.explain import ToldDelivery, ToldProcess
from reactor.lookup import Lookup, UnknownDelivery, UnknownProcess
from reactor.web.console.areas import Change, Resource
from reactor.web.console.search import FoundProcesses, find, search_of

PROCESS_ID = re.compile(r"p[0-9a-f]{24}")
DELIVERY_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


class Resources:
    """Reads the documents."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    @property
    def changes(self) -> tuple[Change, ...]:
        """Nothing can be done here: these are for looking."""
        return ()

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Every one of them."""
        return (
            Resource("/processes", "/api/processes", "processes.html", self._processes),
            Resource("/processes/{id}", "/api/processes/{id}", "process.html", self._process),
            Resource("/deliveries/{id}", "/api/deliveries/{id}", "delivery.html", self._delivery),
        )

    async def _processes(self, request: Request) -> FoundProcesses:
        return await find(self._lookup.boards, search_of(request.query_params))

    async def _process(self, request: Request) -> ToldProcess:
        asked = request.path_params["id"]
        if not PROCESS_ID.fullmatch(asked):
            raise UnknownProcess(asked)
        return await self._lookup.process(asked)

    async def _delivery(self, request: Request) -> ToldDelivery:
        asked = request.path_params["id"]
        if not DELIVERY_ID.fullmatch(asked):
            raise UnknownDelivery(asked)
        return await self._lookup.delivery(asked, with_request=True)
