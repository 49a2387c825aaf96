"""Every adapter of `Timers`: what is due comes once, and what repeats stays where it was."""

import asyncio
from datetime import timedelta

from reactor.timer import Every, Timer, Timers
from tests.contract.samples import NOW, timer

MINUTE = timedelta(minutes=1)


async def test_a_timer_is_due_from_its_moment_on_and_comes_back_as_it_was(timers: Timers) -> None:
    kept = timer(is_signal=True)
    await timers.put(kept)

    assert await timers.due(NOW - timedelta(microseconds=1)) == []
    assert await timers.due(NOW) == [kept]
    assert await timers.due(NOW + MINUTE) == [kept]


async def test_the_earliest_comes_first_up_to_the_limit(timers: Timers) -> None:
    for minutes in (3, 1, 2):
        await timers.put(timer(f"t{minutes}", due_at=NOW + minutes * MINUTE))

    due = await timers.due(NOW + 5 * MINUTE, limit=2)

    assert [found.id for found in due] == ["t1", "t2"]
    assert [found.id for found in await timers.all()] == ["t1", "t2", "t3"]


async def test_a_timer_that_was_fired_for_good_is_gone(timers: Timers) -> None:
    await timers.put(timer())

    await timers.fired(timer(), None)
    await timers.fired(timer(), None)

    assert await timers.all() == []


async def test_a_timer_that_repeats_goes_on_to_its_next_moment_once(timers: Timers) -> None:
    repeating = timer(repeats=Every(60))
    following = repeating.following(NOW)
    await timers.put(repeating)

    await timers.fired(repeating, following)
    await timers.fired(repeating, following)

    assert await timers.all() == [following]
    assert following is not None
    assert following.due_at == NOW + MINUTE


async def test_one_of_the_same_id_replaces_what_was_there(timers: Timers) -> None:
    later = timer(due_at=NOW + MINUTE, payload={})
    await timers.put(timer())

    await timers.put(later)

    assert await timers.all() == [later]


async def test_what_was_moved_meanwhile_is_not_forgotten_by_who_fired_it(timers: Timers) -> None:
    later = timer(due_at=NOW + MINUTE)
    await timers.put(timer())
    await timers.put(later)

    await timers.fired(timer(), None)

    assert await timers.all() == [later]


async def test_putting_what_repeats_again_does_not_move_it(timers: Timers) -> None:
    repeating = timer(repeats=Every(60))
    await timers.put(repeating)

    await timers.put(timer(repeats=Every(60), due_at=NOW + MINUTE))

    assert await timers.all() == [repeating]


async def test_another_schedule_moves_it(timers: Timers) -> None:
    changed = timer(repeats=Every(90), due_at=NOW + MINUTE)
    await timers.put(timer(repeats=Every(60)))

    await timers.put(changed)

    assert await timers.all() == [changed]


async def test_what_was_cancelled_never_fires_and_cancelling_again_does_no_harm(
    timers: Timers,
) -> None:
    await timers.put(timer())

    await timers.cancel(timer().id)
    await timers.cancel(timer().id)

    assert await timers.due(NOW + MINUTE) == []


async def test_one_owner_leads_until_it_resigns(timers: Timers) -> None:
    assert await timers.lead("a", lease=MINUTE)
    assert await timers.lead("a", lease=MINUTE)
    assert not await timers.lead("b", lease=MINUTE)

    await timers.resign("b")
    assert not await timers.lead("b", lease=MINUTE)

    await timers.resign("a")
    assert await timers.lead("b", lease=MINUTE)


async def test_of_many_who_want_to_lead_at_once_one_does(timers: Timers) -> None:
    won = await asyncio.gather(*(timers.lead(f"w{n}", lease=MINUTE) for n in range(20)))

    assert won.count(True) == 1


async def test_many_timers_are_kept_apart(timers: Timers) -> None:
    many: list[Timer] = [timer(f"t{n}", name=f"n{n}") for n in range(250)]
    await asyncio.gather(*(timers.put(each) for each in many))

    due = await timers.due(NOW, limit=1000)

    assert sorted(due, key=lambda t: t.id) == sorted(many, key=lambda t: t.id)
