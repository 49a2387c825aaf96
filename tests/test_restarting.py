"""What a person asks to be looked at anew is a delivery like any other, once for each wish."""

from dataclasses import replace

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryClaims, MemoryDeliveryLog
from reactor.command import Commands
from reactor.commanding import CommandEar
from reactor.github.hearing import Hearing
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.restarting import (
    DeliveredRestarts,
    Restart,
    RestartedReader,
    Retriaged,
    UnreadableRestart,
    delivery_of,
)
from reactor.status import ProcessHead
from reactor.testing import account, delivery, issue, repository
from reactor.timed import TimedReader

CLOCK = ManualClock()
READER = RestartedReader(TimedReader(GitHubReader(OwnIdentity(login="author"))))


def asked(*, cause: str = "c1") -> ProcessHead:
    now = ManualClock().now()
    return ProcessHead(
        id="p1",
        delivery="github.com/d-2",
        reaction="commands",
        subject="github.com/1296269#17",
        subject_name="octo/hello#17",
        agent="reactor",
        planner="utility",
        created_at=now,
        updated_at=now,
        host="github.com",
        cause=cause,
        causation=("d-1",),
    )


def restart(*, cause: str = "c1") -> Restart:
    payload = {
        "issue": issue(user=account("author")),
        "repository": repository(),
        "sender": account("author"),
    }
    return Restart(
        event="issues", action="opened", payload=payload, by="ann", asked_in=asked(cause=cause)
    )


async def test_it_is_delivered_with_what_led_to_it() -> None:
    log, clock = MemoryDeliveryLog(), ManualClock()
    claims = MemoryClaims(clock)

    await DeliveredRestarts(deliveries=log, claims=claims, clock=clock).start(restart())

    (made,) = log.deliveries
    assert (made.kind, made.source, made.subject.key) == (
        "issues.opened",
        "command",
        "github.com/1296269#17",
    )
    assert made.causation == ("d-1", "d-2")
    assert await claims.position(made.key) is not None


def test_the_same_wish_is_the_same_delivery_and_a_later_one_is_another() -> None:
    first, again, later = (
        delivery_of(each, clock=ManualClock())
        for each in (restart(), restart(), restart(cause="c2"))
    )

    assert first == again
    assert later.id != first.id


def test_it_reads_as_its_event_with_who_asked_and_a_cause_of_its_own() -> None:
    opened = delivery("issues.opened", issue=issue(user=account("author")))

    readings = [
        READER(each)
        for each in (
            opened,
            delivery_of(restart(), clock=ManualClock()),
            delivery_of(restart(cause="c2"), clock=ManualClock()),
        )
    ]

    facts = dict(readings[1].facts)
    assert facts["event"].kind == "issues.opened"  # type: ignore[attr-defined]
    assert Retriaged(by="ann", cause="c1") in [fact for _, fact in readings[1].facts]
    assert len({reading.cause for reading in readings}) == 3


def test_what_our_own_app_opened_is_looked_at_as_a_person_asks_for_it() -> None:
    reading = READER(delivery_of(restart(), clock=ManualClock()))

    assert not reading.is_own


def test_what_a_host_sends_is_never_taken_for_a_wish() -> None:
    forged = delivery("issues.opened", issue=issue(), reactor={"by": "ann", "cause": "c1"})

    assert not any(isinstance(fact, Retriaged) for _, fact in READER(forged).facts)


def test_one_that_does_not_say_who_asked_is_given_up() -> None:
    made = delivery_of(restart(), clock=ManualClock())

    with pytest.raises(UnreadableRestart, match="who asked for it"):
        READER(replace(made, payload={}))


def test_what_its_text_asks_for_is_not_run_again_with_the_rights_of_who_wants_it() -> None:
    ear = CommandEar(Hearing(Commands([]), us={}))
    asking = issue(body="/close", user=account("author"))
    opened = delivery("issues.opened", issue=asking, sender=account("ann"))
    wanted = replace(restart(), payload=dict(opened.payload))

    heard = [ear.may_hear(READER(each)) for each in (opened, delivery_of(wanted, clock=CLOCK))]

    assert heard == [True, False]
