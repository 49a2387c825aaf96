"""Every adapter of `Pace`: requests of all workers go no faster than GitHub takes them."""

import asyncio
from dataclasses import replace
from itertools import count

import pytest

from reactor.pace import Ask, Kind, Told, Turn
from tests.contract.conftest import operator, redis
from tests.contract.paces import ACCOUNT, HOST, MemoryTrack, RedisTrack, Track

_IDS = map(str, count())
HOUR = Told(limit=5000, remaining=1000, reset=1_800_000_000, reset_in_s=1800.0)
BURST = 9  # writes that go at once, where nobody asked for them; one more is kept for people
A_WRITE_S = 100.0


@pytest.fixture
def track(adapter: str, request: pytest.FixtureRequest) -> Track:
    if adapter == "memory":
        return MemoryTrack.new()
    track = RedisTrack.new(*redis(request))
    track.client = operator(request)
    return track


def ask(kind: Kind = "write", *, priority: int = 0, account: str = ACCOUNT) -> Ask:
    return Ask(id=next(_IDS), host=HOST, account=account, kind=kind, priority=priority)


async def turns(track: Track, number: int, kind: Kind = "write", priority: int = 0) -> list[Turn]:
    return [await track.pace.turn(ask(kind, priority=priority)) for _ in range(number)]


def about(seconds: float) -> object:
    return pytest.approx(seconds, abs=20.0)  # a busy machine


async def test_a_few_writes_go_at_once_then_one_waits_then_they_are_sent_back(track: Track) -> None:
    first = await turns(track, BURST)
    waits, sent_back = await turns(track, 2)

    assert [turn.wait_s for turn in first] == [0.0] * BURST
    assert (waits.goes, waits.why, waits.wait_s) == (True, "too_fast", about(A_WRITE_S))
    assert (sent_back.goes, sent_back.why) == (False, "too_fast")
    assert sent_back.wait_s == about(2 * A_WRITE_S)


async def test_those_who_are_sent_back_come_again_one_after_the_other(track: Track) -> None:
    await turns(track, BURST + 1)

    several = await turns(track, 3)

    assert [turn.goes for turn in several] == [False] * 3
    assert several[1].wait_s > several[0].wait_s + 50
    assert several[2].wait_s >= several[1].wait_s - 20  # by no more than a minute


async def test_a_wait_that_is_kept_is_nobody_elses(track: Track) -> None:
    await turns(track, BURST + 1)

    await track.let_pass(A_WRITE_S)

    assert (await track.pace.turn(ask())).wait_s == about(A_WRITE_S)


async def test_a_person_does_not_wait_for_what_nobody_asked_for(track: Track) -> None:
    await turns(track, BURST + 3)

    # the one that waits has taken theirs in advance, and gives it back in time
    await track.let_pass(A_WRITE_S)
    (asked_for,) = await turns(track, 1, priority=1)

    assert (asked_for.goes, asked_for.wait_s) == (True, 0.0)


async def test_a_change_that_has_begun_waits_longer_than_it_would_to_begin(track: Track) -> None:
    await turns(track, BURST + 1)

    goes_on = [await track.pace.turn(replace(ask(), has_begun=True)) for _ in range(5)]

    assert [turn.goes for turn in goes_on] == [True, True, True, True, False]
    assert [turn.wait_s for turn in goes_on[:4]] == [about(n * A_WRITE_S) for n in (2, 3, 4, 5)]


async def test_reads_do_not_wait_for_writes(track: Track) -> None:
    await turns(track, BURST + 3)

    (read,) = await turns(track, 1, "read")

    assert (read.goes, read.wait_s) == (True, 0.0)


async def test_what_makes_content_has_limits_of_its_own(track: Track) -> None:
    made = await turns(track, 4, "content")
    (write,) = await turns(track, 1)

    assert [turn.wait_s > 0 for turn in made] == [False, False, False, True]
    assert write.wait_s == 0.0


async def test_accounts_have_a_budget_each(track: Track) -> None:
    await turns(track, BURST + 3)

    other = await track.pace.turn(ask(account="installation 8"))

    assert (other.goes, other.wait_s) == (True, 0.0)


async def test_only_so_many_are_under_way_and_who_has_ended_makes_room(track: Track) -> None:
    under_way = [ask("read") for _ in range(27)]
    for each in under_way:
        await track.pace.turn(each)

    (one_too_many,) = await turns(track, 1, "read")
    await track.pace.told(under_way[0], None)
    (next_one,) = await turns(track, 1, "read")

    assert (one_too_many.goes, one_too_many.why) == (False, "too_many_at_once")
    assert next_one.goes


