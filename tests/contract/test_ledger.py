"""Every adapter of `Ledger`: each key once, in order, under one turn, and no more than the caps."""

from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.ledger import (
    Caps,
    Fate,
    GivenUp,
    Ledger,
    NotNow,
    Outcome,
    Ruled,
    Ruling,
    Sending,
    Sent,
    Turn,
    Waiting,
)
from tests.contract.conftest import operator, redis
from tests.contract.ledgers import (
    PLENTY,
    SUBJECT,
    LedgerStore,
    MemoryLedgerStore,
    RedisLedgerStore,
    at,
    intent,
)
from tests.contract.samples import NOW

LEASE = timedelta(seconds=30)
DONE = Outcome(state="done", result='"17"')


@pytest.fixture
def store(adapter: str, request: pytest.FixtureRequest) -> LedgerStore:
    if adapter == "memory":
        return MemoryLedgerStore.new()
    store = RedisLedgerStore.new(*redis(request))
    store.client = operator(request)
    return store


@pytest.fixture
def ledger(store: LedgerStore) -> Ledger:
    return store.ledger


async def begun(
    ledger: Ledger, *, owner: str = "a", after_s: float = 0, subject: str = SUBJECT
) -> Sending:
    found = await ledger.begin(subject, owner=owner, lease=LEASE, now=at(after_s))
    assert isinstance(found, Sending), found
    return found


async def fate(ledger: Ledger, key: str = "k1") -> Fate:
    return (await ledger.fates(SUBJECT, [key]))[key]


# Enrolling ---------------------------------------------------------------------------------


async def test_what_is_enrolled_comes_back_as_it_was_when_it_is_sent(ledger: Ledger) -> None:
    wanted = intent(depth=3)

    await ledger.enrol([wanted], PLENTY, now=NOW)

    sending = await begun(ledger)
    assert sending.intent == wanted
    assert (sending.number, sending.failures, sending.may_be_done) == (1, 0, False)


async def test_a_key_is_taken_once_and_the_second_learns_who_has_it(ledger: Ledger) -> None:
    await ledger.enrol([intent()], PLENTY, now=NOW)

    second = await ledger.enrol([intent(process_id="p2")], PLENTY, now=NOW)

    (enrolled,) = second.found
    assert (enrolled.verdict, enrolled.process_id) == ("repeated", "p1")
    await ledger.finish(await begun(ledger), DONE, now=NOW)
    assert await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=NOW) == NotNow("empty")


async def test_a_key_twice_among_the_intents_is_one(ledger: Ledger) -> None:
    enrolment = await ledger.enrol([intent(), intent()], PLENTY, now=NOW)

    assert [each.verdict for each in enrolment.found] == ["queued", "repeated"]


async def test_a_key_that_is_done_is_not_taken_again_and_nothing_waits(ledger: Ledger) -> None:
    await ledger.enrol([intent()], PLENTY, now=NOW)
    await ledger.finish(await begun(ledger), DONE, now=NOW)

    again = await ledger.enrol([intent()], PLENTY, now=at(5))

    assert [each.verdict for each in again.found] == ["repeated"]
    assert again.waiting is None
    assert (await fate(ledger)).state == "done"


async def test_enrolling_again_what_is_open_has_its_subject_looked_at_again(
    ledger: Ledger,
) -> None:
    first = await ledger.enrol([intent()], PLENTY, now=NOW)
    assert first.waiting is not None
    await ledger.put_off(first.waiting, None)

    again = await ledger.enrol([intent()], PLENTY, now=at(5))

    assert await ledger.waiting(now=at(5), limit=10) == [again.waiting]


async def test_beyond_the_cap_of_an_event_effects_are_refused_with_the_reason(
    ledger: Ledger,
) -> None:
    caps = replace(PLENTY, per_event=2)

    enrolment = await ledger.enrol([intent(key) for key in ("k1", "k2", "k3")], caps, now=NOW)

    assert [each.verdict for each in enrolment.found] == ["queued", "queued", "refused"]
    refused = await fate(ledger, "k3")
    assert (refused.state, refused.reason) == ("refused", caps.over_event)
    assert "effects.per_event" in refused.reason


