"""States: stages of the work that carry actions of their own."""

from dataclasses import dataclass
from typing import Self

import pytest

from reactor import (
    ActionContext,
    AgentInvocation,
    BadPlatform,
    InfrastructureError,
    Package,
    Platform,
    Process,
    Runner,
    Scope,
    Start,
    Status,
    UtilityInvocation,
    achieves_goal,
    action,
    agent,
    component,
    condition,
    estimate,
    state,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.runner import commit_every_tick


@dataclass(frozen=True)
class Draft:
    text: str


@dataclass(frozen=True)
class Story:
    text: str


@state
@dataclass(frozen=True, slots=True)
class Stage:
    draft: Draft

    @action(cost=0.5)
    def give_up(self) -> Story:
        return Story("given up")


@dataclass(frozen=True, slots=True)
class Rough(Stage):
    @action(pre=["is_long"], cost=0.1)
    def shorten(self) -> "Fine":
        return Fine(Draft(self.draft.text[:3]))

    @condition
    def is_long(self) -> bool:
        return len(self.draft.text) > 3


@dataclass(frozen=True, slots=True)
class Fine(Stage):
    @achieves_goal("The story is told.")
    @action(cost=0.1)
    def tell(self) -> Story:
        return Story(self.draft.text)

    @action(cost=0.05)
    def give_up(self) -> Story:
        return Story("a fine one given up")


@agent("Tells stories.")
class TellerAgent:
    @action(cost=0.1)
    def begin(self, draft: Draft) -> Stage:
        return Rough(draft) if len(draft.text) > 3 else Fine(draft)


@state
@dataclass(frozen=True)
class Sent:
    draft: Draft

    @achieves_goal("Printed.")
    @action
    def print(self, printer: "Printer") -> Story:
        return printer.print(self.draft)


class Printer:
    def __init__(self) -> None:
        self.is_away = True

    def print(self, draft: Draft) -> Story:
        if self.is_away:
            raise InfrastructureError("printer", "out of paper")
        return Story(draft.text)


@agent("Prints stories.")
class PrinterAgent:
    @action
    def send(self, draft: Draft) -> Sent:
        return Sent(draft)


@pytest.fixture
def teller() -> AgentInvocation[Story]:
    return AgentInvocation.on(platform_of(TellerAgent)).returning(Story)


def platform_of(*components: type) -> Platform:
    return Platform(packages=[Package(name="team", components=components)])


def ran(process: Process) -> list[str]:
    return [run.action.partition(".")[2] for run in process.history]


def in_sight(process: Process) -> list[str]:
    return [type(entry.value).__name__ for entry in process.board.visible]


def test_a_state_brings_its_actions_and_hides_the_state_before(
    teller: AgentInvocation[Story],
) -> None:
    process = teller.run(Draft("long"))

    assert ran(process) == ["begin", "Rough.shorten", "Fine.tell"]
    assert in_sight(process) == ["Draft", "Fine", "Story"]
    assert process.status is Status.COMPLETED


async def test_a_process_that_resumes_finds_the_state_where_it_was() -> None:
    clock, printer = ManualClock(), Printer()
    package = Package(name="team", components=(PrinterAgent,))
    platform = Platform(packages=[package], services={Printer: printer})
    boards = MemoryBoards(Codec(platform.catalog), clock)
    start = Start(
        process_id="p-1",
        delivery="github.com/d-1",
        reaction="print",
        subject="",
        facts=[("it", Draft("once"))],
        scope=Scope.from_agents("printer"),
        planner="goap",
    )
    runner = Runner(
        platform=platform, boards=boards, clock=clock, owner="w", must_commit=commit_every_tick
    )

    with runner:
        with pytest.raises(InfrastructureError):
            await runner.run(start)
        printer.is_away = False
        ran = await runner.run(start)

    stored = await boards.read("p-1")
    assert ran.head.status is Status.COMPLETED
    assert stored is not None
    assert [run.action for run in stored.history] == ["printer.send", "printer.Sent.print"]


def test_only_the_actions_of_the_state_in_sight_are_on_offer(
    teller: AgentInvocation[Story],
) -> None:
    process = teller.run(Draft("ab"))

    assert ran(process) == ["begin", "Fine.tell"]


def test_the_actions_of_all_subclasses_of_a_declared_result_are_registered() -> None:
    platform = platform_of(TellerAgent)

    assert list(platform.actions) == [
        "teller.Fine.give_up",
        "teller.Fine.tell",
        "teller.Rough.shorten",
        "teller.Stage.give_up",
        "teller.begin",
    ]
    assert list(platform.goals) == ["teller.Fine.tell"]


def test_an_inherited_action_does_not_run_where_a_subclass_has_its_own() -> None:
    platform = platform_of(TellerAgent)

    pre = platform.actions["teller.Stage.give_up"].pre

    assert "has(Stage but no Fine)" in pre
    assert platform.actions["teller.begin"].effects["has(Stage but no Fine)"]


@state
@dataclass(frozen=True)
class Waiting:
    rounds: int = 0

    @action(pre=["waiting.rounds < 2"], can_rerun=True, clear_blackboard=True, value=0.5)
    def go_on(self) -> "Waiting":
        return Waiting(self.rounds + 1)

    @action(pre=["waiting.rounds == 2"], value=0.1)
    def end(self) -> Story:
        return Story("done")


@component
class Looper:
    @action
    def begin(self, draft: Draft) -> Waiting:
        return Waiting()


def test_a_loop_clears_the_board_and_what_it_needs_travels_in_the_state() -> None:
    process = UtilityInvocation.on(platform_of(Looper)).terminate_when_stuck().run(Draft("x"))

    assert ran(process) == ["begin", "Waiting.go_on", "Waiting.go_on", "Waiting.end"]
    assert in_sight(process) == ["Waiting", "Story"]


@state
@dataclass(frozen=True)
class Patient:
    @action(post=["looked"], value=0.5)
    def look(self, context: ActionContext) -> Self:
        context.set_condition("looked")
        return self

    @action(pre=["looked"], value=0.1)
    def act(self) -> Story:
        return Story("acted")


@component
class Looker:
    @action
    def begin(self, draft: Draft) -> Patient:
        return Patient()


def test_a_state_that_returns_itself_stays_without_a_transition() -> None:
    process = UtilityInvocation.on(platform_of(Looker)).terminate_when_stuck().run(Draft("x"))

    entries = [e for e in process.board.entries if isinstance(e.value, Patient)]
    assert ran(process) == ["begin", "Patient.look", "Patient.act"]
    assert [process.board.is_hidden(entry) for entry in entries] == [False]


@component
class Adder:
    @action
    def begin(self, draft: Draft) -> Waiting:
        return Waiting(5)

    @action(pre=["waiting.rounds == 5"])
    def leave(self, waiting: Waiting, context: ActionContext) -> Patient | None:
        context.add(Patient())
        return None


def test_a_state_that_is_added_through_the_context_is_entered_as_well() -> None:
    process = UtilityInvocation.on(platform_of(Adder)).terminate_when_stuck().run(Draft("x"))

    assert "Waiting" not in in_sight(process)
    assert "Patient" in in_sight(process)


@state
@dataclass(frozen=True)
class Priced:
    share: float

    @estimate(0.1)
    def price(self) -> float:
        return self.share

    @action(cost=price)
    def pay(self) -> Story:
        return Story("paid")


@component
class Payer:
    @action
    def begin(self, draft: Draft) -> Priced:
        return Priced(0.75)


def test_a_state_works_out_what_its_actions_cost() -> None:
    process = UtilityInvocation.on(platform_of(Payer)).terminate_when_stuck().run(Draft("x"))

    assert process.decisions[1]["candidates"] == [
        {"action": "payer.Priced.pay", "net_value": -0.75, "cost": 0.75, "value": 0.0}
    ]


def test_components_of_a_pool_share_their_states_and_agents_do_not() -> None:
    @component
    class Another:
        @action
        def begin_too(self, draft: Draft) -> Priced:
            return Priced(0.5)

    @agent("Pays by itself.", planner="utility")
    class OwnAgent:
        @action
        def begin(self, draft: Draft) -> Priced:
            return Priced(0.5)

    platform = platform_of(Payer, Another, OwnAgent)

    assert [name for name in platform.actions if "pay" in name.split(".")] == [
        "another.Priced.pay",
        "own.Priced.pay",
    ]


def test_a_state_inside_a_function_is_refused() -> None:
    @state
    @dataclass(frozen=True)
    class Inside:
        @action
        def act(self) -> Story:
            return Story("never")

    def begin(self: object, draft: Draft) -> object:
        return Inside()

    begin.__annotations__["return"] = Inside
    cls = component(name="nester")(type("Nester", (), {"begin": action(begin)}))

    with pytest.raises(BadPlatform, match="nester: Inside is a state defined inside a function"):
        platform_of(cls)


@state
class Unstorable:
    @action
    def act(self) -> Story:
        return Story("never")


def test_a_state_that_is_no_value_is_refused() -> None:
    @component
    class Careless:
        @action
        def begin(self, draft: Draft) -> Unstorable:
            return Unstorable()

    with pytest.raises(BadPlatform, match="Unstorable is a state that could not be stored"):
        platform_of(Careless)


class Outer:
    @state
    @dataclass(frozen=True)
    class Inner:
        @action
        def act(self) -> Story:
            return Story("inner")


def test_a_state_may_stand_inside_a_class() -> None:
    @component
    class Nesting:
        @action
        def begin(self, draft: Draft) -> Outer.Inner:
            return Outer.Inner()

    process = UtilityInvocation.on(platform_of(Nesting)).terminate_when_stuck().run(Draft("x"))

    assert ran(process) == ["begin", "Inner.act"]


@state
@dataclass(frozen=True)
class Selfless:
    @action
    def act() -> Story:  # type: ignore[misc]  # the fault
        return Story("never")


def test_an_action_of_a_state_takes_the_state() -> None:
    @component
    class Careless:
        @action
        def begin(self, draft: Draft) -> Selfless:
            return Selfless()

    with pytest.raises(BadPlatform, match=r"careless\.Selfless\.act takes no self"):
        platform_of(Careless)


class Fallback:
    @action(cost=0.9)
    def fall_back(self) -> Story:
        return Story(f"fallen back from {type(self).__name__}")


@state
@dataclass(frozen=True)
class Alone(Fallback):
    """A state that has an action from a class that is no state."""


@dataclass(frozen=True)
class AloneToo(Alone):
    """And its subclass, for which the very same action counts."""


@component
class Mixer:
    @action
    def begin(self, draft: Draft) -> Alone:
        return AloneToo()


def test_a_state_has_the_actions_of_all_its_bases_once() -> None:
    platform = platform_of(Mixer)

    process = UtilityInvocation.on(platform).terminate_when_stuck().run(Draft("x"))

    assert list(platform.actions) == ["mixer.Alone.fall_back", "mixer.begin"]
    assert process.board.last(Story) == Story("fallen back from AloneToo")


def test_the_order_of_components_makes_no_difference() -> None:
    components = (Looper, Looker, Payer, Mixer, TellerAgent)

    there, back = platform_of(*components), platform_of(*components[::-1])

    for name, found in there.actions.items():
        assert (found.pre, found.effects) == (back.actions[name].pre, back.actions[name].effects)
    assert list(there.actions) == list(back.actions)
    assert list(there.goals) == list(back.goals)


def test_two_states_of_one_name_are_refused() -> None:
    other: type = state(
        dataclass(frozen=True)(type("Priced", (), {"__module__": "elsewhere", "pay": Priced.pay}))
    )

    def begin(self: object, draft: Draft) -> object:
        return other()

    begin.__annotations__["return"] = other
    cls = component(name="payer")(
        type("Two", (), {"begin": action(begin), "pay_first": Payer.begin})
    )

    with pytest.raises(BadPlatform, match=r"payer\.Priced\.pay belongs to two states, in"):
        platform_of(cls)


@dataclass(frozen=True)
class Note:
    text: str


class Slotted(Note):
    by: str = ""


FIRST_MADE = Slotted  # kept, so that it stays among the subclasses of `Note`
Slotted = dataclass(frozen=True, slots=True)(Slotted)  # type: ignore[misc]  # as a decorator does


def test_a_class_that_slots_made_anew_counts_once() -> None:
    @component
    class Writer:
        @action
        def write(self, draft: Draft) -> Note:
            return Slotted("x")

    catalog = platform_of(Writer).catalog

    assert FIRST_MADE in Note.__subclasses__()
    assert Slotted in catalog
    assert FIRST_MADE not in catalog
