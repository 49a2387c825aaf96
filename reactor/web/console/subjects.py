"""All that ever happened to one subject, in order of time: what `reactor trace` tells."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from reactor.chronicler import Asked, Chronicler
from reactor.refusal import Refused
from reactor.web.console.areas import Change, Resource

MOST = 500  # moments on a page, the latest
LONGEST = 300  # characters of a name


@dataclass(frozen=True, slots=True)
class Subjects:
    """`/subjects?name=octo/hello%237` and its JSON."""

    chronicler: Chronicler
    changes: tuple[Change, ...] = ()

    @property
    def resources(self) -> tuple[Resource, ...]:
        """One; it looks at so much that it is not read each second."""
        page = Resource("/subjects", "/api/subjects", "subject.html", self._read, is_live=False)
        return (page,)

    async def _read(self, request: Request) -> Mapping[str, Any]:
        name = request.query_params.get("name", "").strip()
        if not 0 < len(name) <= LONGEST:
            fix = "name it as octo/hello#7, or octo/hello for all that is in it"
            raise Refused(400, "query", "no subject is named", where="query: name", fix=fix)
        return await self.chronicler.tell(Asked(word=name, limit=MOST))
