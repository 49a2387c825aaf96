"""Conditions are true, false or unknown, asked once per tick and only where it matters."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from reactor import (
    Blackboard,
    Goal,
    InfrastructureError,
    Not,
    Platform,
    Process,
    ProcessOptions,
    UtilityInvocation,
    action,
    component,
    condition,
    estimate,
)
from reactor.adapters.clock import ManualClock
from reactor.blackboard import UnknownValue
from reactor.conditions import Vocabulary
from reactor.history import History
from reactor.plan import Truth
from reactor.scope import Scope
from reactor.testing import context
from reactor.weighing import in_full
from reactor.world import World

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]


@dataclass(frozen=True)
class Issue:
    title: str
    urgency: float = 0.0


@dataclass(frozen=True)
class Answer:
    text: str


class TeamSettings(BaseModel):
    urgent_at: float = 0.7


def unmet(process: Process, tick: int, action: str) -> dict[str, Any]:
    """What kept the action from running in that tick, by condition."""
    records = [record.data for record in in_full(process.journal) if record.kind != "seeded"]
    not_runnable: Any = records[tick]["not_runnable"]
    found = next(entry for entry in not_runnable if entry["action"] == action)
    return {entry["condition"]: (entry["is"], entry.get("reason")) for entry in found["unmet"]}


async def test_an_expression_sees_facts_by_name_and_by_class_and_the_settings(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component(settings=TeamSettings)
    class Team:
        @action(pre=["issue.urgency > settings.urgent_at"])
        async def by_class(self) -> None: ...

        @action(pre=["event.urgency < 0.5"])
        async def by_name(self) -> None: ...

        @action(pre=["event.urgency >= 0.5"])
        async def never(self) -> None: ...

    platform = platform_of(Team, types=(Issue,))
    process = await UtilityInvocation.on(platform).run_async(
        {"event": Issue("calm", 0.1), "it": Issue("urgent", 0.9)}
    )

    assert ran(process) == ["by_class", "by_name"]


async def test_what_is_absent_is_false_and_says_so(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @action(pre=["answer.text == 'x'", "is_short", "told"], post=["told"])
        async def never(self) -> Answer: ...  # type: ignore[empty-body]

        @action(pre=[Not("answer.text == 'x'"), Not("is_short"), Not("told")])
        async def runs(self) -> None: ...

        @condition
        def is_short(self, answer: Answer) -> bool:
            return len(answer.text) < 10

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert ran(process) == ["runs"]
    assert unmet(process, 0, "team.never") == {
        "answer.text == 'x'": ("false", "answer is not on the blackboard"),
        "team.is_short": ("false", "Answer is not on the blackboard"),
        "told": ("false", None),
    }


async def test_an_unknown_condition_satisfies_neither_true_nor_false(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @condition
        def breaks(self) -> bool:
            raise RuntimeError("no idea")

        @condition
        def mumbles(self) -> bool:
            return "perhaps"  # type: ignore[return-value]  # that is the point

        @action(pre=["breaks"])
        async def if_true(self) -> None: ...

        @action(pre=[Not("breaks"), Not("mumbles")])
        async def if_false(self) -> None: ...

        @action(pre=["int(issue.title) > 3"], value=0.5)
        async def if_number(self, issue: Issue) -> None: ...

        @action
        async def otherwise(self) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("x"))

    assert ran(process) == ["otherwise"]
    assert unmet(process, 0, "team.if_true") == {
        "team.breaks": ("unknown", "RuntimeError: no idea")
    }
    assert unmet(process, 0, "team.if_false") == {
        "team.breaks": ("unknown", "RuntimeError: no idea"),
        "team.mumbles": ("unknown", "it returned a str, not true or false"),
    }
    is_now, reason = unmet(process, 0, "team.if_number")["int(issue.title) > 3"]
    assert is_now == "unknown"
    assert reason


async def test_each_condition_is_asked_once_per_tick(platform_of: PlatformOf) -> None:
    asked = Counter[str]()

    @component
    class Team:
        @condition
        def cheap(self) -> bool:
            asked["cheap"] += 1
            return True

        @condition
        async def waits(self, board: Blackboard) -> bool:
            await asyncio.sleep(0)
            asked["waits"] += 1
            return board.has(Issue)

        @action(pre=["cheap", "waits"])
        async def one(self) -> None: ...

        @action(pre=["cheap", Not("waits")])
        async def two(self) -> None: ...

        @action(pre=["cheap"], value=0.2)
        async def three(self) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("x"))

    plannings = len(process.history) + 1
    assert len(process.history) == 2
    assert asked == {"cheap": plannings, "waits": plannings}


async def test_a_costly_condition_is_asked_only_where_the_choice_depends_on_it(
    platform_of: PlatformOf, ran: Ran
) -> None:
    asked: list[str] = []

    @component
    class Team:
        @condition(cost=0.5)
        def dear(self) -> bool:
            asked.append("dear")
            return True

        @condition(cost=0.1)
        def less_dear(self) -> bool:
            asked.append("less_dear")
            return False

        @action(value=0.9)
        async def first(self, issue: Issue) -> None: ...

        @action(value=0.5, pre=["less_dear"])
        async def second(self, issue: Issue) -> None: ...

        @action(value=0.4, pre=["dear"])
        async def third(self, issue: Issue) -> None: ...

        @action(value=0.8, pre=["dear"])
        async def needs_more(self, answer: Answer) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("x"))

    assert ran(process) == ["first", "third"]
    assert asked == ["less_dear", "dear", "less_dear"]
    not_asked = {"team.dear": ("unknown", "not looked into, as the choice did not depend on it")}
    assert unmet(process, 0, "team.third") == not_asked
    assert unmet(process, 2, "team.second") == {"team.less_dear": ("false", None)}


async def test_an_expression_is_evaluated_again_only_when_a_variable_changed(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    @component
    class Team:
        @action(pre=["issue.urgency > 0.5", "answer.text == 'x'"])
        async def act(self) -> Answer: ...  # type: ignore[empty-body]

    platform = platform_of(Team, types=(Issue,))
    board = Blackboard(now=clock.now)
    world = World(platform.repertoire(Scope.platform()), board, {}, lambda: context().process)
    urgent, is_x = "issue.urgency > 0.5", "answer.text == 'x'"

    states = [(await world.observe(History())).state]
    board.add(Issue("x", urgency=0.9))
    states.append((await world.observe(History())).state)
    board.add(Answer("x"))
    states.append((await world.observe(History())).state)
    board.hide(board.entries[0])
    states.append((await world.observe(History())).state)

    truths = [(state[urgent], state[is_x]) for state in states]
    assert truths == [
        (Truth.FALSE, Truth.FALSE),
        (Truth.TRUE, Truth.FALSE),
        (Truth.TRUE, Truth.TRUE),
        (Truth.FALSE, Truth.TRUE),
    ]


async def test_a_costly_condition_may_be_async_and_is_asked_no_more_often(
    platform_of: PlatformOf, ran: Ran
) -> None:
    asked: list[str] = []

    @component
    class Team:
        @condition(cost=0.5)
        async def looks_bad(self, issue: Issue) -> bool:
            asked.append("looks_bad")
            return False

        @condition(cost=0.5)
        async def looks_odd(self, issue: Issue) -> bool:
            asked.append("looks_odd")
            return True

        @condition(cost=0.1)
        async def never_matters(self, issue: Issue) -> bool:
            asked.append("never_matters")
            return True

        @action(pre=["looks_bad"], value=0.9)
        async def escalate(self, issue: Issue) -> None: ...

        @action(pre=["looks_odd"], value=0.8)
        async def answer(self, issue: Issue) -> Answer:
            return Answer("odd")

        @action(pre=["never_matters", "answer.text == 'even'"], value=0.1)
        async def shrug(self, issue: Issue) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("hm"))

    assert ran(process) == ["answer"]
    assert asked == ["looks_bad", "looks_odd", "looks_bad"]
    assert process.decisions[0]["looked_into"] == ["team.looks_bad", "team.looks_odd"]
    assert unmet(process, 0, "team.shrug") == {
        "team.never_matters": ("unknown", "not looked into, as the choice did not depend on it"),
        "answer.text == 'even'": ("false", "answer is not on the blackboard"),
    }


@pytest.mark.parametrize("planner", ["utility", "hybrid", "goap"])
async def test_telling_why_asks_nobody(platform_of: PlatformOf, planner: str) -> None:
    asked: list[str] = []

    @component
    class Team:
        @condition(cost=0.5)
        async def looks_bad(self, issue: Issue) -> bool:
            asked.append("looks_bad")
            return False

        @action(pre=["looks_bad"], value=0.9)
        async def escalate(self, issue: Issue) -> None: ...

        @action(value=0.8)
        async def answer(self, issue: Issue) -> Answer:
            return Answer("odd")

    goal = Goal(name="answered", inputs=(Answer,))
    invocation = UtilityInvocation.on(platform_of(Team, goals=(goal,))).with_planner(planner)
    process = await invocation.run_async(Issue("hm"))

    counted = len(asked)
    told = [record.data for record in process.journal]

    assert process.head.goal == "answered"
    assert told
    assert len(asked) == counted == {"utility": 2, "hybrid": 1, "goap": 0}[planner]


async def test_a_cost_or_value_may_depend_on_the_board(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @estimate(0.5)
        def by_urgency(self, issue: Issue) -> float:
            return issue.urgency

        @action(value=by_urgency)
        async def hurry(self, issue: Issue) -> None: ...

        @action(value=0.6)
        async def plod(self, issue: Issue) -> None: ...

    invocation = UtilityInvocation.on(platform_of(Team))

    urgent = await invocation.run_async(Issue("x", urgency=0.9))
    calm = await invocation.run_async(Issue("x", urgency=0.1))

    assert ran(urgent) == ["hurry", "plod"]
    assert ran(calm) == ["plod", "hurry"]
    candidates: Any = calm.decisions[0]["candidates"]
    assert [(c["action"], c["net_value"]) for c in candidates] == [
        ("team.plod", 0.6),
        ("team.hurry", 0.1),
    ]


async def test_the_estimate_counts_while_inputs_are_missing(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @estimate(0.25)
        def by_answer(self, answer: Answer) -> float:
            return 1.0

        @action(value=by_answer)
        async def act(self, issue: Issue) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("x"))

    assert process.decisions[0]["net_value"] == 0.25


async def test_an_action_without_a_price_is_left_out_with_the_reason(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @estimate(0.5)
        def breaks(self, issue: Issue) -> float:
            raise RuntimeError("price list is gone")

        @estimate(0.5)
        def below_nothing(self) -> float:
            return -1.0

        @estimate(0.5)
        def endless(self) -> float:
            return float("inf")

        @action(cost=breaks)
        async def broken(self, issue: Issue) -> None: ...

        @action(cost=below_nothing)
        async def negative(self) -> None: ...

        @action(value=endless)
        async def infinite(self) -> None: ...

        @action
        async def priced(self) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("x"))

    assert ran(process) == ["priced"]
    assert unmet(process, 0, "team.broken") == {
        "excluded(team.broken)": (
            "true",
            "left out, as its cost can't be worked out: RuntimeError: price list is gone",
        )
    }
    assert "its cost came out as -1" in str(unmet(process, 0, "team.negative"))
    assert "its value came out as inf" in str(unmet(process, 0, "team.infinite"))


async def test_trouble_with_a_server_is_nobodys_answer(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @condition
        async def known(self) -> bool:
            raise InfrastructureError("redis", "timed out")

        @action(pre=["known"])
        async def act(self) -> None: ...

    invocation = UtilityInvocation.on(platform_of(Team))

    with pytest.raises(InfrastructureError, match="redis did not answer"):
        await invocation.run_async()


async def test_a_goal_may_rest_on_flags_and_on_what_has_run(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(value=0.2)
        async def one(self) -> None: ...

        @action(value=0.1)
        async def two(self) -> None: ...

        @action
        async def three(self) -> None: ...

    goal = Goal(name="two_ran", ran=("team.two",), value=0.5)
    invocation = UtilityInvocation.on(platform_of(Team, goals=(goal,)))

    process = await invocation.with_planner("hybrid").run_async()

    assert ran(process)[-1] == "two"
    assert process.head.goal == "two_ran"


def test_keys_name_types_apart_only_where_they_must() -> None:
    vocabulary = Vocabulary([Issue, Answer])

    assert vocabulary.has(Issue) == "has(Issue)"
    assert vocabulary.has(Issue, "event") == "has(event: Issue)"
    assert vocabulary.ran("team.act") == "ran(team.act)"
    assert vocabulary.new(Issue, "team.act") == "new(Issue) for team.act"
    assert list(vocabulary.conditions) == [
        "has(Issue)",
        "has(event: Issue)",
        "ran(team.act)",
        "new(Issue) for team.act",
    ]


async def test_two_components_settings_are_never_mixed_up(
    platform_of: PlatformOf, ran: Ran
) -> None:
    class OtherSettings(BaseModel):
        urgent_at: float = 0.1

    @component(settings=TeamSettings)
    class Strict:
        @action(pre=["issue.urgency > settings.urgent_at"])
        async def strict(self) -> None: ...

    @component(settings=OtherSettings)
    class Lenient:
        @action(pre=["issue.urgency > settings.urgent_at"])
        async def lenient(self) -> None: ...

    platform = platform_of(Strict, Lenient, types=(Issue,))
    options = ProcessOptions(terminate_when_stuck=True)

    process = (
        await UtilityInvocation.on(platform)
        .with_process_options(options)
        .run_async(Issue("x", urgency=0.5))
    )

    assert ran(process) == ["lenient"]


async def test_a_value_whose_type_is_not_installed_matches_nothing(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    @component
    class Team:
        @action(pre=["answer.text == 'x'"])
        async def act(self, issue: Issue) -> None: ...

    board = Blackboard(now=clock.now)
    board.bind("answer", UnknownValue("gone:Answer", '{"text": "x"}'))
    board.bind("issue", UnknownValue("gone:Issue", "{}"))
    repertoire = platform_of(Team, types=(Answer,)).repertoire(Scope.platform())

    seen = await World(repertoire, board, {}, lambda: context().process).observe(History())

    assert set(seen.state.values()) == {Truth.FALSE}
    assert seen.reasons == {"answer.text == 'x'": "answer is not on the blackboard"}