async def test_the_cap_of_an_event_counts_over_all_its_processes(ledger: Ledger) -> None:
    caps = replace(PLENTY, per_event=1)
    await ledger.enrol([intent()], caps, now=NOW)

    other = await ledger.enrol([intent("k2", process_id="p2")], caps, now=NOW)
    later = await ledger.enrol([intent("k3", delivery="github.com/d-2")], caps, now=NOW)

    assert [each.verdict for each in (*other.found, *later.found)] == ["refused", "queued"]


async def test_the_cap_of_a_subject_counts_within_its_window(ledger: Ledger) -> None:
    caps = replace(PLENTY, per_subject=1)
    await ledger.enrol([intent()], caps, now=NOW)

    early = await ledger.enrol([intent("k2")], caps, now=at(599))
    elsewhere = await ledger.enrol([intent("k3", subject="github.com/1#8")], caps, now=at(599))
    late = await ledger.enrol([intent("k4")], caps, now=at(600))

    verdicts = [each.found[0].verdict for each in (early, elsewhere, late)]
    assert verdicts == ["refused", "queued", "queued"]
    assert early.found[0].reason == caps.over_subject


async def test_the_cap_of_a_day_counts_over_all_subjects_of_a_repository(ledger: Ledger) -> None:
    caps = replace(PLENTY, per_day=1)
    await ledger.enrol([intent()], caps, now=NOW)

    same = await ledger.enrol([intent("k2", subject="github.com/1#8")], caps, now=NOW)
    other = await ledger.enrol([intent("k3", subject="github.com/2#7")], caps, now=NOW)
    tomorrow = await ledger.enrol([intent("k4")], caps, now=at(86400))

    verdicts = [each.found[0].verdict for each in (same, other, tomorrow)]
    assert verdicts == ["refused", "queued", "queued"]
    assert same.found[0].reason == caps.over_day


async def test_what_was_refused_stays_refused_when_it_is_wanted_again(ledger: Ledger) -> None:
    await ledger.enrol([intent()], replace(PLENTY, per_event=0), now=NOW)

    again = await ledger.enrol([intent()], PLENTY, now=at(86400))

    assert again.found[0].verdict == "repeated"
    assert (await fate(ledger)).state == "refused"


async def test_a_repeat_counts_towards_no_cap(ledger: Ledger) -> None:
    caps = Caps(per_event=2, per_day=2, per_subject=2, window=timedelta(minutes=10))
    for _ in range(5):
        await ledger.enrol([intent()], caps, now=NOW)

    second = await ledger.enrol([intent("k2")], caps, now=NOW)

    assert second.found[0].verdict == "queued"


# Sending -----------------------------------------------------------------------------------


async def test_effects_of_a_subject_are_sent_in_the_order_of_their_enrolment(
    ledger: Ledger,
) -> None:
    await ledger.enrol([intent("k2"), intent("k1")], PLENTY, now=NOW)
    await ledger.enrol([intent("k0")], PLENTY, now=NOW)

    sent = []
    for _ in range(3):
        sending = await begun(ledger)
        await ledger.finish(sending, DONE, now=NOW)
        sent.append(sending.intent.key)

    assert sent == ["k2", "k1", "k0"]


async def test_one_at_a_time_has_the_turn_of_a_subject(ledger: Ledger) -> None:
    await ledger.enrol([intent("k1"), intent("k2")], PLENTY, now=NOW)
    await begun(ledger, owner="a")

    other = await ledger.begin(SUBJECT, owner="b", lease=LEASE, now=NOW)

    assert isinstance(other, NotNow)
    assert other.why == "held"
    assert other.until is not None
    assert NOW < other.until <= NOW + LEASE


