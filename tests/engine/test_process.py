"""The loop: observe, decide, act, until nothing is left to do."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import pytest

from reactor import (
    ActionContext,
    Blackboard,
    Effect,
    Goal,
    MaxInARow,
    MaxUsage,
    Named,
    Platform,
    Process,
    ProcessOptions,
    ReplanRequested,
    Status,
    TerminateAction,
    TerminateProcess,
    UtilityInvocation,
    action,
    component,
)
from reactor.adapters.clock import ManualClock

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Bug(Issue): ...


@dataclass(frozen=True)
class Answer:
    text: str


@dataclass(frozen=True)
class Summary:
    texts: tuple[str, ...]


class PostComment(Effect):
    text: str


class AddLabel(Effect):
    label: str


async def test_the_most_valuable_action_that_can_run_goes_first(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(value=0.9)
        async def summarize(self, answer: Answer) -> Summary:
            return Summary((answer.text,))

        @action(value=0.5, cost=0.4)
        async def worth_little(self, issue: Issue) -> None: ...

        @action(value=0.3)
        async def answer(self, issue: Issue) -> Answer:
            return Answer(issue.title)

        @action(cost=0.5)
        async def at_a_loss(self, issue: Issue) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("why"))

    assert ran(process) == ["answer", "summarize", "worth_little", "at_a_loss"]
    assert process.status is Status.STUCK
    assert process.board.last(Summary) == Summary(("why",))


async def test_having_nothing_left_to_do_can_be_the_normal_end(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action
        async def answer(self, issue: Issue) -> Answer:
            return Answer("")

    invocation = UtilityInvocation.on(platform_of(Team)).terminate_when_stuck()

    process = await invocation.run_async(Issue("why"))

    assert process.status is Status.TERMINATED
    assert process.head.failure == ""


async def test_of_two_makers_of_one_type_only_the_better_one_runs(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(value=0.2)
        def by_rules(self, issue: Issue) -> Answer:
            return Answer("rules")

        @action(value=0.8)
        def by_model(self, issue: Issue) -> Answer:
            return Answer("model")

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("why"))

    assert ran(process) == ["by_model"]


async def test_nothing_came_of_it_is_no_error_and_leaves_dependants_out(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action
        async def answer(self, issue: Issue) -> Answer | None:
            return None

        @action
        async def summarize(self, answer: Answer) -> Summary: ...  # type: ignore[empty-body]

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("why"))

    assert ran(process) == ["answer"]
    assert process.history[0].outcome == "nothing"
    assert process.head.failure == ""


async def test_results_are_bound_to_their_output(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action(output="known")
        async def save(self, issue: Issue) -> Issue:
            return Issue("saved")

        @action
        async def use(self, known: Annotated[Issue, Named]) -> Answer:
            return Answer(known.title)

        @action
        async def never(self, unknown: Annotated[Issue, Named]) -> Summary: ...  # type: ignore[empty-body]

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("new"))

    assert process.board.last(Answer) == Answer("saved")
    assert process.board.last(Summary) is None


async def test_parameters_take_the_newest_or_all_or_nothing(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action
        async def look(
            self, issue: Issue, all: list[Issue], bug: Bug | None, answer: Answer | None
        ) -> Summary:
            return Summary(
                (issue.title, "+".join(i.title for i in all), repr(bug and bug.title), repr(answer))
            )

    process = await UtilityInvocation.on(platform_of(Team)).run_async(
        Issue("old"), Bug("bug"), Issue("new")
    )

    assert process.board.last(Summary) == Summary(("new", "old+bug+new", "'bug'", "None"))


async def test_a_tuple_lands_as_all_of_its_items(platform_of: PlatformOf) -> None:
    @component(effects=(PostComment,))
    class Team:
        @action
        async def all_at_once(self) -> tuple[Answer, Summary, list[PostComment]]:
            return Answer("a"), Summary(()), [PostComment(text="x"), PostComment(text="y")]

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert process.board.all(Answer) == [Answer("a")]
    assert process.board.all(Summary) == [Summary(())]
    assert [record.effect for record in process.effects] == [
        PostComment(text="x"),
        PostComment(text="y"),
    ]


async def test_effects_are_recorded_and_never_on_the_board(platform_of: PlatformOf) -> None:
    @component(effects=(PostComment,))
    class Team:
        @action
        async def comment(self, issue: Issue) -> PostComment:
            return PostComment(text=issue.title)

        @action
        async def comment_again(self, issue: Issue) -> PostComment:
            return PostComment(text=issue.title)

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("hello"))

    (record,) = process.effects
    assert (record.effect, record.state, record.mode) == (
        PostComment(text="hello"),
        "observed",
        "observe",
    )
    assert record.action == "team.comment"
    assert not process.board.has(Effect)
    assert len(process.history) == 2


async def test_an_effect_that_its_component_did_not_declare_is_refused(
    platform_of: PlatformOf,
) -> None:
    @component(effects=(PostComment,))
    class Team:
        @action
        async def label(self) -> Effect:
            return AddLabel(label="x")

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert process.effects == ()
    assert process.status is Status.FAILED
    assert "returned AddLabel, which team does not declare" in process.head.failure


async def test_a_result_of_another_type_is_a_failure_and_lands_nothing(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action
        async def answer(self) -> Answer:
            return Issue("not an answer")  # type: ignore[return-value]  # that is the point

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert process.board.entries == ()
    assert process.head.failure == (
        "team.answer: WrongResult: team.answer returned a Issue, which it does not declare"
    )


async def test_a_fact_that_would_not_be_found_again_is_a_failure(platform_of: PlatformOf) -> None:
    @dataclass(frozen=True)
    class Box:
        inside: object

    @component
    class Team:
        @action
        async def fill(self) -> Box:
            return Box(inside={1, 2})

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert process.status is Status.FAILED
    assert "brought what can't be kept" in process.head.failure


async def test_a_trigger_lets_an_action_run_once_for_each_entry_oldest_first(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(trigger=Issue, can_rerun=True, value=0.9)
        async def watch(self, issue: Issue, context: ActionContext) -> Answer:
            if issue.title == "first":
                context.add(Issue("third"))
            return Answer(issue.title)

        @action(trigger=Issue, value=0.1)
        async def watch_too(self, issue: Issue) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async(Issue("first"), Bug("second"))

    assert [answer.text for answer in process.board.all(Answer)] == ["first", "second", "third"]
    assert ran(process) == ["watch", "watch", "watch", "watch_too"]


async def test_an_action_runs_once_unless_it_may_again(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @action(can_rerun=True)
        async def spin(self) -> None: ...

        @action(value=0.1)
        async def once(self) -> None: ...

    options = ProcessOptions(max_actions=4)
    invocation = UtilityInvocation.on(platform_of(Team)).with_process_options(options)

    process = await invocation.run_async()

    assert ran(process) == ["once", "spin", "spin", "spin"]
    assert process.status is Status.TERMINATED
    assert process.journal[-1].data["reason"] == "4 actions have run"


async def test_clearing_the_board_forgets_what_has_run(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @action(value=0.9)
        async def look(self, issue: Issue) -> Answer:
            return Answer(issue.title)

        @action(clear_blackboard=True, value=0.5)
        async def start_over(self, answer: Answer) -> Issue:
            return Issue("next")

    options = ProcessOptions(max_actions=4)
    invocation = UtilityInvocation.on(platform_of(Team)).with_process_options(options)

    process = await invocation.run_async(Issue("first"))

    assert ran(process) == ["look", "start_over", "look", "start_over"]
    assert [entry.value for entry in process.board.visible] == [Issue("next")]


async def test_what_an_action_writes_itself_is_kept_with_its_name(platform_of: PlatformOf) -> None:
    @component(flags=("seen",))
    class Team:
        @action
        async def write(self, context: ActionContext, board: Blackboard) -> None:
            context.bind("mine", Answer("bound"))
            board.hide(board.entries[0])
            context.set_condition("seen")

        @action(pre=["seen"])
        async def after(self) -> Summary:
            return Summary(())

    platform = platform_of(Team, types=(Answer,))

    process = await UtilityInvocation.on(platform).run_async(Issue("gone"))

    assert process.board.last(Issue) is None
    entry = next(entry for entry in process.board.visible if entry.name == "mine")
    assert (entry.value, entry.producer) == (Answer("bound"), "team.write")
    assert process.board.has(Summary)


async def test_writing_what_nobody_knows_how_to_keep_is_a_failure(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action
        async def write(self, context: ActionContext) -> None:
            context.add(Answer("of a type that is not in the catalog"))

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert process.board.entries == ()
    assert "its type is not in the catalog" in process.head.failure


async def test_a_flag_is_set_by_the_action_and_not_by_its_promise(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(post=["approved"])
        async def ask(self) -> None: ...

        @action(pre=["approved"])
        async def merge(self) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert ran(process) == ["ask"]


async def test_a_provided_service_wins_over_the_board(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action
        async def use(self, issue: Issue) -> Answer:
            return Answer(issue.title)

    platform = platform_of(Team, services={Issue: Issue("provided")})

    process = await UtilityInvocation.on(platform).run_async(Issue("seeded"))

    assert process.board.last(Answer) == Answer("provided")


async def test_a_real_goal_that_holds_completes_the_process(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(value=0.2)
        async def answer(self, issue: Issue) -> Answer:
            return Answer("")

        @action(value=0.1)
        async def leftover(self, issue: Issue) -> None: ...

    platform = platform_of(Team, goals=(Goal(name="answered", inputs=(Answer,), value=0.9),))

    process = await UtilityInvocation.on(platform).with_planner("hybrid").run_async(Issue("x"))

    assert ran(process) == ["answer"]
    assert process.status is Status.COMPLETED
    assert process.head.goal == "answered"


async def test_an_action_may_ask_for_another_plan(platform_of: PlatformOf, ran: Ran) -> None:
    tries = []

    @component
    class Team:
        @action(value=0.9)
        async def straight(self) -> Answer:
            tries.append(1)
            if len(tries) == 1:
                raise ReplanRequested("the door is shut", {"shut": True})
            return Answer("straight")

        @action(value=0.1, pre=["shut"], post=["shut"])
        async def round_about(self) -> Summary:
            return Summary(())

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert ran(process) == ["straight", "round_about", "straight"]
    assert [run.outcome for run in process.history] == ["replan", "done", "done"]
    assert process.status is Status.STUCK


async def test_an_action_may_end_itself_or_the_process(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @action(value=0.9)
        async def give_up(self) -> Answer:
            raise TerminateAction("nothing to say")

        @action(value=0.5)
        async def stop_all(self) -> Summary:
            raise TerminateProcess("that is enough")

        @action(value=0.1)
        async def never(self) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert ran(process) == ["give_up", "stop_all"]
    assert process.status is Status.TERMINATED
    assert process.journal[-1].data["reason"] == "team.stop_all asked for it: that is enough"


async def test_limits_compose(platform_of: PlatformOf, clock: ManualClock, ran: Ran) -> None:
    @component
    class Team:
        @action(can_rerun=True, value=0.9)
        async def spin(self, context: ActionContext) -> None:
            clock.move(timedelta(seconds=10))
            context.add_usage("tokens", 40)

    async def run(options: ProcessOptions) -> tuple[int, object]:
        invocation = UtilityInvocation.on(platform_of(Team)).with_process_options(options)
        process = await invocation.run_async()
        assert process.status is Status.TERMINATED
        return len(process.history), process.journal[-1].data["reason"]

    base = ProcessOptions(max_actions=9)
    by_time = ProcessOptions(max_actions=9, deadline=timedelta(seconds=45))
    by_usage = base.stopping_at(MaxUsage("tokens", 100))
    in_a_row = by_usage.stopping_at(MaxInARow(2))

    assert await run(base) == (9, "9 actions have run")
    assert await run(by_time) == (5, "its deadline of 45 s has passed")
    assert await run(by_usage) == (3, "120 of 100 tokens are used")
    assert await run(in_a_row) == (2, "team.spin has run 2 times in a row")


async def test_a_goal_met_by_the_last_action_that_is_allowed_is_met(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action
        async def answer(self) -> Answer:
            return Answer("")

    platform = platform_of(Team, goals=(Goal(name="answered", inputs=(Answer,)),))
    options = ProcessOptions(max_actions=1)

    process = (
        await UtilityInvocation.on(platform)
        .with_planner("hybrid")
        .with_process_options(options)
        .run_async()
    )

    assert process.status is Status.COMPLETED


async def test_what_was_used_is_summed_on_the_process(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action
        async def one(self, context: ActionContext) -> None:
            context.add_usage("tokens", 3)
            context.add_usage("tokens", 4)

        @action
        async def two(self, context: ActionContext) -> None:
            context.add_usage("cost_usd", 0.5)

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert process.head.usage == {"tokens": 7, "cost_usd": 0.5}


async def test_a_killed_process_stays_killed_though_a_result_comes_late(
    platform_of: PlatformOf,
) -> None:
    running: list[Process] = []

    @component(effects=(PostComment,))
    class Team:
        @action
        async def answer(self) -> PostComment:
            running[0].kill("enough of it")
            return PostComment(text="too late")

    from reactor.execution import Executor
    from reactor.process import Engine
    from reactor.start import Start

    start = Start(process_id="p-1", delivery="d-1", reaction="r", subject="s", facts=())
    with Executor() as executor:
        process = Process(Engine(platform_of(Team), ManualClock(), executor), start)
        running.append(process)
        await process.run()
    process.kill("again")

    assert process.status is Status.KILLED
    assert process.effects == ()
    assert process.history == ()
    assert [record.kind for record in process.journal] == ["seeded", "ended"]


@pytest.mark.parametrize("facts", [({"event": Issue("named")},), (Issue("unnamed"),)])
def test_facts_are_given_by_name_or_as_they_are(
    platform_of: PlatformOf, facts: tuple[object, ...]
) -> None:
    @component
    class Team:
        @action
        async def look(self, event: Annotated[Issue, Named]) -> Answer:
            return Answer(event.title)

    process = UtilityInvocation.on(platform_of(Team)).run(*facts)

    named = isinstance(facts[0], dict)
    assert process.board.has(Answer) is named
