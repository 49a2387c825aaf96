"""Search recent processes: what the query of `/` asks for, and the page that answers it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypedDict

from reactor.explain import ToldHead, told_head
from reactor.ports import Boards, Place
from reactor.refusal import Refused
from reactor.status import ProcessHead, Status

PAGE = 50  # processes
_BATCH = 500  # heads that are looked at in one go where not all fit
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FoundProcesses(TypedDict):
    """One page of the answer."""

    processes: list[ToldHead]  # those that changed last come first
    next: str | None  # `before` of the next page; None: there are no more
    search: dict[str, str]  # what was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is asked for; an empty word fits everything."""

    status: str = ""
    event: str = ""  # "issues.opened", or "issues" for all its actions
    reaction: str = ""
    subject: str = ""  # a part of its name, in any case
    before: Place | None = None

    @property
    def words(self) -> dict[str, str]:
        """The words of the query, but for the page."""
        return {
            "status": self.status,
            "event": self.event,
            "reaction": self.reaction,
            "subject": self.subject,
        }

    def fits(self, head: ProcessHead) -> bool:
        """Whether the process is asked for."""
        return (
            self.status in ("", head.status)
            and self.event in ("", head.event, head.event.partition(".")[0])
            and self.reaction in ("", head.reaction)
            and self.subject.casefold() in head.subject_name.casefold()
        )


def search_of(query: Mapping[str, str]) -> Search:
    """Read a query.  Raises `Refused` (400) where it makes no sense."""
    words = {name: query.get(name, "").strip() for name in ("event", "reaction", "subject")}
    status, before = query.get("status", "").strip().upper(), query.get("before", "")
    if status and status not in Status.__members__:
        raise _refused("status", f"one of {', '.join(Status.__members__)}")
    return Search(status=status, **words, before=_place(before) if before else None)


async def find(boards: Boards, search: Search) -> FoundProcesses:
    """Look from the newest on, until a page is full or the index ends."""
    wanted, place = list[ToldHead](), search.before
    batch = _BATCH if any(search.words.values()) else PAGE + 1
    last: Place | None = None
    while True:
        recent = await boards.recent(limit=batch, before=place)
        for found in (each for each in recent if search.fits(each.head)):
            if len(wanted) == PAGE and last:
                return FoundProcesses(processes=wanted, next=_name(last), search=search.words)
            wanted.append(told_head(found.head))
            last = found.place
        if len(recent) < batch:
            return FoundProcesses(processes=wanted, next=None, search=search.words)
        place = recent[-1].place


def _name(place: Place) -> str:
    return f"{(place.at - _EPOCH) // timedelta(microseconds=1)}.{place.process_id}"


def _place(name: str) -> Place:
    microseconds, _, process_id = name.partition(".")
    try:
        return Place(_EPOCH + timedelta(microseconds=int(microseconds)), process_id)
    except (ValueError, OverflowError):
        raise _refused("before", "the `next` of another page") from None


def _refused(name: str, expected: str) -> Refused:
    return Refused(
        400,
        "query",
        f"the query's {name!r} can't be understood",
        where=f"query: {name}",
        fix=f"leave it out, or give {expected}",
    )
