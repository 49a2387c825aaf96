"""Unknown conditions are looked into where the answer hangs on them, and nowhere else."""

from dataclasses import replace
from itertools import product

from hypothesis import given, settings

from reactor.plan import Decision, Problem, Truth, make_planner
from reactor.plan.goap.doubts import leaned_on
from reactor.plan.goap.task import Domain
from tests.plan.drawn import DOUBTFUL, draw, seeded
from tests.plan.exhaustive import Price, cheapest, price_of, reaches
from tests.plan.strategies import ONE_GOAL, SEVERAL_GOALS, TRUTHS
from tests.plan.worlds import Oracle, aim, problem, step, truths

FERRY = step("take_ferry", {"ferry_runs": True}, {"across": True}, cost=0.1)
ROAD = step("drive_round", {}, {"across": True}, cost=0.5)
ACROSS = aim({"across": True})


def decide(known: Problem, truth: dict[str, Truth]) -> tuple[Decision, list[str]]:
    oracle = Oracle(truth)
    return make_planner("goap").decide(replace(known, resolve=oracle)), oracle.asked


def unknown(known: Problem) -> list[str]:
    return sorted(c for c, truth in known.state.items() if truth is Truth.UNKNOWN)


def price(known: Problem, decision: Decision) -> Price | None:
    named = {step.name: step for step in known.steps}
    return None if decision.plan is None else price_of([named[n] for n in decision.plan])


def test_a_cheaper_way_is_looked_into_and_taken() -> None:
    world = problem({"ferry_runs": None, "across": False}, FERRY, ROAD, aims=(ACROSS,))

    decision, asked = decide(world, truths({"ferry_runs": True}))

    assert decision.plan == ("take_ferry",)
    assert decision.evaluated == ("ferry_runs",)
    assert asked == ["ferry_runs"]


def test_what_stays_unknown_counts_as_neither_true_nor_false() -> None:
    world = problem({"ferry_runs": None, "across": False}, FERRY, ROAD, aims=(ACROSS,))

    decision, asked = decide(world, truths({"ferry_runs": None}))

    assert decision.plan == ("drive_round",)
    assert asked == ["ferry_runs"]


def test_a_dearer_way_is_not_looked_into() -> None:
    ferry = replace(FERRY, cost=0.7)
    world = problem({"ferry_runs": None, "across": False}, ferry, ROAD, aims=(ACROSS,))

    decision, asked = decide(world, truths({"ferry_runs": True}))

    assert decision.plan == ("drive_round",)
    assert asked == []


def test_of_two_equal_ways_the_one_that_is_certain_is_taken_unseen() -> None:
    swim = step("swim", {"warm": True}, {"across": True}, cost=0.1)
    world = problem({"ferry_runs": None, "warm": True}, FERRY, swim, aims=(ACROSS,))

    decision, asked = decide(world, truths({"ferry_runs": True}))

    assert decision.plan == ("swim",)
    assert asked == []


def test_a_way_that_would_need_a_thing_to_be_and_not_to_be_is_no_reason_to_look() -> None:
    creep = step("creep", {"awake": False}, {"inside": True}, cost=0.1)
    knock = step("knock", {"awake": True, "inside": True}, {"met": True}, cost=0.1)
    ring = step("ring", {}, {"inside": True, "met": True}, cost=0.25)
    world = problem({"awake": None}, creep, knock, ring, aims=(aim({"met": True}),))

    decision, asked = decide(world, truths({"awake": True}))

    assert decision.plan == ("ring",)
    assert asked == []


def test_nothing_is_looked_into_without_somebody_to_ask() -> None:
    world = problem({"ferry_runs": None, "across": False}, FERRY, ROAD, aims=(ACROSS,))

    decision = make_planner("goap").decide(world)

    assert decision.plan == ("drive_round",)
    assert decision.evaluated == ()


def test_an_unknown_that_only_a_worse_goal_needs_is_left_alone() -> None:
    island, home = aim({"island": True}, name="island", value=0.3), aim({"home": True}, name="home")
    row = step("row", {"calm": True}, {"island": True}, cost=0.1)
    stay = step("stay", {}, {"home": True})
    world = problem({"calm": None}, row, stay, aims=(island, replace(home, value=0.9)))

    decision, asked = decide(world, truths({"calm": True}))

    assert decision.goal == "home"
    assert asked == []


