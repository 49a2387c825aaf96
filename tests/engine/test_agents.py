# mypy: disable-error-code="empty-body"
"""Agents, the goals that actions reach, and invocations by the type of the result."""

from dataclasses import dataclass

import pytest

from reactor import (
    AgentInvocation,
    BadPlatform,
    EmptyScope,
    Goal,
    Package,
    Platform,
    Scope,
    Status,
    UtilityInvocation,
    achieves_goal,
    action,
    agent,
    component,
)
from reactor.invocation import NobodyGives, NotReached, RunningLoop, SeveralAgents
from reactor.plan import Truth
from reactor.platform import UnknownAgent, UnknownGoal


@dataclass(frozen=True)
class Question:
    text: str


@dataclass(frozen=True)
class Sources:
    found: int


@dataclass(frozen=True)
class Answer:
    text: str


@dataclass(frozen=True)
class LongAnswer(Answer): ...


@dataclass(frozen=True)
class Nowhere: ...


@agent("Answers questions.")
class AnswerAgent:
    @action(cost=0.2)
    def search(self, question: Question) -> Sources:
        return Sources(2)

    @achieves_goal("A question is answered.", value=0.9, tags=["support"], examples=["why?"])
    @action(cost=0.1)
    def answer(self, question: Question, sources: Sources) -> LongAnswer:
        return LongAnswer(f"{question.text} {sources.found}")

    @action(value=1.0)
    def do_something_else(self, question: Question) -> None: ...


@component
class Bystander:
    @action(value=0.5)
    def watch(self, question: Question) -> Nowhere:
        return Nowhere()


def platform_of(*components: type, goals: tuple[Goal, ...] = ()) -> Platform:
    package = Package(
        name="team", components=components, distribution="d-team", version="1", goals=goals
    )
    return Platform(packages=[package])


PLATFORM = platform_of(AnswerAgent, Bystander)


def test_an_agent_is_found_by_what_it_gives_and_does_only_what_leads_there() -> None:
    process = AgentInvocation.on(PLATFORM).returning(Answer).run(Question("why"))

    assert [run.action for run in process.history] == ["answer.search", "answer.answer"]
    assert process.status is Status.COMPLETED
    assert process.head.goal == "answer.answer"
    assert (process.head.agent, process.head.planner) == ("answer", "goap")


def test_an_invocation_gives_the_result_itself() -> None:
    assert AgentInvocation.on(PLATFORM).returning(Answer).invoke(Question("why")) == LongAnswer(
        "why 2"
    )


def test_the_planner_that_is_declared_can_be_overridden() -> None:
    process = (
        AgentInvocation.on(PLATFORM).returning(Answer).with_planner("hybrid").run(Question("?"))
    )

    assert process.history[0].action == "answer.do_something_else"
    assert process.head.planner == "hybrid"


def test_a_goal_is_described_by_its_mark_and_holds_when_its_action_has_run() -> None:
    goal = PLATFORM.goals["answer.answer"]

    assert goal.aim.pre == {"has(LongAnswer)": Truth.TRUE, "ran(answer.answer)": Truth.TRUE}
    assert (goal.aim.value, goal.mark.tags, goal.mark.examples) == (0.9, ("support",), ("why?",))
    assert goal.gives == (LongAnswer,)


def test_what_an_agent_can_do_is_in_no_pool_but_by_its_name() -> None:
    pool = PLATFORM.repertoire(Scope.platform())
    own = PLATFORM.repertoire(Scope.from_agents("answer"))

    assert list(pool.actions) == ["bystander.watch"]
    assert pool.real_aims == ()
    assert "answer.search" in own.actions
    assert [aim.name for aim in own.real_aims] == ["answer.answer"]
    assert own is PLATFORM.repertoire(Scope.from_components("answer"))


def test_a_scope_without_actions_says_which_agents_could_be_named() -> None:
    platform = platform_of(AnswerAgent)

    with pytest.raises(EmptyScope, match="agents, to be named each: answer"):
        platform.repertoire(Scope.platform())


def test_components_of_a_scope_work_towards_any_type_that_they_give() -> None:
    process = AgentInvocation.on(PLATFORM).returning(Nowhere).run(Question("why"))

    assert [run.action for run in process.history] == ["bystander.watch"]
    assert process.head.goal == "has(Nowhere)"
    assert process.status is Status.COMPLETED


def test_an_agent_is_put_together_from_a_scope() -> None:
    scope = Scope.from_agents("answer") | Scope.from_components("bystander")

    process = AgentInvocation.on(PLATFORM).returning(Answer).with_scope(scope).run(Question("?"))

    assert [run.action for run in process.history] == ["answer.search", "answer.answer"]


def test_a_result_that_nobody_gives_is_refused_with_what_there_is() -> None:
    with pytest.raises(NobodyGives, match="nothing in the scope platform gives a int"):
        AgentInvocation.on(PLATFORM).returning(int).run(Question("why"))