async def test_subjects_do_not_wait_for_each_other(ledger: Ledger) -> None:
    await ledger.enrol([intent("k1")], PLENTY, now=NOW)
    await ledger.enrol([intent("k2", subject="github.com/1#8")], PLENTY, now=NOW)
    await begun(ledger, owner="a")

    other = await begun(ledger, owner="b", subject="github.com/1#8")

    assert other.intent.key == "k2"


async def test_a_try_that_was_cut_off_is_begun_again_and_told_so(store: LedgerStore) -> None:
    await store.ledger.enrol([intent()], PLENTY, now=NOW)
    cut_off = await begun(store.ledger, owner="a")
    await store.let_turns_run_out()

    again = await begun(store.ledger, owner="b")

    assert again.intent == cut_off.intent
    assert (again.number, again.failures, again.may_be_done) == (2, 1, True)
    assert again.turn.fence > cut_off.turn.fence


async def test_the_same_owner_gets_its_turn_back_at_once(ledger: Ledger) -> None:
    await ledger.enrol([intent()], PLENTY, now=NOW)
    await begun(ledger, owner="a")

    again = await begun(ledger, owner="a")

    assert (again.number, again.may_be_done) == (2, True)


async def test_a_result_counts_only_under_the_newest_fence(store: LedgerStore) -> None:
    await store.ledger.enrol([intent()], PLENTY, now=NOW)
    stale = await begun(store.ledger, owner="a")
    await store.let_turns_run_out()
    current = await begun(store.ledger, owner="b")

    too_late = await store.ledger.finish(stale, Outcome(state="refused", reason="no"), now=NOW)

    assert not too_late
    assert (await fate(store.ledger)).state == "sending"
    assert await store.ledger.finish(current, DONE, now=NOW)
    assert not await store.ledger.finish(stale, Outcome(state="refused", reason="no"), now=NOW)
    assert (await fate(store.ledger)).state == "done"


async def test_a_result_that_is_told_twice_is_kept_once(ledger: Ledger) -> None:
    await ledger.enrol([intent("k1"), intent("k2")], PLENTY, now=NOW)
    sending = await begun(ledger)

    assert await ledger.finish(sending, DONE, now=NOW)
    assert await ledger.finish(sending, DONE, now=NOW)

    assert (await begun(ledger)).intent.key == "k2"


async def test_a_turn_that_ran_out_and_that_nobody_took_still_counts(store: LedgerStore) -> None:
    await store.ledger.enrol([intent()], PLENTY, now=NOW)
    sending = await begun(store.ledger)
    await store.let_turns_run_out()

    assert await store.ledger.finish(sending, DONE, now=NOW)


async def test_a_turn_is_kept_by_renewing_it(store: LedgerStore) -> None:
    await store.ledger.enrol([intent()], PLENTY, now=NOW)
    sending = await begun(store.ledger, owner="a")
    await store.let_turns_run_out()

    kept = await store.ledger.renew(sending.turn, lease=LEASE)

    assert kept
    other = await store.ledger.begin(SUBJECT, owner="b", lease=LEASE, now=NOW)
    assert isinstance(other, NotNow)


async def test_a_turn_that_was_taken_over_or_given_back_is_not_renewed(
    store: LedgerStore,
) -> None:
    await store.ledger.enrol([intent()], PLENTY, now=NOW)
    stale = await begun(store.ledger, owner="a")
    await store.let_turns_run_out()
    current = await begun(store.ledger, owner="b")

    assert not await store.ledger.renew(stale.turn, lease=LEASE)
    assert await store.ledger.renew(current.turn, lease=LEASE)
    await store.ledger.finish(current, DONE, now=NOW)
    assert not await store.ledger.renew(current.turn, lease=LEASE)


async def test_nobody_has_the_turn_of_a_subject_that_is_not_there(ledger: Ledger) -> None:
    assert await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=NOW) == NotNow("empty")
    assert not await ledger.renew(Turn(SUBJECT, "a", 1), lease=LEASE)


# Given up -----------------------------------------------------------------------------------


