"""Who looks at a page, as templates know it."""

from dataclasses import dataclass, field
from typing import Literal

from starlette.requests import Request

from reactor.refusal import Refused
from reactor.web.console.sent import sent_of

LONGEST_BY = 128  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """What a page may offer to whoever looks."""

    name: str = ""  # as it is recorded with what they do; "": nobody in particular
    may_change: bool = False  # whether buttons are there at all
    csrf: str = field(default="", repr=False)  # goes with each form
    can_leave: bool = False  # whether there is a session to end
    via: Literal["", "here", "bearer", "session", "proxy"] = ""  # how they came in
    key: str = field(default="", repr=False)  # tells them from others, for `csrf`


NOBODY = Viewer()


def viewer_of(request: Request) -> Viewer:
    """Who the guard has let in; nobody in particular where it has not said."""
    viewer = getattr(request.state, "viewer", NOBODY)
    return viewer if isinstance(viewer, Viewer) else NOBODY


def said_by(request: Request) -> str:
    """Who does what is asked for, as it is recorded.

    Whoever logged in, or comes through a proxy, is who they are; a program says in `by` for whom
    it acts, as the command line does.  Raises `Refused` (400): it is told in terminals later.
    """
    viewer = viewer_of(request)
    if viewer.via in ("session", "proxy"):
        return viewer.name
    by = sent_of(request).text("by", longest=LONGEST_BY)
    if not by.isprintable():
        raise Refused(400, "body", "there are characters in 'by' that nobody can see",
                      where="body", fix="say a name")  # fmt: skip
    return by or viewer.name or "console"