def test_several_agents_for_one_result_have_to_be_named() -> None:
    @agent("Guesses.")
    class GuessAgent:
        @achieves_goal("Guessed.")
        @action
        def guess(self, question: Question) -> Answer:
            return Answer("42")

    platform = platform_of(AnswerAgent, GuessAgent)
    invocation = AgentInvocation.on(platform).returning(Answer)

    with pytest.raises(SeveralAgents, match="answer, guess; name one"):
        invocation.run(Question("why"))
    assert invocation.with_agent_name("guess").invoke(Question("why")) == Answer("42")


def test_an_agent_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownAgent, match="no agent 'oracle'; installed agents: answer"):
        AgentInvocation.on(PLATFORM).returning(Answer).with_agent_name("oracle").run()


def test_a_goal_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownGoal, match=r"did you mean answer\.answer\?"):
        PLATFORM.repertoire(Scope.from_agents("answer"), frozenset({"answer.anwser"}))


def test_a_result_that_was_not_reached_is_an_error_that_says_why() -> None:
    why = (
        r"there is no Answer: the process is STUCK, no plan leads to answer\.answer: "
        r"has\(Question\) is false, needs true, and nothing brings that about"
    )
    with pytest.raises(NotReached, match=why):
        AgentInvocation.on(PLATFORM).returning(Answer).invoke(Nowhere())


async def test_async_code_awaits_an_invocation() -> None:
    invocation = AgentInvocation.on(PLATFORM).returning(Answer)

    assert await invocation.invoke_async(Question("why")) == LongAnswer("why 2")
    with pytest.raises(RunningLoop):
        invocation.invoke(Question("why"))


def test_a_goal_of_a_component_counts_in_its_pool() -> None:
    @component
    class Helper:
        @achieves_goal("Helped.")
        @action(value=0.2)
        def help(self, question: Question) -> Answer:
            return Answer("so")

        @action(value=0.9)
        def chat(self, question: Question) -> None: ...

    invocation = UtilityInvocation.on(platform_of(Helper)).with_planner("hybrid")

    process = invocation.run(Question("why"))

    assert process.status is Status.COMPLETED
    assert process.head.goal == "helper.help"


def faults_of(*components: type, goals: tuple[Goal, ...] = ()) -> str:
    with pytest.raises(BadPlatform) as caught:
        platform_of(*components, goals=goals)
    return str(caught.value)


def test_every_fault_of_goals_and_agents_is_told_at_once() -> None:
    @agent("Has no goal.", name="aimless")
    class AimlessAgent:
        @action
        def act(self, question: Question) -> None: ...

    @agent("Plans as nobody can.", planner="magic", name="magician")
    class MagicAgent:
        @achieves_goal("Either.", value=2.0)
        @action
        def act(self, question: Question) -> Answer | Nowhere: ...

        @achieves_goal("No action.")
        def rest(self) -> None: ...

    @agent("Waits for itself.", name="circle")
    class CircleAgent:
        @achieves_goal("Came round.")
        @action(pre=["second"], post=["first"])
        def one(self, question: Question) -> None: ...

        @action(pre=["first"], post=["second"])
        def two(self, question: Question) -> None: ...

    found = faults_of(AimlessAgent, MagicAgent, CircleAgent)

    assert found == (
        "6 fault(s) in the installed components:"
        "\n- package team (d-team 1): aimless is an agent for goap, but no action of it achieves "
        "a goal; mark one with @achieves_goal"
        "\n- package team (d-team 1): goal circle.one hangs on ran(circle.one), which nothing can "
        "bring about; nobody can reach it"
        "\n- package team (d-team 1): magician is an agent for a planner that there is not; "
        "choose one of goap, hybrid, supervisor, utility"
        "\n- package team (d-team 1): magician.act achieves a goal of the value 2.0; give a "
        "number from 0 to 1"
        "\n- package team (d-team 1): magician.act achieves a goal, but gives one of several "
        "types; give them one base class"
        "\n- package team (d-team 1): magician.rest is to achieve a goal, but is no action; mark "
        "it with @action as well"
    )


def test_goals_of_one_name_are_told_with_both_distributions() -> None:
    goal = Goal(name="helped", inputs=(Nowhere,))
    one, two = (
        Package(name=name, components=(cls,), distribution=f"d-{name}", version="2", goals=(goal,))
        for name, cls in (("one", Bystander), ("two", AnswerAgent))
    )

    with pytest.raises(BadPlatform) as caught:
        Platform(packages=[two, one])

    assert (
        "package two (d-two 2): goal helped is there twice, the other one in one (d-one 2)"
        in str(caught.value)
    )


def test_packages_of_one_name_are_told_with_both_distributions() -> None:
    one, two = (
        Package(name="team", components=(cls,), distribution=distribution, version="2")
        for distribution, cls in (("d-one", Bystander), ("d-two", AnswerAgent))
    )

    with pytest.raises(BadPlatform) as caught:
        Platform(packages=[one, two])

    assert "its name is taken by another package, of d-one 2; rename one of them" in str(
        caught.value
    )