async def give_up(ledger: Ledger, key: str = "k1", *, after_s: float = 0) -> GivenUp:
    """Enrol one, fail once as the other side is away, and give it up."""
    await ledger.enrol([intent(key)], PLENTY, now=at(after_s))
    due = Outcome(state="due", due_at=at(after_s), failed=True, away=True, may_be_done=True)
    await ledger.finish(await begun(ledger, after_s=after_s), due, now=at(after_s))
    over = Outcome(state="given_up", reason="away", failed=True, away=True, may_be_done=True)
    assert await ledger.finish(await begun(ledger, after_s=after_s), over, now=at(after_s))
    return next(each for each in await ledger.given_up(limit=9) if each.intent.key == key)


async def test_what_is_given_up_is_listed_and_holds_up_nobody(ledger: Ledger) -> None:
    await ledger.enrol([intent("k2")], PLENTY, now=NOW)
    await ledger.finish(await begun(ledger), DONE, now=NOW)

    given_up = await give_up(ledger, after_s=3)
    await ledger.enrol([intent("k3")], PLENTY, now=at(4))

    assert given_up == GivenUp(intent=intent(), at=at(3), attempts=2, reason="away")
    assert await ledger.given_up_count() == 1
    assert (await fate(ledger)).state == "given_up"
    assert (await begun(ledger, after_s=4)).intent.key == "k3"


async def test_what_is_given_up_is_told_newest_first_and_no_more_than_so_many(
    ledger: Ledger,
) -> None:
    for number in range(3):
        await give_up(ledger, f"k{number}", after_s=number)

    found = await ledger.given_up(limit=2)

    assert [each.intent.key for each in found] == ["k2", "k1"]


async def test_driven_again_it_is_due_at_the_end_of_its_queue_counted_anew_and_may_be_done(
    ledger: Ledger,
) -> None:
    given_up = await give_up(ledger)
    await ledger.enrol([intent("k2")], PLENTY, now=at(1))

    assert await ledger.retry(given_up, now=at(2))

    first = await begun(ledger, after_s=2)
    await ledger.finish(first, DONE, now=at(2))
    second = await begun(ledger, after_s=2)
    assert [first.intent.key, second.intent.key] == ["k2", "k1"]
    assert (second.number, second.failures, second.away, second.may_be_done) == (3, 0, 0, True)
    assert await ledger.given_up(limit=9) == []


async def test_driven_again_its_subject_is_looked_at(ledger: Ledger) -> None:
    given_up = await give_up(ledger)
    (waiting,) = await ledger.waiting(now=at(1), limit=9)
    await ledger.put_off(waiting, None)

    await ledger.retry(given_up, now=at(2))

    assert [each.subject for each in await ledger.waiting(now=at(3), limit=9)] == [SUBJECT]


async def test_driven_again_twice_it_is_sent_once(ledger: Ledger) -> None:
    given_up = await give_up(ledger)

    answers = [await ledger.retry(given_up, now=at(seconds)) for seconds in (1, 2)]
    await ledger.finish(await begun(ledger, after_s=2), DONE, now=at(3))

    assert answers == [True, False]
    assert await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=at(4)) == NotNow("empty")
    assert not await ledger.retry(given_up, now=at(5))
    assert (await fate(ledger)).state == "done"


async def test_given_up_a_second_time_it_is_listed_again(ledger: Ledger) -> None:
    """Also where it was so before whoever drove it again had finished."""
    await ledger.retry(await give_up(ledger), now=at(1))
    over = Outcome(state="given_up", reason="nothing sends it")
    await ledger.finish(await begun(ledger, after_s=1), over, now=at(2))

    (again,) = await ledger.given_up(limit=9)

    assert (again.at, again.reason, again.attempts) == (at(2), "nothing sends it", 3)
    assert await ledger.given_up_count() == 1


async def test_a_key_that_was_given_up_is_known_and_nothing_waits_for_it(ledger: Ledger) -> None:
    await give_up(ledger)

    again = await ledger.enrol([intent()], PLENTY, now=at(5))

    assert [each.verdict for each in again.found] == ["repeated"]
    assert again.waiting is None


