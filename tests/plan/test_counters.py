"""Counting unmet preconditions finds what trying every step finds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.plan import Problem, Step, Truth
from reactor.plan.counters import Counters
from reactor.plan.world import World
from tests.plan.strategies import ANY, CONDITIONS, NAMES, ONE_GOAL
from tests.plan.worlds import once, step

CHANGES = st.lists(st.tuples(CONDITIONS, st.none() | ANY), max_size=8)
SOME_NAMES = st.frozensets(st.sampled_from(NAMES), max_size=3)


def first_by_trying(problem: Problem) -> int | None:
    world = World(problem)
    return next((n for n, step in enumerate(problem.steps) if world.can_run(step)), None)


@given(ONE_GOAL, CHANGES, SOME_NAMES, SOME_NAMES)
@settings(max_examples=80, deadline=None)
def test_the_first_runnable_step_is_known_after_every_change(
    problem: Problem,
    changes: list[tuple[str, Truth | None]],
    ran: frozenset[str],
    excluded: frozenset[str],
) -> None:
    counters = Counters(problem.steps)
    state: dict[str, Truth] = {}
    for condition, truth in changes:
        counters.set(condition, truth)
        state = {c: t for c, t in state.items() if c != condition}
        if truth is not None:
            state[condition] = truth

        found = counters.first(ran=ran, excluded=excluded)

        now = Problem(state=state, steps=problem.steps, ran=ran, excluded=excluded)
        assert found == first_by_trying(now)


@given(ONE_GOAL, st.lists(st.dictionaries(CONDITIONS, ANY), max_size=4))
@settings(max_examples=60, deadline=None)
def test_whole_states_can_follow_each_other(
    problem: Problem, states: list[dict[str, Truth]]
) -> None:
    counters = Counters(problem.steps)
    for state in states:
        counters.follow(state)

        assert counters.first() == first_by_trying(Problem(state=state, steps=problem.steps))


def test_conditions_that_no_step_reads_change_nothing() -> None:
    counters = Counters([step("walk", {"open": True})])

    counters.set("weather", Truth.TRUE)

    assert counters.first() is None


def test_only_what_may_run_once_is_kept_from_running_again() -> None:
    steps: list[Step] = [once("welcome"), step("poll")]

    assert Counters(steps).first(ran=["welcome", "poll"]) == 1
    assert Counters(steps).first(excluded=["poll"], ran=["welcome"]) is None
