"""The arithmetic of the pace: whoever asks, and whenever, no limit of GitHub is ever passed."""

import math
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.pace import Ask, Budget, Kind, Rates, S, Told, Turn, told_by

POINTS = {"read": 1, "write": 5, "content": 5}
MINUTE, HOUR = 60 * S, 3600 * S
GAPS = st.sampled_from((0, 0, 0, 0, S // 10, S, 5 * S, 30 * S, 600 * S))
ASKED = st.lists(
    st.tuples(GAPS, st.sampled_from(("read", "write", "content")), st.integers(0, 1)),
    min_size=50,
    max_size=200,
)


def ask(number: int, kind: Kind = "write", priority: int = 0) -> Ask:
    return Ask(id=str(number), host="github.com", account="a", kind=kind, priority=priority)


def most_within(window: int, went: list[tuple[int, int]]) -> int:
    """The largest sum of weights in any window; `went`: when, and how much it weighs."""
    went = sorted(went)
    moments = [at for at, _ in went]
    sums = [0]
    for _, weight in went:
        sums.append(sums[-1] + weight)
    return max(
        (
            sums[end] - sums[bisect_left(moments, moments[end - 1] - window + 1)]
            for end in range(1, len(sums))
        ),
        default=0,
    )


def run(budget: Budget, rates: Rates, asked: list[tuple[int, Kind, int]]) -> list[tuple[int, Kind]]:
    """When which requests went; each has ended at once."""
    now, went = HOUR, list[tuple[int, Kind]]()
    for number, (gap, kind, priority) in enumerate(asked):
        now += gap
        request = ask(number, kind, priority)
        turn = budget.turn(request, rates, now)
        if turn.goes:
            went.append((now + round(turn.wait_s * S), kind))
            budget.told(request, None, rates, now)
    return went


@given(ASKED)
def test_no_window_has_more_than_github_takes(asked: list[tuple[int, Kind, int]]) -> None:
    went = run(Budget(), Rates(), asked)

    content = [(at, 1) for at, kind in went if kind == "content"]
    assert most_within(MINUTE, [(at, POINTS[kind]) for at, kind in went]) <= 900
    assert most_within(MINUTE, content) <= 80
    assert most_within(HOUR, content) <= 500


def test_who_asks_all_the_time_gets_most_of_a_limit_and_no_more() -> None:
    two_hours: list[tuple[int, Kind, int]] = [(S // 2, "content", 0)] * 14_400

    went = run(Budget(), Rates(), two_hours)

    most = most_within(HOUR, [(at, 1) for at, _ in went])
    assert 400 <= most <= 500
    assert most_within(MINUTE, [(at, 1) for at, _ in went]) <= 80


def test_who_comes_again_when_told_gets_through() -> None:
    """Nobody is sent back for ever, however many wait."""
    budget, rates, now = Budget(), Rates(), HOUR
    waiting = dict.fromkeys(range(200), now)
    asked = 0

    while waiting:
        number = min(waiting, key=lambda each: waiting[each])
        now = max(now, waiting[number])
        turn, asked = budget.turn(ask(number), rates, now), asked + 1
        if turn.goes:
            del waiting[number]
            budget.told(ask(number), None, rates, now)
        else:
            waiting[number] = now + math.ceil(turn.wait_s * S)

    assert now - HOUR < 250 * S  # one a second
    assert asked < 200 * 10


def test_a_wait_is_told_in_the_time_of_the_factor() -> None:
    budget, rates = Budget(), Rates(factor=100)

    turns = [budget.turn(ask(number), rates, HOUR) for number in range(10)]

    assert turns[-1] == Turn(goes=True, wait_s=0.01, why="too_fast")


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, Told()),
        (
            {
                "x-ratelimit-limit": "5000",
                "x-ratelimit-remaining": "17",
                "x-ratelimit-reset": "1000",
                "x-ratelimit-resource": "core",
            },
            Told(limit=5000, remaining=17, reset=1000, reset_in_s=100.0),
        ),
        ({"x-ratelimit-remaining": "17", "x-ratelimit-resource": "search"}, Told()),
        (
            {"x-ratelimit-limit": "-1", "x-ratelimit-remaining": "²", "x-ratelimit-reset": ""},
            Told(),
        ),
    ],
    ids=["none", "core", "another resource", "no numbers"],
)
def test_what_headers_say_of_limits(headers: dict[str, str], told: Told) -> None:
    assert told_by(headers, at_s=900.0, stop_s=0.0) == told


def test_without_a_time_of_githubs_nothing_is_known_of_the_end_of_its_hour() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000"}
    budget = Budget()

    budget.told(ask(1), told_by(headers, at_s=None, stop_s=0.0), Rates(), HOUR)

    assert budget.turn(ask(2, "read"), Rates(), HOUR).goes