async def test_what_was_decided_is_not_listed_and_not_driven_again(ledger: Ledger) -> None:
    await ledger.enrol([intent()], PLENTY, now=NOW)
    await ledger.finish(await begun(ledger), Outcome(state="refused", reason="no"), now=NOW)
    wanted = GivenUp(intent=intent(), at=NOW, attempts=1, reason="no")

    assert await ledger.given_up(limit=9) == []
    assert not await ledger.retry(wanted, now=at(1))
    assert (await fate(ledger)).state == "refused"


# Held ---------------------------------------------------------------------------------------


YES = Ruling(is_approved=True, by="octocat")
NO = Ruling(is_approved=False, by="hubot", reason="hubot rejected it")


async def keys_held(ledger: Ledger, *, until_s: float = 9999, limit: int = 9) -> list[str]:
    return [each.intent.key for each in await ledger.held(until=at(until_s), limit=limit)]


async def test_what_a_person_has_to_approve_is_held_and_not_sent(ledger: Ledger) -> None:
    wanted = intent(mode="approve")

    enrolment = await ledger.enrol([wanted], PLENTY, now=NOW)

    assert [each.verdict for each in enrolment.found] == ["held"]
    assert enrolment.waiting is None
    assert await ledger.waiting(now=at(9999), limit=9) == []
    assert await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=NOW) == NotNow("empty")
    (held,) = await ledger.held(until=NOW, limit=9)
    assert (held.intent, held.since) == (wanted, NOW)
    assert (await fate(ledger)).state == "held"


async def test_what_is_held_does_not_hold_up_what_is_not(ledger: Ledger) -> None:
    enrolment = await ledger.enrol([intent("k1", mode="approve"), intent("k2")], PLENTY, now=NOW)

    assert enrolment.waiting is not None
    assert (await begun(ledger)).intent.key == "k2"


async def test_once_approved_it_is_sent_behind_what_its_subject_has_to_send(
    ledger: Ledger,
) -> None:
    await ledger.enrol([intent("k1", mode="approve"), intent("k2")], PLENTY, now=NOW)

    ruled = await ledger.rule(SUBJECT, "k1", YES, now=at(60))

    assert ruled is not None
    assert (ruled.is_approved, ruled.by, ruled.at) == (True, "octocat", at(60))
    assert await ledger.waiting(now=at(61), limit=9) == [ruled.waiting]
    sent = []
    for _ in range(2):
        sending = await begun(ledger, after_s=61)
        await ledger.finish(sending, DONE, now=at(61))
        sent.append(sending.intent.key)
    assert sent == ["k2", "k1"]
    approved = await fate(ledger, "k1")
    assert (approved.state, approved.ruled_by, approved.ruled_at) == ("done", "octocat", at(60))


async def test_what_was_approved_is_sent_as_something_that_a_person_waits_for(
    ledger: Ledger,
) -> None:
    await ledger.enrol([intent("k1", mode="approve"), intent("k2")], PLENTY, now=NOW)

    await ledger.rule(SUBJECT, "k1", YES, now=at(60))

    first = await begun(ledger)
    await ledger.finish(first, DONE, now=at(61))
    second = await begun(ledger)
    told = [(each.intent.priority, each.is_approved) for each in (first, second)]
    assert told == [(0, False), (1, True)]


async def test_what_is_rejected_is_refused_with_the_reason_and_never_sent(ledger: Ledger) -> None:
    await ledger.enrol([intent(mode="approve")], PLENTY, now=NOW)

    ruled = await ledger.rule(SUBJECT, "k1", NO, now=at(60))

    assert ruled == Ruled(is_approved=False, by="hubot", at=at(60))
    refused = await fate(ledger)
    assert (refused.state, refused.reason) == ("refused", "hubot rejected it")
    assert (refused.ruled_by, refused.ruled_at) == ("hubot", at(60))
    assert await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=at(60)) == NotNow("empty")
    assert await keys_held(ledger) == []


