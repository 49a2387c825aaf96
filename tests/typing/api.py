"""What a component author and an operator write, as a type checker sees it; checked, never run.

Every `type: ignore` here is a promise that wrong code is refused: an unused one is an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Protocol, assert_type

from pydantic import BaseModel

from reactor import (
    ActionContext,
    AgentInvocation,
    AlreadyDone,
    Attempt,
    Blackboard,
    Confirmation,
    Effect,
    EffectDelayed,
    EffectRecord,
    EffectRefused,
    Goal,
    MaxUsage,
    Named,
    Not,
    Package,
    PassingError,
    Platform,
    Process,
    ProcessEvent,
    ProcessOptions,
    RetryPolicy,
    Run,
    Scope,
    Status,
    Subprocess,
    SubprocessEnded,
    UtilityInvocation,
    achieves_goal,
    action,
    agent,
    component,
    condition,
    estimate,
    executes,
    state,
    wait_for,
)


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Assessment:
    urgency: float


class AddLabels(Effect):
    labels: tuple[str, ...]


class TriageSettings(BaseModel):
    urgent_at: float = 0.7


class Store(Protocol):
    async def is_known(self, issue: Issue) -> bool: ...


@component(settings=TriageSettings, effects=(AddLabels,), events=["issues.opened"])
class TriageComponent:
    """The marks leave classes and methods as they are."""

    def __init__(self, settings: TriageSettings, store: Store) -> None:
        self.settings, self.store = settings, store

    @estimate(0.5)
    def value_of_speed(self, assessment: Assessment) -> float:
        return assessment.urgency

    @condition
    def is_quiet(self, board: Blackboard) -> bool:
        return not board.has(Assessment)

    @condition(cost=0.3)
    async def is_known(self, issue: Issue) -> bool:
        return await self.store.is_known(issue)

    @action(output="issue", cost=0.1, value=0.9, pre=[Not("is_known")])
    async def save(self, issue: Issue) -> Issue | None:
        return issue

    @action(trigger=Issue, can_rerun=True, retry=RetryPolicy(attempts=5, on=(KeyError,)))
    def assess(self, issue: Annotated[Issue, Named], every: list[Issue]) -> Assessment:
        raise PassingError

    @action(pre="assessment.urgency > settings.urgent_at", value=value_of_speed, timeout_s=3.0)
    async def escalate(
        self, issue: Issue, assessment: Assessment | None, context: ActionContext
    ) -> list[AddLabels]:
        context.set_condition("escalated")
        assert_type(context.board.last(Issue), Issue | None)
        return [AddLabels(labels=("urgent",))]

    @action
    def bare(self) -> None: ...


@component
class Bare: ...


async def marks_keep_signatures(triage: TriageComponent) -> None:
    issue = Issue("x")
    assert_type(await triage.save(issue), Issue | None)
    assert_type(triage.assess(issue, [issue]), Assessment)
    assert_type(triage.value_of_speed(Assessment(0.5)), float)
    assert_type(triage.is_quiet(Blackboard(now=None)), bool)  # type: ignore[arg-type]
    assert_type(await triage.is_known(issue), bool)
    assert_type(Bare(), Bare)
    triage.bare()

    await triage.save("no issue")  # type: ignore[arg-type]
    triage.assess(issue)  # type: ignore[call-arg]


@state
@dataclass(frozen=True)
class Stage:
    issue: Issue

    @achieves_goal("It is assessed.", value=0.5, tags=["triage"])
    @action(cost=0.1)
    def assess(self) -> Assessment:
        return Assessment(0.5)


@agent("Assesses issues.", planner="utility", settings=TriageSettings)
class AssessAgent:
    @action
    async def begin(self, issue: Issue) -> Stage:
        return Stage(issue)


async def agents_give_what_was_asked_for(platform: Platform) -> None:
    invocation = AgentInvocation.on(platform).with_agent_name("assess").returning(Assessment)

    assert_type(invocation, AgentInvocation[Assessment])
    assert_type(invocation.with_planner("goap").invoke(Issue("x")), Assessment)
    assert_type(await invocation.invoke_async(Issue("x")), Assessment)
    assert_type(invocation.run(Issue("x")), Process)
    assert_type(await AssessAgent().begin(Issue("x")), Stage)
    assert_type(Stage(Issue("x")).assess(), Assessment)


@component(effects=(AddLabels,))
class Labeller:
    @executes
    async def label(self, effect: AddLabels, attempt: Attempt) -> AlreadyDone | str:
        if attempt.number > 9:
            raise EffectDelayed("busy", retry_in_s=1.5)
        if not effect.labels:
            raise EffectRefused("no labels")
        return AlreadyDone({"id": 17}) if attempt.may_be_done else attempt.key


async def executors_stay_methods(attempt: Attempt) -> None:
    sent = await Labeller().label(AddLabels(labels=("bug",)), attempt)
    assert_type(sent, AlreadyDone | str)
    EffectDelayed("busy")  # type: ignore[call-arg]
    executes(timeout_s=3)  # type: ignore[call-arg]


class Editor:
    @action
    async def ask(self, issue: Issue) -> Assessment:
        assert_type(wait_for.form(Assessment, title="x"), Assessment)
        return wait_for.form(Assessment, title="How urgent?", expires=timedelta(days=1))

    @action(output="confirmed")
    def confirm(self, issue: Issue) -> Confirmation:
        wait_for.confirm(issue)  # type: ignore[call-arg]
        return wait_for.confirm(issue, "Close it?", default=False)

    @action
    async def delegate(self, context: ActionContext) -> Assessment | None:
        ended = await context.run_subprocess(Subprocess(name="assess", scope=Scope.platform()))
        assert_type(ended, SubprocessEnded)
        assert_type(ended.status, Status)
        return ended.board.last(Assessment)


class Helper:
    async def rescue(self, context: ActionContext) -> bool:
        context.set_condition("late")
        return True


def listen(event: ProcessEvent) -> None:
    assert_type(event.head.status, Status)


def options_take_helpers_and_listeners() -> None:
    ProcessOptions(on_stuck=Helper(), listeners=(listen,), concurrent=True)
    ProcessOptions(on_stuck=listen)  # type: ignore[arg-type]
    ProcessOptions(listeners=(Helper(),))  # type: ignore[arg-type]


def wrong_marks_are_refused() -> None:
    agent()  # type: ignore[call-arg]
    achieves_goal("x", value="high")  # type: ignore[arg-type]
    action(pre=[3])  # type: ignore[list-item]
    action(cost="cheap")  # type: ignore[call-overload]
    action(can_rerun="yes")  # type: ignore[call-overload]
    action(unknown=True)  # type: ignore[call-overload]
    condition(cost="dear")  # type: ignore[call-overload]
    component(effects=(Issue,))  # type: ignore[arg-type]
    RetryPolicy(3)  # type: ignore[call-arg]


def platforms_and_invocations(store: Store) -> None:
    platform = Platform(
        packages=[
            Package(
                name="triage",
                components=(TriageComponent, Bare()),
                settings={"urgent_at": 0.5},
                goals=(Goal(name="assessed", inputs=(Assessment,)),),
            )
        ],
        services={Store: store},
        types=(Issue,),
        seeds={"event": Issue},
    )
    options = ProcessOptions(deadline=timedelta(minutes=1)).stopping_at(MaxUsage("tokens", 1e6))
    invocation = (
        UtilityInvocation.on(platform)
        .with_scope((Scope.from_packages("triage") | Scope.platform()) - Scope.from_components("x"))
        .with_agent_name("triage")
        .with_process_options(options)
        .terminate_when_stuck()
    )
    assert_type(invocation, UtilityInvocation)

    process = invocation.run(Issue("x"))

    assert_type(process, Process)
    assert_type(process.status, Status)
    assert_type(process.history, tuple[Run, ...])
    assert_type(process.effects, tuple[EffectRecord, ...])
    assert_type(process.decisions, tuple[Mapping[str, object], ...])
    ProcessOptions(max_actions="many")  # type: ignore[arg-type]
    Platform([])  # type: ignore[call-arg]
    Scope.platform() + Scope.platform()  # type: ignore[operator]
