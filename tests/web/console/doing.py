"""Something to be done on a console, which counts how often it was, and by whom."""

from dataclasses import dataclass, field

from starlette.requests import Request

from reactor.adapters.memory_sessions import MemorySessions
from reactor.web.access import Access
from reactor.web.console.areas import Change, Done, Resource
from reactor.web.console.attempts import Attempts
from reactor.web.console.entrance import Entrance
from reactor.web.console.origins import Seal
from reactor.web.console.viewer import viewer_of
from tests.web.console.site import Site

TOKEN, READ_TOKEN = "a long random word", "another one to look"
SEAL = Seal(b"of the tests")


@dataclass
class Bell:
    """An area with one change."""

    rung: list[str] = field(default_factory=list)

    @property
    def resources(self) -> tuple[Resource, ...]:
        return ()

    @property
    def changes(self) -> tuple[Change, ...]:
        return (Change("/bell", "/api/bell", self._ring),)

    async def _ring(self, request: Request) -> Done:
        self.rung.append(viewer_of(request).name)
        return Done({"rung": len(self.rung)}, "/components")


def open_site(bell: Bell, **entrance: object) -> Site:
    """On loopback, where nobody needs a token."""
    way: dict[str, object] = {"access": Access(loopback=True), "here": "ann", "seal": SEAL}
    made = Entrance(**{**way, **entrance})  # type: ignore[arg-type]
    return Site().with_parts(areas=(bell,), entrance=made)


def guarded_site(bell: Bell, **entrance: object) -> Site:
    """Beyond loopback, with two tokens and a login page."""
    site = Site()
    way: dict[str, object] = {
        "access": Access(loopback=False, token=TOKEN),
        "read_token": READ_TOKEN,
        "sessions": MemorySessions(site.clock),
        "attempts": Attempts(site.clock),
        "seal": SEAL,
    }
    made = Entrance(**{**way, **entrance})  # type: ignore[arg-type]
    return site.with_parts(areas=(bell,), entrance=made)