def test_an_unknown_is_looked_into_if_a_goal_might_win_by_its_being_false() -> None:
    # By boat the island is cheap and worth little; round the bay it is dear and worth a lot.
    row = step("row", {"calm": True}, {"island": True}, cost=0.1)
    walk = step("walk", {}, {"island": True}, cost=0.5, value=1.0)
    stay = step("stay", {}, {"home": True})
    aims = (aim({"island": True}, name="island"), aim({"home": True}, name="home", value=0.2))
    world = problem({"calm": None}, row, walk, stay, aims=aims)

    calm, asked = decide(world, truths({"calm": True}))
    rough, _ = decide(world, truths({"calm": False}))

    assert asked == ["calm"]
    assert (calm.goal, calm.plan) == ("home", ("stay",))
    assert (rough.goal, rough.plan) == ("island", ("walk",))


def test_a_plan_leans_only_on_what_it_has_not_settled_itself() -> None:
    reset = step("reset", {}, {"clean": True, "pieces": False})
    set_up = step("set_up", {"clean": True, "pieces": False}, {"set": True})
    task = Domain([reset, set_up]).compile(aim({"set": True}), frozenset())
    doubted = task.literals_of("pieces")

    assert leaned_on(task, [0, 1], doubted) == []
    assert leaned_on(task, [1], doubted) == [doubted]


@given(ONE_GOAL, TRUTHS)
@settings(max_examples=60, deadline=None)
def test_the_plan_costs_what_it_would_if_everything_were_known(
    world: Problem, truth: dict[str, Truth]
) -> None:
    decision, _ = decide(world, truth)

    known = replace(world, state={**world.state, **{c: truth[c] for c in unknown(world)}})
    assert price(world, decision) == cheapest(known, world.aims[0].pre)
    assert decision.plan is None or reaches(known, decision.plan, world.aims[0].pre)


@given(ONE_GOAL, TRUTHS)
@settings(max_examples=60, deadline=None)
def test_a_condition_is_looked_into_at_most_once_and_is_told(
    world: Problem, truth: dict[str, Truth]
) -> None:
    decision, asked = decide(world, truth)

    assert tuple(asked) == decision.evaluated
    assert len(set(asked)) == len(asked)
    assert set(asked) <= set(unknown(world))


@given(SEVERAL_GOALS, TRUTHS)
@settings(max_examples=60, deadline=None)
def test_among_goals_the_choice_is_what_it_would_be_if_everything_were_known(
    world: Problem, truth: dict[str, Truth]
) -> None:
    decision, _ = decide(world, truth)

    known = replace(world, state={**world.state, **{c: truth[c] for c in unknown(world)}})
    best = make_planner("goap").decide(known)
    assert (decision.goal, decision.net_value) == (best.goal, best.net_value)


def test_one_unknown_is_looked_into_exactly_when_no_plan_is_best_whatever_it_is() -> None:
    looked = 0
    for seed in range(1_500):
        world = draw(seeded(seed), DOUBTFUL)
        if len(unknown(world)) != 1:
            continue
        (condition,) = unknown(world)
        worlds = [replace(world, state={**world.state, condition: truth}) for truth in Truth]

        _, asked = decide(world, {condition: Truth.TRUE})

        assert bool(asked) != is_one_plan_best_in_all(worlds), seed
        looked += len(asked)
    assert looked > 20


def is_one_plan_best_in_all(worlds: list[Problem]) -> bool:
    """Whether some plan is best in each of the worlds; or there is none in any."""
    goal = worlds[0].aims[0].pre
    decisions = [make_planner("goap").decide(world) for world in worlds]
    if len({price(world, d) for world, d in zip(worlds, decisions, strict=True)}) > 1:
        return False
    if decisions[0].plan is None:
        return True
    # A plan that runs in all of them leans on nothing, so it runs where the condition is absent.
    (condition,) = [c for c in worlds[0].state if worlds[0].state[c] is not worlds[1].state[c]]
    state = {c: truth for c, truth in worlds[0].state.items() if c != condition}
    absent = cheapest(replace(worlds[0], state=state), goal)
    return absent == price(worlds[0], decisions[0])


def test_many_doubts_are_settled_in_few_looks() -> None:
    steps = [step(f"walk{n}", {f"at{n}": True}, {f"at{n + 1}": True}, cost=0.3) for n in range(12)]
    for n, jump in product(range(0, 10, 2), (2,)):
        shortcut = {f"at{n}": True, f"open{n}": True}
        steps.append(step(f"jump{n}", shortcut, {f"at{n + jump}": True}, cost=0.5))
    start = {"at0": True, **{f"open{n}": None for n in range(0, 10, 2)}}
    world = problem(start, *steps, aims=(aim({"at4": True}),))

    decision, asked = decide(world, truths({f"open{n}": True for n in range(10)}))

    assert decision.plan == ("jump0", "jump2")
    assert sorted(asked) == ["open0", "open2"]
