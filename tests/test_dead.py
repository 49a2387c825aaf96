"""Dead letters: which are meant, each once, and what is remembered of what was done."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.adapters.memory_dead import MemoryHandlings
from reactor.dead import (
    DeadDesk,
    Entry,
    Lying,
    NotDrivable,
    Selection,
    UnknownLetter,
    letter_id,
    missing,
)
from reactor.errors import InfrastructureError
from reactor.topic import DeadLetter, Position

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
HEADERS = {
    "schema": "1",
    "host": "github.com",
    "delivery": "d-1",
    "event": "issues",
    "action": "opened",
    "subject": "octo/hello#7",
    "source": "webhook",
}
FAILED = DeadLetter(
    reason="failed",
    detail="ended FAILED",
    key=b"github.com/1#7",
    body=b"{}",
    headers=HEADERS,
    origin=Position("reactor.deliveries", 2, 17),
)
NO_TEXT = DeadLetter(
    reason="poison", detail="no text", key=None, body=b"", headers={"delivery": "\udcff\udcfe"}
)
NOT_JSON = DeadLetter(
    reason="poison",
    detail="the header schema is missing",
    key=b"k",
    body=b"not json",
    origin=Position("reactor.deliveries", 0, 3),
)
WOKEN = DeadLetter(
    reason="failed",
    detail="ended FAILED",
    key=b"p1",
    body=b'{"kind": "wake"}',
    headers={
        "host": "reactor",
        "delivery": "wake-5-p1",
        "event": "signal",
        "action": "wake",
        "subject": "p1",
        "source": "signal",
    },
    about={
        "delivery": "github.com/d-2",
        "event": "push",
        "subject": "octo/other",
        "process": "p1",
        "attempt": "2",
    },
)


@dataclass
class Shelf:
    """Letters as they lie on a topic."""

    lying: list[Lying]
    driven: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    is_down: bool = False

    async def read(self) -> AsyncIterator[Lying]:
        for each in self.lying:
            yield each

    async def drive(self, entry: Entry) -> None:
        if self.is_down:
            raise InfrastructureError("kafka", "away")
        if entry.letter.reason == "unreadable":
            raise NotDrivable(entry.id, "it is no letter")
        self.driven.append(entry.letter.body.decode())

    async def forget(self, entry: Entry) -> None:
        self.forgotten.append(entry.id)


def desk(*letters: DeadLetter) -> tuple[DeadDesk, Shelf]:
    """One letter was written each hour."""
    shelf = Shelf([Lying(letter=each, at=NOW + n * HOUR) for n, each in enumerate(letters)])
    return DeadDesk(letters=shelf, handlings=MemoryHandlings()), shelf


async def ids(dead: DeadDesk, **selected: object) -> list[str]:
    selection = Selection(**selected)  # type: ignore[arg-type]
    return [entry.id for entry in await dead.listed(selection)]


async def test_the_newest_letter_comes_first() -> None:
    dead, _ = desk(FAILED, NOT_JSON, WOKEN)

    assert await ids(dead) == [letter_id(each) for each in (WOKEN, NOT_JSON, FAILED)]


async def test_a_letter_that_was_written_twice_is_one_letter() -> None:
    moved = replace(FAILED, origin=Position("reactor.deliveries", 2, 0), attempts=3)
    dead, shelf = desk(FAILED, NOT_JSON, moved)

    assert len(await dead.listed(Selection())) == 2
    async for entry in dead.chosen(Selection()):
        await dead.retry(entry, by="ann", at=NOW)
    assert shelf.driven == ["{}", "not json"]


async def test_what_differs_in_reason_body_or_attempt_is_another_letter() -> None:
    others = (
        FAILED,
        replace(FAILED, reason="poison"),
        replace(FAILED, body=b"{ }"),
        replace(FAILED, headers={**HEADERS, "attempt": "2"}),
        replace(FAILED, headers={**HEADERS, "delivery": "d-2"}),
        replace(FAILED, headers={**HEADERS, "host": "ghe.example"}),
        NOT_JSON,
        replace(NOT_JSON, origin=Position("reactor.deliveries", 0, 4)),
    )

    assert len({letter_id(each) for each in others}) == len(others)


@pytest.mark.parametrize(
    ("selected", "found"),
    [
        ({"reason": "poison"}, [NOT_JSON]),
        ({"repo": "octo/hello"}, [FAILED]),
        ({"repo": "octo/other"}, [WOKEN]),
        ({"event": "issues"}, [FAILED]),
        ({"event": "issues.opened"}, [FAILED]),
        ({"event": "issues.closed"}, []),
        ({"event": "push"}, [WOKEN]),
        ({"delivery": "d-1"}, [FAILED]),
        ({"delivery": "github.com/d-2"}, [WOKEN]),
        ({"since": NOW + HOUR}, [WOKEN, NOT_JSON]),
        ({"until": NOW + HOUR}, [FAILED]),
        ({"ids": (letter_id(FAILED)[:6],)}, [FAILED]),
        ({"reason": "failed", "event": "push"}, [WOKEN]),
    ],
)
async def test_letters_are_found_by_what_they_are_about(
    selected: dict[str, object], found: list[DeadLetter]
) -> None:
    dead, _ = desk(FAILED, NOT_JSON, WOKEN)

    assert await ids(dead, **selected) == [letter_id(each) for each in found]


async def test_what_was_handled_is_out_of_the_list_unless_it_is_asked_for() -> None:
    dead, shelf = desk(FAILED, NOT_JSON)
    newest, oldest = await dead.listed(Selection())

    await dead.drop(newest, by="ann", at=NOW)
    await dead.retry(oldest, by="bob", at=NOW)

    assert await dead.listed(Selection()) == []
    told = await dead.listed(Selection(is_handled_too=True))
    assert [each.handling and (each.handling.what, each.handling.by) for each in told] == [
        ("dropped", "ann"),
        ("retried", "bob"),
    ]
    assert shelf.forgotten == [newest.id, oldest.id]


async def test_what_could_not_be_driven_again_still_waits() -> None:
    unreadable = replace(NOT_JSON, reason="unreadable")
    dead, shelf = desk(FAILED, unreadable)
    odd, failed = await dead.listed(Selection())
    shelf.is_down = True

    with pytest.raises(InfrastructureError):
        await dead.retry(failed, by="ann", at=NOW)
    shelf.is_down = False
    with pytest.raises(NotDrivable):
        await dead.retry(odd, by="ann", at=NOW)

    assert await ids(dead) == [odd.id, failed.id]
    assert shelf.forgotten == []


async def test_a_letter_is_called_by_the_beginning_of_its_id() -> None:
    dead, _ = desk(FAILED, NOT_JSON)
    wanted = letter_id(FAILED)

    assert (await dead.one(wanted[:8])).letter == FAILED
    with pytest.raises(UnknownLetter, match="beginning of several"):
        await dead.one("")
    with pytest.raises(UnknownLetter, match="--all"):
        await dead.one("f" * 12)


async def test_ids_that_nothing_has_are_told() -> None:
    dead, _ = desk(FAILED)

    assert missing(["beef", letter_id(FAILED)[:4]], await dead.listed(Selection())) == ["beef"]


def test_what_a_signal_has_made_fail_is_told_by_its_process_and_by_its_delivery() -> None:
    entry = Entry(id=letter_id(WOKEN), letter=WOKEN, at=NOW)

    assert (entry.delivery, entry.event, entry.subject) == ("github.com/d-2", "push", "octo/other")
    assert (entry.failed_process, entry.attempt) == ("p1", 2)
    assert "reactor explain d-2" in entry.advice


def test_an_id_that_is_no_text_is_no_id() -> None:
    assert Entry(id=letter_id(NO_TEXT), letter=NO_TEXT, at=NOW).delivery == ""


def test_a_conflict_is_told_by_the_headers_of_its_request() -> None:
    conflict = DeadLetter(
        reason="conflict",
        detail="came before",
        key=b"github.com/1#7",
        body=b"{}",
        headers={"x-github-delivery": "d-9", "x-github-event": "issues"},
    )

    entry = Entry(id=letter_id(conflict), letter=conflict, at=NOW)

    assert (entry.delivery, entry.event, entry.subject) == (
        "github.com/d-9",
        "issues",
        "github.com/1#7",
    )
    assert entry.is_conflict


@given(
    reason=st.text(max_size=9),
    key=st.none() | st.binary(),
    headers=st.dictionaries(st.text(max_size=9), st.text(max_size=9)),
    about=st.dictionaries(st.sampled_from(["delivery", "event", "subject", "attempt"]), st.text()),
)
def test_whatever_lies_there_can_be_told(
    reason: str, key: bytes | None, headers: dict[str, str], about: dict[str, str]
) -> None:
    odd = DeadLetter(reason=reason, detail="", key=key, body=b"", headers=headers, about=about)

    entry = Entry(id=letter_id(odd), letter=odd, at=NOW)

    assert Selection().fits(entry)
    assert all(isinstance(each, str) for each in (entry.delivery, entry.event, entry.subject))
    assert entry.attempt >= 0
    assert entry.id in entry.advice
