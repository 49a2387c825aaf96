"""What could not run: told as differences, read in full."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reactor.journal import JournalRecord, Weighed
from reactor.plan.decision import Candidate, Decision, NotRunnable, Reasons, Unmet
from reactor.truth import Truth
from reactor.weighing import Weighings, in_full

AT = datetime(2026, 1, 1, tzinfo=UTC)
LACKS = Unmet("x", Truth.TRUE, Truth.FALSE)

Blocked = Mapping[str, str]  # why an action can't run, by action


def weighed(blocked: Blocked) -> Weighed:
    reasons = Reasons(
        not_runnable=tuple(
            NotRunnable(action, (Unmet(why, Truth.TRUE, None),))
            for action, why in sorted(blocked.items())
        )
    )
    decision = Decision("unreachable", None, None, explain=lambda: reasons)
    return Weighed(decision, {why: f"because of {why}" for why in blocked.values() if why > "m"})


def records_of(looks: Sequence[Blocked | None], weighings: Weighings | None = None) -> list[Any]:
    weighings = weighings or Weighings()
    return [
        JournalRecord(
            process_id="p-1",
            seq=seq,
            kind="tick",
            at=AT,
            data=weighings.tell(None if blocked is None else weighed(blocked), seq=seq),
        )
        for seq, blocked in enumerate(looks, start=1)
    ]


def listed(record: JournalRecord) -> list[tuple[str, str, str | None]]:
    told: Any = record.data["not_runnable"]
    return [
        (each["action"], each["unmet"][0]["condition"], each["unmet"][0].get("reason"))
        for each in told
    ]


looks = st.lists(st.none() | st.dictionaries(st.sampled_from("abcd"), st.sampled_from("kmxz")))


@given(looks=looks)
def test_what_is_told_as_differences_is_read_as_it_was(looks: list[Blocked | None]) -> None:
    found = [listed(record) for record in in_full(records_of(looks))]

    assert found == [
        [(a, why, f"because of {why}" if why > "m" else None) for a, why in sorted(look.items())]
        for look in (look or {} for look in looks)
    ]


def test_what_is_as_it_was_is_told_once() -> None:
    first, second = records_of([{"a": "x", "b": "x"}, {"a": "x", "b": "z"}])

    assert [action for action, _, _ in listed(first)] == ["a", "b"]
    assert [action for action, _, _ in listed(second)] == ["b"]
    assert second.data["since"] == first.seq


def test_whoever_goes_on_with_a_process_tells_all_of_it_anew() -> None:
    before = records_of([{"a": "x", "b": "x"}])
    (after,) = records_of([{"b": "x"}])

    full = list(in_full([*before, replace(after, seq=2)]))

    assert [action for action, _, _ in listed(full[1])] == ["b"]


def test_records_of_the_first_version_are_complete_as_they_are() -> None:
    old = [
        replace(record, data={"not_runnable": record.data["not_runnable"]})
        for record in records_of([{"a": "x"}], Weighings())
    ]
    old += [replace(old[0], seq=2, data={"not_runnable": []})]

    assert [listed(record) for record in in_full(old)] == [[("a", "x", "because of x")], []]


def test_at_most_a_hundred_are_listed_and_the_rest_is_counted() -> None:
    many = {f"a{number:03}": "x" for number in range(130)}

    first, second = records_of([many, {**many, "a000": "z"}])

    assert len(listed(first)) == 100
    assert [action for action, _, _ in listed(second)] == ["a000"]
    assert (first.data["left_out"], second.data["left_out"]) == (30, 30)


def test_twenty_candidates_are_listed_best_first() -> None:
    best_first = tuple(Candidate(f"a{n}", 1 - n / 100, 0, 1 - n / 100) for n in range(25))
    reasons = Reasons(candidates=best_first)
    decision = Decision("optimal", "nirvana", ("a0",), explain=lambda: reasons)

    told = Weighings().tell(Weighed(decision, {}), seq=1)

    assert [each["action"] for each in told["candidates"]] == [f"a{n}" for n in range(20)]
    assert told["left_out"] == 5
