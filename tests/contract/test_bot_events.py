"""Every adapter of `BotEvents`: one subject has so many within the window, and no more."""

import asyncio

from tests.contract.rooms import BOT_EVENTS, Room

ISSUE, OTHER = "github.com/1#7", "github.com/1#8"


async def test_a_subject_has_as_many_as_the_limit_and_no_more(room: Room) -> None:
    counted = [await room.events.count(ISSUE, f"github.com/d-{n}") for n in range(BOT_EVENTS + 2)]

    assert counted == [True] * BOT_EVENTS + [False] * 2


async def test_one_that_was_counted_is_counted_still_and_once(room: Room) -> None:
    for n in range(BOT_EVENTS):
        await room.events.count(ISSUE, f"github.com/d-{n}")
    await room.events.count(ISSUE, "github.com/one-too-many")

    again = [await room.events.count(ISSUE, f"github.com/d-{n}") for n in range(BOT_EVENTS)]

    assert again == [True] * BOT_EVENTS
    assert not await room.events.count(ISSUE, "github.com/one-too-many")


async def test_one_subject_takes_no_room_from_another(room: Room) -> None:
    for n in range(BOT_EVENTS):
        await room.events.count(ISSUE, f"github.com/d-{n}")

    assert await room.events.count(OTHER, "github.com/d-x")


async def test_there_is_room_again_when_the_window_has_passed(room: Room) -> None:
    for n in range(BOT_EVENTS + 1):
        await room.events.count(ISSUE, f"github.com/d-{n}")

    await room.let_window_pass()

    assert await room.events.count(ISSUE, "github.com/later")


async def test_of_many_at_once_no_more_than_the_limit_are_let_in(room: Room) -> None:
    counted = await asyncio.gather(
        *(room.events.count(ISSUE, f"github.com/d-{n}") for n in range(20))
    )

    assert counted.count(True) == BOT_EVENTS
