"""Every adapter of `Claims`: a delivery id is taken once, and a body is known again."""

import asyncio

from reactor.ports import Claim, Claims
from reactor.topic import Position

WHERE = Position("reactor.deliveries", 3, 2**40)


async def test_an_id_is_new_once_and_then_pending(claims: Claims) -> None:
    first = await claims.claim("github.com/d-1", digest="aa")
    second = await claims.claim("github.com/d-1", digest="aa")

    assert first == Claim("new")
    assert second == Claim("pending")


async def test_an_id_that_was_produced_is_answered_with_its_position(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")
    await claims.produced("github.com/d-1", WHERE)

    again = await claims.claim("github.com/d-1", digest="aa")

    assert again == Claim("produced", WHERE)
    assert await claims.position("github.com/d-1") == WHERE


async def test_an_id_with_another_body_is_a_conflict_pending_or_produced(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")

    assert await claims.claim("github.com/d-1", digest="bb") == Claim("conflict")

    await claims.produced("github.com/d-1", WHERE)

    assert await claims.claim("github.com/d-1", digest="bb") == Claim("conflict")
    assert await claims.claim("github.com/d-1", digest="aa") == Claim("produced", WHERE)


async def test_a_body_under_another_id_is_new_and_flagged_as_replayed(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")

    other = await claims.claim("github.com/d-2", digest="aa")
    other_again = await claims.claim("github.com/d-2", digest="aa")
    original = await claims.claim("github.com/d-1", digest="aa")

    assert other == Claim("new", replayed=True)
    assert other_again == Claim("pending", replayed=True)
    assert original == Claim("pending", replayed=False)


async def test_the_body_of_a_conflict_was_never_accepted_and_so_is_no_replay_later(
    claims: Claims,
) -> None:
    await claims.claim("github.com/d-1", digest="aa")
    await claims.claim("github.com/d-1", digest="bb")

    other = await claims.claim("github.com/d-2", digest="bb")

    assert other == Claim("new", replayed=False)


async def test_a_refused_delivery_never_stays_claimed(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")

    await claims.release("github.com/d-1")

    assert await claims.claim("github.com/d-2", digest="aa") == Claim("new", replayed=False)
    assert await claims.claim("github.com/d-1", digest="bb") == Claim("new")


async def test_what_is_on_the_topic_can_not_be_released(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")
    await claims.produced("github.com/d-1", WHERE)

    await claims.release("github.com/d-1")

    assert await claims.claim("github.com/d-1", digest="aa") == Claim("produced", WHERE)


async def test_releasing_one_id_leaves_the_body_to_the_id_that_had_it_first(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")
    await claims.claim("github.com/d-2", digest="aa")

    await claims.release("github.com/d-2")

    assert await claims.claim("github.com/d-3", digest="aa") == Claim("new", replayed=True)


async def test_what_was_produced_without_a_claim_is_known_all_the_same(claims: Claims) -> None:
    await claims.produced("github.com/d-1", WHERE)

    assert await claims.position("github.com/d-1") == WHERE
    assert (await claims.claim("github.com/d-1", digest="aa")).status == "produced"


async def test_what_was_never_seen_has_no_position_and_nothing_to_release(claims: Claims) -> None:
    await claims.release("github.com/d-1")

    assert await claims.position("github.com/d-1") is None


async def test_a_pending_claim_has_no_position(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")

    assert await claims.position("github.com/d-1") is None


async def test_of_many_claims_at_once_exactly_one_is_new(claims: Claims) -> None:
    answers = await asyncio.gather(
        *(claims.claim("github.com/d-1", digest="aa") for _ in range(20))
    )

    assert [answer.status for answer in answers].count("new") == 1
    assert {answer.status for answer in answers} == {"new", "pending"}


async def test_of_one_body_under_many_ids_at_once_exactly_one_is_the_original(
    claims: Claims,
) -> None:
    answers = await asyncio.gather(
        *(claims.claim(f"github.com/d-{number}", digest="aa") for number in range(20))
    )

    assert {answer.status for answer in answers} == {"new"}
    assert [answer.replayed for answer in answers].count(False) == 1
