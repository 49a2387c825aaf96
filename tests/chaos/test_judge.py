"""The judge finds each kind of fault; a suite whose judge is blind proves nothing."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.chaos.judge import Began, Ended, Seen, judge
from tests.chaos.sink import Call
from tests.chaos.traffic import Wish

SUBJECT = "github.com/505050505#1"
PUT = Wish(number=1, issue=1, label="red", on=True)
TAKE = Wish(number=2, issue=1, label="red", on=False)
AGAIN = Wish(number=3, issue=1, label="red", on=True)
WISHES = {"d-1": PUT, "d-2": TAKE, "d-3": AGAIN, "h-3": AGAIN}


def call(number: int, operation: str, delivery: str, *, attempt: int = 1) -> Call:
    return Call(
        operation=operation,  # type: ignore[arg-type]
        subject=SUBJECT,
        name="red" if operation in ("put", "take") else f"marker of {delivery}",
        key=f"{operation} {delivery}",
        attempt=attempt,
        delivery=delivery,
        worker="worker-1",
        number=number,
        there=False,
        changed=True,
        manner="well",
    )


def ended(delivery: str, reaction: str) -> Ended:
    return Ended(
        reaction=reaction, delivery=delivery, is_final=True, status="COMPLETED", completed=("a",)
    )


@pytest.fixture
def good() -> Seen:
    reactions = ("wishes", "notes")
    deliveries = ("d-1", "d-2", "d-3", "h-3")
    return Seen(
        accepted=frozenset(deliveries),
        wishes=WISHES,
        topic={SUBJECT: ["d-1", "d-2", "d-1", "d-3", "h-3"]},
        processes=[ended(d, r) for d in deliveries for r in reactions],
        began=[
            Began(at=float(at), reaction=reaction, delivery=delivery)
            for at, delivery in enumerate((*deliveries, "d-1"))
            for reaction in reactions
        ],
        calls=[
            call(1, "put", "d-1"),
            call(2, "comment", "d-1"),
            call(3, "take", "d-2"),
            call(4, "comment", "d-2"),
            call(5, "put", "d-3"),
            call(6, "put", "d-3", attempt=2),
            call(7, "comment", "d-3"),
        ],
        letters=["poison"],
        planted=frozenset({"poison"}),
        reactions=reactions,
    )


def test_a_good_run_has_no_fault(good: Seen) -> None:
    verdict = judge(good)

    assert verdict.faults == []
    assert verdict.finished == 4


def without_process(seen: Seen) -> Seen:
    return replace(seen, processes=seen.processes[1:])


def unfinished(seen: Seen) -> Seen:
    first = replace(seen.processes[0], is_final=False, status="RUNNING")
    return replace(seen, processes=[first, *seen.processes[1:]])


def off_the_topic(seen: Seen) -> Seen:
    return replace(seen, topic={SUBJECT: ["d-1", "d-2", "d-3"]})


def wish_swallowed(seen: Seen) -> Seen:
    return replace(seen, calls=[c for c in seen.calls if c.key != "put d-3"])


def comment_missing(seen: Seen) -> Seen:
    return replace(seen, calls=seen.calls[:-1])


@pytest.mark.parametrize(
    "change", [without_process, unfinished, off_the_topic, wish_swallowed, comment_missing]
)
def test_what_is_lost_is_found(good: Seen, change: Callable[[Seen], Seen]) -> None:
    assert judge(change(good)).lost != []


def process_twice(seen: Seen) -> Seen:
    return replace(seen, processes=[*seen.processes, ended("d-1", "notes")])


def action_twice(seen: Seen) -> Seen:
    first = replace(seen.processes[0], completed=("a", "a"))
    return replace(seen, processes=[first, *seen.processes[1:]])


def comment_twice(seen: Seen) -> Seen:
    return replace(seen, calls=[*seen.calls, call(8, "comment", "d-1")])


def comment_by_a_second_hook(seen: Seen) -> Seen:
    return replace(seen, calls=[*seen.calls, call(8, "comment", "h-3")])


def label_back_on(seen: Seen) -> Seen:
    return replace(seen, calls=[*seen.calls[:3], call(4, "put", "d-1"), *seen.calls[3:]])


@pytest.mark.parametrize(
    "change",
    [process_twice, action_twice, comment_twice, comment_by_a_second_hook, label_back_on],
)
def test_what_is_there_twice_is_found(good: Seen, change: Callable[[Seen], Seen]) -> None:
    assert judge(change(good)).twice != []


def began_early(seen: Seen) -> Seen:
    return replace(seen, began=[*seen.began, Began(at=-1.0, reaction="notes", delivery="d-2")])


def comment_early(seen: Seen) -> Seen:
    return replace(seen, calls=[seen.calls[3], *seen.calls[:3], *seen.calls[4:]])


@pytest.mark.parametrize("change", [began_early, comment_early])
def test_what_is_out_of_order_is_found(good: Seen, change: Callable[[Seen], Seen]) -> None:
    assert judge(change(good)).out_of_order != []


def test_dead_letters_must_be_the_planted_ones(good: Seen) -> None:
    assert judge(replace(good, letters=["poison", "d-1"])).dead == ["d-1 is dead"]
    assert judge(replace(good, letters=[])).dead == ["poison has no letter"]


def test_a_change_by_a_try_that_was_overtaken_is_late_and_no_fault(good: Seen) -> None:
    looked = call(8, "look", "d-3", attempt=2)
    later = [replace(looked, key="comment d-3"), replace(good.calls[-1], attempt=2)]
    zombie = replace(good.calls[-1], attempt=1)

    verdict = judge(replace(good, calls=[*good.calls[:-1], *later, zombie]))

    assert verdict.faults == []
    assert verdict.late == [zombie]