@pytest.mark.parametrize(("first", "second"), [(YES, NO), (NO, YES)], ids=["yes", "no"])
async def test_the_first_ruling_counts_and_the_second_is_told_of_it(
    ledger: Ledger, first: Ruling, second: Ruling
) -> None:
    await ledger.enrol([intent(mode="approve")], PLENTY, now=NOW)
    await ledger.rule(SUBJECT, "k1", first, now=at(1))

    ruled = await ledger.rule(SUBJECT, "k1", second, now=at(2))

    assert ruled is not None
    assert (ruled.is_approved, ruled.by, ruled.at) == (first.is_approved, first.by, at(1))
    assert (await fate(ledger)).ruled_by == first.by


async def test_approving_twice_sends_once_and_has_it_looked_at_again(ledger: Ledger) -> None:
    """As after a crash between the approval and the index of what is to be sent."""
    await ledger.enrol([intent(mode="approve")], PLENTY, now=NOW)
    first = await ledger.rule(SUBJECT, "k1", YES, now=at(1))
    assert first is not None
    assert first.waiting is not None
    await ledger.put_off(first.waiting, None)

    again = await ledger.rule(SUBJECT, "k1", YES, now=at(2))

    assert again is not None
    assert await ledger.waiting(now=at(3), limit=9) == [again.waiting]
    await ledger.finish(await begun(ledger, after_s=3), DONE, now=at(3))
    late = await ledger.rule(SUBJECT, "k1", YES, now=at(4))
    assert late == Ruled(is_approved=True, by="octocat", at=at(1))
    assert await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=at(4)) == NotNow("empty")


async def test_what_needs_approval_when_it_is_to_be_sent_is_held_like_any_other(
    ledger: Ledger,
) -> None:
    await ledger.enrol([intent("k1"), intent("k2")], PLENTY, now=NOW)
    first = await begun(ledger)

    kept = await ledger.finish(first, Outcome(state="held", reason="by now"), now=at(60))

    assert kept
    assert ((await fate(ledger)).state, (await fate(ledger)).reason) == ("held", "by now")
    assert await ledger.held(until=at(59), limit=9) == []
    (held,) = await ledger.held(until=at(60), limit=9)
    assert (held.intent, held.since) == (first.intent, at(60))
    following = await begun(ledger, after_s=61)
    assert following.intent.key == "k2"
    await ledger.finish(following, DONE, now=at(61))
    assert await ledger.begin(SUBJECT, owner="a", lease=LEASE, now=at(62)) == NotNow("empty")


async def test_held_when_it_was_to_be_sent_it_is_sent_once_it_is_approved(ledger: Ledger) -> None:
    await ledger.enrol([intent("k1")], PLENTY, now=NOW)
    held = await begun(ledger)
    await ledger.finish(held, Outcome(state="held", reason="by now"), now=at(60))

    ruled = await ledger.rule(SUBJECT, "k1", YES, now=at(120))

    assert ruled is not None
    assert ruled.waiting is not None
    again = await begun(ledger, after_s=121)
    assert (again.intent.key, again.is_approved, again.may_be_done) == ("k1", True, False)
    assert await ledger.held(until=at(121), limit=9) == []


async def test_nobody_rules_on_what_was_never_held(ledger: Ledger) -> None:
    await ledger.enrol([intent()], PLENTY, now=NOW)

    assert await ledger.rule(SUBJECT, "k1", NO, now=NOW) is None
    assert await ledger.rule(SUBJECT, "unheard of", YES, now=NOW) is None
    assert (await fate(ledger)).state == "intended"


async def test_what_is_held_is_told_oldest_first_up_to_a_moment_and_a_limit(
    ledger: Ledger,
) -> None:
    for number in (3, 1, 2):
        wanted = intent(f"k{number}", subject=f"github.com/{number}#7", mode="approve")
        await ledger.enrol([wanted], PLENTY, now=at(number))

    assert await keys_held(ledger) == ["k1", "k2", "k3"]
    assert await keys_held(ledger, until_s=2) == ["k1", "k2"]
    assert await keys_held(ledger, limit=1) == ["k1"]