async def test_one_whose_end_nobody_told_makes_room_in_the_end(track: Track) -> None:
    await turns(track, 27, "read")

    await track.let_pass(200)

    (later,) = await turns(track, 1, "read")
    assert later.goes


async def test_a_request_that_asks_again_is_answered_as_before(track: Track) -> None:
    await turns(track, BURST)
    again = ask()

    first, second = [await track.pace.turn(again) for _ in range(2)]
    (behind,) = await turns(track, 1)

    assert first.wait_s == about(second.wait_s)
    assert behind.wait_s == about(2 * A_WRITE_S)


async def test_when_the_hour_is_used_up_nobody_goes_until_it_ends(track: Track) -> None:
    await track.pace.told(ask(), Told(limit=5000, remaining=0, reset=1_800_000_000, reset_in_s=900))

    waiting = await track.pace.turn(ask("read", priority=1))
    await track.let_pass(902)
    later = await track.pace.turn(ask("read"))

    assert (waiting.goes, waiting.why, waiting.wait_s) == (False, "used_up", about(901))
    assert later.goes


async def test_the_last_tenth_of_the_hour_is_kept_for_people(track: Track) -> None:
    left = Told(limit=5000, remaining=500, reset=1_800_000_000, reset_in_s=900)
    await track.pace.told(ask(), left)

    by_event = await track.pace.turn(ask())
    by_person = await track.pace.turn(ask(priority=1))

    assert (by_event.goes, by_event.why) == (False, "used_up")
    assert by_person.goes


async def test_those_under_way_count_before_their_answers_tell(track: Track) -> None:
    left = Told(limit=20, remaining=4, reset=1_800_000_000, reset_in_s=900)  # 2 are kept
    await track.pace.told(ask(), left)

    went = await turns(track, 4, "read")
    await track.pace.told(ask(), left)  # of an answer that was written before
    (after,) = await turns(track, 1, "read")

    assert [turn.goes for turn in went] == [True, True, False, False]
    assert not after.goes


async def test_a_new_hour_gives_everything_again_and_late_answers_of_the_old_one_nothing(
    track: Track,
) -> None:
    used_up = Told(limit=5000, remaining=0, reset=1_800_000_000, reset_in_s=900)
    await track.pace.told(ask(), used_up)

    await track.pace.told(
        ask(), Told(limit=5000, remaining=4999, reset=1_800_003_600, reset_in_s=3600)
    )
    await track.pace.told(ask(), used_up)

    assert (await track.pace.turn(ask("read"))).goes


async def test_a_secondary_limit_stops_everybody_for_as_long_as_it_says(track: Track) -> None:
    stopped_for_s = await track.pace.told(ask(), Told(stop_s=300))

    stopped = [await track.pace.turn(ask("read", priority=priority)) for priority in (0, 1)]
    await track.let_pass(301)
    (later,) = await turns(track, 1)

    assert stopped_for_s == 300
    assert [(turn.goes, turn.why) for turn in stopped] == [(False, "stopped")] * 2
    assert stopped[0].wait_s == about(300)
    assert later.goes


async def test_a_stop_that_is_told_by_several_is_one_and_doubles_when_it_comes_again(
    track: Track,
) -> None:
    first = [await track.pace.told(ask(), Told(stop_s=300)) for _ in range(3)]
    await track.let_pass(310)
    second = await track.pace.told(ask(), Told(stop_s=300))
    await track.let_pass(610)
    third = await track.pace.told(ask(), Told(stop_s=300))
    await track.let_pass(1210 + 700)
    much_later = await track.pace.told(ask(), Told(stop_s=300))

    assert first == [300, 0, 0]
    assert (second, third, much_later) == (600, 1200, 300)


async def test_a_clock_that_goes_back_makes_nobody_wait_longer(track: Track) -> None:
    await turns(track, BURST + 1)
    await track.pace.told(ask(), HOUR)

    await track.set_clock_back(100_000)
    (sent_back,) = await turns(track, 1)
    await track.let_pass(A_WRITE_S * 1.5)
    (later,) = await turns(track, 1)

    assert sent_back.wait_s == about(2 * A_WRITE_S)
    assert later.goes


async def test_a_clock_that_goes_back_lengthens_no_stop(track: Track) -> None:
    await track.pace.told(ask(), Told(stop_s=300))

    await track.set_clock_back(100_000)

    assert (await track.pace.turn(ask())).wait_s == about(300)


async def test_of_many_who_ask_at_once_no_more_go_than_if_they_came_one_by_one(
    track: Track,
) -> None:
    found = await asyncio.gather(*(track.pace.turn(ask()) for _ in range(20)))

    assert sum(turn.goes and not turn.wait_s for turn in found) == BURST
    assert sum(turn.goes for turn in found) == BURST + 1
