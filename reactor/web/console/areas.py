"""What the console is made of: areas of pages to look at, and of things that people may do.

To add a page: a `Resource` and its template, which sees its document as `told` and who looks as
`viewer`.  To add something to do: a `Change`, and in the template

    <form method="post" action="/forms/{{ id }}">{{ csrf(viewer) }} ... <button>Answer</button></form>

(`csrf` is in `parts.html`).  What belongs together is an `Area`; `wiring.console` makes them.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.requests import Request

from reactor.errors import ReactorError


@dataclass(frozen=True, slots=True)
class Resource:
    """A document, and where it is to be found."""

    page: str  # path of the page
    api: str  # path of the JSON; "": a page only
    template: str
    read: Callable[[Request], Awaitable[Mapping[str, Any]]]
    is_live: bool = True  # False: too dear to read each second, or people type in it


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a change."""

    told: Mapping[str, Any]  # for programs, as JSON
    then: str  # the path of the page that people see next


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is done by POST: from a form on a page, or by a program.

    `do` raises `Refused` where it can't be done at all, `Unfit` where the form is to be mended.
    """

    page: str  # path that a form posts to
    api: str  # path that a program posts to; "": people only
    do: Callable[[Request], Awaitable[Done]]


class Unfit(ReactorError):
    """A form is to be shown again, with what is wrong (422)."""

    def __init__(self, template: str, told: Mapping[str, Any], faults: Mapping[str, str]) -> None:
        super().__init__(template, told, faults)
        self.template, self.told, self.faults = template, told, faults

    def __str__(self) -> str:
        return "; ".join(f"{field}: {fault}" for field, fault in self.faults.items())


class Area(Protocol):
    """Pages and changes that belong together."""

    @property
    def resources(self) -> tuple[Resource, ...]:
        """To look at."""
        ...

    @property
    def changes(self) -> tuple[Change, ...]:
        """To do."""
        ...