async def test_held_again_it_is_the_same_and_as_old_as_it_was(ledger: Ledger) -> None:
    await ledger.enrol([intent(mode="approve")], PLENTY, now=NOW)

    again = await ledger.enrol([intent(mode="approve")], PLENTY, now=at(60))

    assert [each.verdict for each in again.found] == ["repeated"]
    assert again.waiting is None
    assert await keys_held(ledger, until_s=0) == ["k1"]


async def test_what_is_held_counts_towards_the_caps_and_beyond_them_is_refused(
    ledger: Ledger,
) -> None:
    caps = replace(PLENTY, per_event=1)
    wanted = [intent("k1", mode="approve"), intent("k2", mode="approve"), intent("k3")]

    enrolment = await ledger.enrol(wanted, caps, now=NOW)

    assert [each.verdict for each in enrolment.found] == ["held", "refused", "refused"]
    assert await keys_held(ledger) == ["k1"]


# Later -------------------------------------------------------------------------------------


def later(seconds: float, *, failed: bool = False, may_be_done: bool = False) -> Outcome:
    return Outcome(
        state="due", reason="busy", due_at=at(seconds), failed=failed, may_be_done=may_be_done
    )


async def test_one_that_is_due_later_holds_up_those_behind_it(ledger: Ledger) -> None:
    await ledger.enrol([intent("k1"), intent("k2")], PLENTY, now=NOW)
    await ledger.finish(await begun(ledger), later(60), now=NOW)

    early = await ledger.begin(SUBJECT, owner="b", lease=LEASE, now=at(59))
    in_time = await begun(ledger, owner="b", after_s=60)

    assert early == NotNow("later", at(60))
    assert (in_time.intent.key, in_time.number) == ("k1", 2)


async def test_failures_count_and_mere_delays_do_not(ledger: Ledger) -> None:
    await ledger.enrol([intent()], PLENTY, now=NOW)
    await ledger.finish(await begun(ledger), later(0), now=NOW)
    await ledger.finish(await begun(ledger), later(0, failed=True), now=NOW)

    third = await begun(ledger)

    assert (third.number, third.failures) == (3, 1)


async def test_how_long_one_was_put_off_adds_up_and_is_counted_anew_when_it_is_driven_again(
    ledger: Ledger,
) -> None:
    await ledger.enrol([intent("k1")], PLENTY, now=NOW)
    for seconds in (1.5, 60):
        pause = timedelta(seconds=seconds)
        due = Outcome(state="due", due_at=at(seconds), delayed=pause)
        await ledger.finish(await begun(ledger, after_s=60), due, now=NOW)

    third = await begun(ledger, after_s=60)
    await ledger.finish(third, Outcome(state="given_up", reason="long"), now=NOW)
    (given_up,) = await ledger.given_up(limit=1)
    await ledger.retry(given_up, now=NOW)
    fourth = await begun(ledger)

    assert (third.delayed, third.failures) == (timedelta(seconds=61.5), 0)
    assert fourth.delayed == timedelta(0)


async def test_once_it_may_be_done_it_may_be_done_until_it_is(ledger: Ledger) -> None:
    await ledger.enrol([intent()], PLENTY, now=NOW)
    await ledger.finish(await begun(ledger), later(0, may_be_done=True), now=NOW)
    await ledger.finish(await begun(ledger), later(0), now=NOW)

    assert (await begun(ledger)).may_be_done


# What waits --------------------------------------------------------------------------------


async def test_who_has_waited_longest_comes_first_up_to_the_limit(ledger: Ledger) -> None:
    for number in (3, 1, 2):
        subject = f"github.com/1#{number}"
        await ledger.enrol([intent(f"k{number}", subject=subject)], PLENTY, now=at(number))

    found = await ledger.waiting(now=at(9), limit=2)

    assert [each.subject for each in found] == ["github.com/1#1", "github.com/1#2"]
    assert await ledger.waiting(now=at(0), limit=9) == []
    assert await ledger.subjects_waiting() == 3


