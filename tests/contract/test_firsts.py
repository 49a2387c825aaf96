"""Every adapter of `Firsts`: new is a claim, not a look."""

import asyncio

from reactor.ports import Firsts

ISSUE = "github.com/1#7"


async def test_the_first_to_claim_is_first_and_nobody_else(firsts: Firsts) -> None:
    first = await firsts.claim_new(ISSUE, purpose="first response", process_id="p1")
    second = await firsts.claim_new(ISSUE, purpose="first response", process_id="p2")

    assert first
    assert not second


async def test_who_was_first_stays_first_when_it_asks_again_after_a_crash(firsts: Firsts) -> None:
    await firsts.claim_new(ISSUE, purpose="first response", process_id="p1")
    await firsts.claim_new(ISSUE, purpose="first response", process_id="p2")

    again = await firsts.claim_new(ISSUE, purpose="first response", process_id="p1")

    assert again


async def test_one_purpose_takes_nothing_from_another(firsts: Firsts) -> None:
    await firsts.claim_new(ISSUE, purpose="comment", process_id="p1")

    assert await firsts.claim_new(ISSUE, purpose="first response", process_id="p2")


async def test_entity_and_purpose_are_never_mixed_up(firsts: Firsts) -> None:
    await firsts.claim_new("a:b", purpose="c", process_id="p1")

    assert await firsts.claim_new("a", purpose="b:c", process_id="p2")


async def test_of_many_at_once_exactly_one_is_first(firsts: Firsts) -> None:
    ids = [f"p{number}" for number in range(20)]

    won = await asyncio.gather(
        *(firsts.claim_new(ISSUE, purpose="welcome", process_id=process_id) for process_id in ids)
    )

    assert won.count(True) == 1
