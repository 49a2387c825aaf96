"""Every adapter of `Claims`: a delivery id is taken once, and a body is known again."""

import asyncio

import pytest

from reactor.ports import Claim, Claims
from reactor.topic import Position

WHERE = Position("reactor.deliveries", 3, 2**40)


async def test_an_id_is_new_once_and_then_pending(claims: Claims) -> None:
    first = await claims.claim("github.com/d-1", digest="aa")
    second = await claims.claim("github.com/d-1", digest="aa")

    assert first == Claim("new")
    assert second == Claim("pending")
    assert first.token
    assert not second.token  # it is not theirs to give back


async def test_an_id_that_was_produced_is_answered_with_its_position(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")
    await claims.produced("github.com/d-1", WHERE, digest="aa")

    again = await claims.claim("github.com/d-1", digest="aa")

    assert again == Claim("produced", WHERE)
    assert await claims.position("github.com/d-1") == WHERE


async def test_an_id_with_another_body_is_a_conflict_pending_or_produced(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")

    assert await claims.claim("github.com/d-1", digest="bb") == Claim("conflict")

    await claims.produced("github.com/d-1", WHERE, digest="aa")

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
    claim = await claims.claim("github.com/d-1", digest="aa")

    await claims.release("github.com/d-1", claim.token)

    assert await claims.claim("github.com/d-2", digest="aa") == Claim("new", replayed=False)
    assert await claims.claim("github.com/d-1", digest="bb") == Claim("new")


async def test_whoever_held_an_id_before_can_not_release_the_claim_of_the_next(
    claims: Claims,
) -> None:
    first = await claims.claim("github.com/d-1", digest="aa")
    await claims.release("github.com/d-1", first.token)
    successor = await claims.claim("github.com/d-1", digest="aa")

    await claims.release("github.com/d-1", first.token)
    held = await claims.claim("github.com/d-1", digest="aa")
    await claims.release("github.com/d-1", successor.token)
    free = await claims.claim("github.com/d-1", digest="aa")

    assert (held.status, free.status) == ("pending", "new")


@pytest.mark.parametrize("status", ["pending", "conflict"])
async def test_who_was_not_given_an_id_can_not_release_it(claims: Claims, status: str) -> None:
    await claims.claim("github.com/d-1", digest="aa")
    other = await claims.claim("github.com/d-1", digest="aa" if status == "pending" else "bb")
    assert other.status == status

    await claims.release("github.com/d-1", other.token)

    assert (await claims.claim("github.com/d-1", digest="aa")).status == "pending"


async def test_what_is_on_the_topic_can_not_be_released(claims: Claims) -> None:
    claim = await claims.claim("github.com/d-1", digest="aa")
    await claims.produced("github.com/d-1", WHERE, digest="aa")

    await claims.release("github.com/d-1", claim.token)

    assert await claims.claim("github.com/d-1", digest="aa") == Claim("produced", WHERE)


async def test_releasing_one_id_leaves_the_body_to_the_id_that_had_it_first(claims: Claims) -> None:
    await claims.claim("github.com/d-1", digest="aa")
    second = await claims.claim("github.com/d-2", digest="aa")

    await claims.release("github.com/d-2", second.token)

    assert await claims.claim("github.com/d-3", digest="aa") == Claim("new", replayed=True)


async def test_what_was_produced_without_a_claim_is_known_all_the_same(claims: Claims) -> None:
    await claims.produced("github.com/d-1", WHERE, digest="aa")

    assert await claims.position("github.com/d-1") == WHERE
    assert await claims.claim("github.com/d-1", digest="aa") == Claim("produced", WHERE)


async def test_another_body_under_an_id_that_was_produced_without_a_claim_is_a_conflict(
    claims: Claims,
) -> None:
    await claims.produced("github.com/d-1", WHERE, digest="aa")

    assert await claims.claim("github.com/d-1", digest="bb") == Claim("conflict")


async def test_what_got_to_the_topic_counts_and_not_what_is_claimed(claims: Claims) -> None:
    claim = await claims.claim("github.com/d-1", digest="aa")
    await claims.produced("github.com/d-1", WHERE, digest="bb")  # by one who could not claim

    await claims.release("github.com/d-1", claim.token)

    assert (await claims.claim("github.com/d-1", digest="bb")).status == "produced"
    assert await claims.claim("github.com/d-1", digest="aa") == Claim("conflict")


async def test_of_two_bodies_on_the_topic_under_one_id_the_first_stays(claims: Claims) -> None:
    await claims.produced("github.com/d-1", WHERE, digest="aa")
    await claims.produced("github.com/d-1", Position("reactor.deliveries", 3, 1), digest="bb")

    assert await claims.position("github.com/d-1") == WHERE
    assert (await claims.claim("github.com/d-1", digest="aa")).status == "produced"
    assert await claims.claim("github.com/d-1", digest="bb") == Claim("conflict")


async def test_what_was_never_seen_has_no_position_and_nothing_to_release(claims: Claims) -> None:
    await claims.release("github.com/d-1", "never given")

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


async def test_what_is_kept_off_its_topic_is_claimed_and_gets_its_position_later(
    claims: Claims,
) -> None:
    claim = await claims.claim("github.com/d-1", digest="aa")
    await claims.kept("github.com/d-1", digest="aa")

    await claims.release("github.com/d-1", claim.token)

    assert await claims.claim("github.com/d-1", digest="aa") == Claim("kept")
    assert await claims.claim("github.com/d-1", digest="bb") == Claim("conflict")
    assert await claims.position("github.com/d-1") is None
    assert await claims.is_kept("github.com/d-1")

    await claims.produced("github.com/d-1", WHERE, digest="aa")

    assert not await claims.is_kept("github.com/d-1")
    assert await claims.claim("github.com/d-1", digest="aa") == Claim("produced", WHERE)


async def test_what_is_on_the_topic_stays_there_whoever_says_late_that_it_is_kept(
    claims: Claims,
) -> None:
    await claims.produced("github.com/d-1", WHERE, digest="aa")

    await claims.kept("github.com/d-1", digest="aa")

    assert await claims.claim("github.com/d-1", digest="aa") == Claim("produced", WHERE)


async def test_of_two_bodies_that_are_kept_under_one_id_the_first_stays(claims: Claims) -> None:
    await claims.kept("github.com/d-1", digest="aa")
    await claims.kept("github.com/d-1", digest="bb")
    await claims.produced("github.com/d-1", WHERE, digest="bb")

    assert await claims.claim("github.com/d-1", digest="aa") == Claim("kept")
    assert await claims.claim("github.com/d-1", digest="bb") == Claim("conflict")