async def test_a_subject_is_looked_at_again_when_it_was_put_off_to(ledger: Ledger) -> None:
    enrolment = await ledger.enrol([intent()], PLENTY, now=NOW)
    assert enrolment.waiting is not None

    await ledger.put_off(enrolment.waiting, at(60))

    assert await ledger.waiting(now=at(59), limit=9) == []
    assert [each.subject for each in await ledger.waiting(now=at(60), limit=9)] == [SUBJECT]


async def test_a_subject_with_nothing_left_is_taken_out(ledger: Ledger) -> None:
    enrolment = await ledger.enrol([intent()], PLENTY, now=NOW)
    assert enrolment.waiting is not None

    await ledger.put_off(enrolment.waiting, None)

    assert await ledger.waiting(now=at(9999), limit=9) == []
    assert await ledger.subjects_waiting() == 0


@pytest.mark.parametrize("until_s", [None, 60.0])
async def test_what_was_enrolled_meanwhile_is_not_put_off(
    ledger: Ledger, until_s: float | None
) -> None:
    """Also where the clock stands still between the two."""
    first = await ledger.enrol([intent("k1")], PLENTY, now=NOW)
    assert first.waiting is not None
    await ledger.enrol([intent("k2")], PLENTY, now=NOW)

    await ledger.put_off(first.waiting, at(until_s) if until_s else None)

    assert [each.subject for each in await ledger.waiting(now=at(1), limit=9)] == [SUBJECT]


async def test_an_earlier_moment_counts_whoever_has_put_it_off(ledger: Ledger) -> None:
    enrolment = await ledger.enrol([intent()], PLENTY, now=NOW)
    assert enrolment.waiting is not None
    await ledger.put_off(enrolment.waiting, at(60))

    await ledger.put_off(enrolment.waiting, at(30))

    assert [each.subject for each in await ledger.waiting(now=at(30), limit=9)] == [SUBJECT]


async def test_a_subject_that_is_not_there_is_not_put_there(ledger: Ledger) -> None:
    await ledger.put_off(Waiting(SUBJECT, 1), at(60))

    assert await ledger.waiting(now=at(9999), limit=9) == []


# For people --------------------------------------------------------------------------------


async def test_a_fate_tells_state_times_tries_and_what_came_of_it(ledger: Ledger) -> None:
    await ledger.enrol([intent("k1"), intent("k2")], PLENTY, now=NOW)
    await ledger.finish(await begun(ledger), later(2, failed=True), now=at(1))
    due = await fate(ledger, "k1")
    await ledger.finish(await begun(ledger, after_s=2), DONE, now=at(3))

    fates = await ledger.fates(SUBJECT, ["k1", "k2", "unheard of"])

    assert due == Fate(
        key="k1",
        state="due",
        process_id="p1",
        attempts=1,
        enrolled_at=NOW,
        changed_at=at(1),
        due_at=at(2),
        reason="busy",
    )
    assert fates == {
        "k1": Fate(
            key="k1",
            state="done",
            process_id="p1",
            attempts=2,
            enrolled_at=NOW,
            changed_at=at(3),
            result='"17"',
        ),
        "k2": Fate(
            key="k2",
            state="intended",
            process_id="p1",
            attempts=0,
            enrolled_at=NOW,
            changed_at=NOW,
        ),
    }


async def test_the_newest_effect_of_a_subject_counts_from_when_it_is_begun(
    ledger: Ledger,
) -> None:
    await ledger.enrol([intent("k1", depth=2)], PLENTY, now=NOW)
    nothing = await ledger.newest_sent(SUBJECT)

    await begun(ledger)

    assert nothing is None
    assert await ledger.newest_sent(SUBJECT) == Sent("github.com/d-1", 2)
    assert await ledger.newest_sent("github.com/1#8") is None
