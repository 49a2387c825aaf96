# mypy: disable-error-code="empty-body"
"""Everything is validated when it is registered, and every fault is told at once."""

from dataclasses import dataclass
from typing import Annotated, Protocol

import pytest
from pydantic import BaseModel, ConfigDict

from reactor import (
    BadPlatform,
    Blackboard,
    Effect,
    Goal,
    Named,
    Not,
    Package,
    Platform,
    RetryPolicy,
    action,
    component,
    condition,
    estimate,
)
from reactor.plan import Truth


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Bug(Issue): ...


@dataclass(frozen=True)
class Answer:
    text: str


class Comment(Effect):
    text: str


class Store(Protocol):
    def seen(self) -> bool: ...


class NeverSeen:
    def seen(self) -> bool:
        return False


class HelpSettings(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: int = 3


def faults_of(*components: object, **more: object) -> str:
    package = Package(name="help", components=components, distribution="d-help", version="1.2")
    with pytest.raises(BadPlatform) as caught:
        Platform(packages=[package], **more)  # type: ignore[arg-type]  # as the test gives it
    return str(caught.value)


def pre_of(platform: Platform, name: str) -> dict[str, Truth]:
    return dict(platform.actions[name].pre)


def test_preconditions_follow_from_the_signature_and_the_marks() -> None:
    @component(settings=HelpSettings, flags=("asked",))
    class Helper:
        @action(
            pre=[
                "issue.title.size() > settings.limit",
                "is_open",
                "asked",
                Not("answer.text == ''"),
            ]
        )
        def answer(
            self, issue: Issue, title: Annotated[str, Named], bug: Bug | None, all: list[Bug]
        ) -> Answer | None: ...

        @condition
        def is_open(self, issue: Issue) -> bool:
            return True

    platform = Platform(packages=[Package(name="help", components=(Helper,))])

    assert pre_of(platform, "helper.answer") == {
        "has(Issue)": Truth.TRUE,
        "has(title: str)": Truth.TRUE,
        "has(Bug)": Truth.TRUE,
        "helper: issue.title.size() > settings.limit": Truth.TRUE,
        "helper.is_open": Truth.TRUE,
        "asked": Truth.TRUE,
        "answer.text == ''": Truth.FALSE,
        "has(Answer)": Truth.FALSE,
    }


def test_an_output_need_not_be_new_where_that_makes_no_sense() -> None:
    @component
    class Improver:
        @action(can_rerun=True)
        def again(self) -> Answer: ...

        @action(clear_blackboard=True)
        def afresh(self) -> Answer: ...

        @action(unique_output=False)
        def one_more(self) -> Answer: ...

        @action
        def better(self, answer: Answer) -> Answer: ...

        @action
        def only_one(self) -> Answer: ...

    platform = Platform(packages=[Package(name="p", components=(Improver,))])

    wanting = [name for name, found in platform.actions.items() if "has(Answer)" in found.pre]
    assert wanting == ["improver.better", "improver.only_one"]
    assert pre_of(platform, "improver.better") == {"has(Answer)": Truth.TRUE}
    assert pre_of(platform, "improver.only_one") == {"has(Answer)": Truth.FALSE}


def test_effects_hope_for_bases_and_subclasses_of_what_is_returned() -> None:
    @component
    class Finder:
        @action(output="found", post=["looked", Not("lazy")])
        def find(self) -> Issue | None: ...

        @action(pre=["looked", Not("lazy")])
        def use(self, bug: Bug, issue: Issue, found: Annotated[Issue, Named]) -> None: ...

        @action
        def other(self, named_else: Annotated[Issue, Named], answer: Answer) -> None: ...

    platform = Platform(packages=[Package(name="p", components=(Finder,))])

    assert platform.actions["finder.find"].effects == {
        "has(Bug)": True,
        "has(Issue)": True,
        "has(found: Issue)": True,
        "looked": True,
        "lazy": False,
    }


def test_a_trigger_is_a_condition_of_its_own_action() -> None:
    @component
    class Watcher:
        @action(trigger=Issue)
        def watch(self, issue: Issue) -> None: ...

    platform = Platform(packages=[Package(name="p", components=(Watcher,))])

    assert pre_of(platform, "watcher.watch") == {
        "has(Issue)": Truth.TRUE,
        "new(Issue) for watcher.watch": Truth.TRUE,
    }
    assert platform.actions["watcher.watch"].effects == {"new(Issue) for watcher.watch": False}


def test_two_classes_of_one_name_are_told_apart() -> None:
    one, two = (type("Twin", (), {"__module__": module}) for module in ("first", "second"))

    @component
    class Taker:
        @action
        def take(self, one: one, two: two) -> None: ...  # type: ignore[valid-type]

    platform = Platform(packages=[Package(name="p", components=(Taker,))])

    assert list(platform.actions["taker.take"].pre) == ["has(first.Twin)", "has(second.Twin)"]
    assert platform.known_names["twin"] == one | two


def test_a_component_is_made_with_its_settings_and_what_is_provided() -> None:
    @component(settings=HelpSettings)
    class Helper:
        def __init__(self, settings: HelpSettings, store: Store, spare: Bug | None = None) -> None:
            self.given = (settings, store, spare)

        @action
        def help(self, store: Store) -> None: ...

    store = NeverSeen()
    package = Package(name="help", components=(Helper,), settings={"limit": 7})

    platform = Platform(packages=[package], services={Store: store})

    (made,) = platform.components
    assert isinstance(made.instance, Helper)
    assert made.instance.given == (HelpSettings(limit=7), store, None)
    assert platform.actions["helper.help"].pre == {}


def test_several_components_of_a_package_have_a_section_each() -> None:
    @component(settings=HelpSettings)
    class Left: ...

    @component(settings=HelpSettings)
    class Right: ...

    sections = {"left": {"limit": 1}, "right": {"limit": 2}}
    package = Package(name="help", components=(Left, Right), settings=sections)

    platform = Platform(packages=[package])

    assert [c.settings for c in platform.components] == [
        HelpSettings(limit=1),
        HelpSettings(limit=2),
    ]


def test_a_ready_instance_is_taken_as_it_is() -> None:
    @component
    class Helper:
        def __init__(self, word: str) -> None:
            self.word = word

    mine = Helper("mine")

    platform = Platform(packages=[Package(name="help", components=(mine,))])

    assert platform.components[0].instance is mine


def test_all_faults_are_told_at_once_with_their_origin() -> None:
    @component
    class Helper:
        @action(pre=["isue.title == 'x'", "issue.titel == 'x'", "nope"], value=2)
        def answer(self, issue: Issue) -> Comment: ...

        @action(cost=len)
        def other(self, x) -> None: ...  # type: ignore[no-untyped-def]

    told = faults_of(Helper)

    assert told.startswith("7 fault(s)")
    assert told.count("package help (d-help 1.2): ") == 7
    assert "helper.answer returns Comment, which helper does not declare" in told
    assert "helper.answer has the value 2; give a number from 0 to 1" in told
    assert "helper.answer needs 'nope', which is no condition method, no flag" in told
    assert "did you mean `issue`" in told
    assert "did you mean `title`" in told
    assert "helper.other takes its cost from len, which is no method with @estimate" in told
    assert "helper.other takes x without a type" in told


def test_settings_that_do_not_fit_are_told_without_their_values() -> None:
    @component(settings=HelpSettings)
    class Helper: ...

    package = Package(
        name="help", components=(Helper,), settings={"limit": "s3cret", "more": "s3cret"}
    )

    with pytest.raises(BadPlatform) as caught:
        Platform(packages=[package])

    told = str(caught.value)
    assert "helper has wrong settings: limit: " in told
    assert "more: " in told
    assert "s3cret" not in told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "limti",
            "helper has wrong settings: limti: there is no such setting; did you mean `limit`?",
        ),
        ("xyz", "helper has wrong settings: xyz: there is no such setting (there are: limit)"),
    ],
)
def test_a_setting_that_nobody_knows_is_told_with_those_that_there_are(
    name: str, told: str
) -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")

        limit: int = 1

    @component(settings=Strict)
    class Helper: ...

    with pytest.raises(BadPlatform) as caught:
        Platform(packages=[Package(name="help", components=(Helper,), settings={name: 2})])

    assert told in str(caught.value)


def test_a_setting_with_a_name_of_the_operators_is_a_fault() -> None:
    class Modes(BaseModel):
        mode: str = ""

    @component(settings=Modes)
    class Helper: ...

    with pytest.raises(BadPlatform) as caught:
        Platform(packages=[Package(name="help", components=(Helper,))])

    assert "helper has a setting called mode, which is the operator's with every package" in str(
        caught.value
    )


def test_a_service_that_nobody_provides_is_named() -> None:
    @component
    class Helper:
        def __init__(self, store: Store) -> None: ...

    @component
    class Asker:
        @action
        def ask(self, store: Store) -> None: ...

    told = faults_of(Helper, Asker)

    assert "helper wants store: Store in its constructor" in told
    assert "asker.ask takes store as Store, which nobody provides" in told


@pytest.mark.parametrize(
    ("marks", "complaint"),
    [
        ({"output": "a b"}, "has the output 'a b'; give a plain name"),
        ({"output": "settings"}, "has the output 'settings'"),
        ({"timeout_s": 0}, "give seconds above 0"),
        ({"retry": RetryPolicy(attempts=0)}, "retry policy of 0 attempts"),
        ({"cost": -0.1}, "has the cost -0.1"),
        ({"value": float("nan")}, "has the value nan"),
        ({"value": True}, "has the value True"),
        ({"trigger": "Issue"}, "has the trigger 'Issue', which is no class"),
        ({"pre": ["x ="]}, "bad precondition"),
        ({"pre": ["flag", Not("flag")], "post": ["flag"]}, "can never run: it needs flag to be"),
    ],
)
def test_marks_that_make_no_sense_are_faults(marks: dict[str, object], complaint: str) -> None:
    @component
    class Helper:
        @action(**marks)  # type: ignore[call-overload, untyped-decorator]
        def answer(self) -> Answer: ...

    assert complaint in faults_of(Helper)


def test_an_output_without_a_single_fact_is_a_fault() -> None:
    @component(effects=(Comment,))
    class Helper:
        @action(output="x")
        def speak(self) -> list[Comment]: ...

        @action(output="y")
        def both(self) -> tuple[Issue, Answer]: ...

    told = faults_of(Helper)

    assert "helper.speak has the output 'x', but returns nothing for the blackboard" in told
    assert "helper.both has one output 'y', but returns several facts" in told


def test_conditions_and_estimates_have_rules_of_their_own() -> None:
    @component
    class Helper:
        @condition
        def is_it(self) -> str: ...

        @estimate(0.5)
        async def price(self) -> float: ...

        @estimate(7)
        def worth(self) -> float: ...

        @action(cost=price, value=worth)  # type: ignore[arg-type]  # it must not be async
        def act(self) -> None: ...

    told = faults_of(Helper)

    assert "helper.is_it is a condition, so it must return bool" in told
    assert "helper.act takes its cost from price" in told
    assert "helper.act takes its value from worth" in told


def test_names_are_unique_across_packages() -> None:
    @component
    class Helper: ...

    packages = [
        Package(name="one", components=(Helper,), distribution="d-one", version="1"),
        Package(name="two", components=(Helper,)),
        Package(name="two", components=()),
    ]

    with pytest.raises(BadPlatform) as caught:
        Platform(packages=packages)

    told = str(caught.value)
    assert "package two: helper has the same name as a component of one (d-one 1)" in told
    assert "package two: its name is taken by another package" in told


@pytest.mark.parametrize("other", ["a-thief", "zealot"])
def test_the_name_of_a_component_belongs_to_the_package_that_is_called_so(other: str) -> None:
    @component(name="road_signs")
    class Helper: ...

    packages = [
        Package(name=other, components=(Helper,)),
        Package(name="road-signs", components=(Helper,)),
    ]

    platform, faults = Platform.without_faulty(packages=packages)

    assert [package.name for package in platform.packages] == ["road-signs"]
    assert [fault.package for fault in faults] == [other]


def test_what_is_no_component_is_refused() -> None:
    class Plain: ...

    @component(api=99)
    class FromTheFuture: ...

    @component
    class Broken:
        def __init__(self) -> None:
            raise RuntimeError("no network")

    @component(name="two words")
    class Spaced: ...

    told = faults_of(Plain, FromTheFuture, Broken, Spaced)

    assert "Plain is no component; mark its class with @component" in told
    assert "was written for version 99 of the component interface" in told
    assert "broken can't be made: RuntimeError: no network" in told
    assert "two words has a name that is no identifier" in told


def test_a_goal_that_nobody_can_reach_is_refused() -> None:
    @component
    class Helper:
        @action
        def answer(self) -> Answer: ...

    goals = (
        Goal(name="solved", inputs=(Issue,)),
        Goal(name="done", ran=("helper.forget",)),
        Goal(name="approved", pre=("approved",)),
        Goal(name="answered", inputs=(Answer,), ran=("helper.answer",)),
        Goal(name="answered"),
    )
    package = Package(name="help", components=(Helper,), goals=goals)

    with pytest.raises(BadPlatform) as caught:
        Platform(packages=[package])

    told = str(caught.value)
    assert "goal solved needs a Issue, which no action gives; nobody can reach it" in told
    assert "goal done needs helper.forget to have run, which is not installed" in told
    assert "goal approved needs 'approved', which is no condition method" in told
    assert "goal answered is there twice" in told


def test_a_goal_may_rest_on_what_processes_start_with() -> None:
    @component
    class Helper:
        @action
        def answer(self) -> Answer: ...

    goal = Goal(name="about_an_issue", inputs=(Issue,), pre=("event.title == 'x'",), value=0.5)
    package = Package(name="help", components=(Helper,), goals=(goal,))

    platform = Platform(packages=[package], seeds={"event": Issue})

    assert platform.goals["about_an_issue"].aim.pre == {
        "has(Issue)": Truth.TRUE,
        "event.title == 'x'": Truth.TRUE,
    }


def test_another_components_condition_goes_by_its_full_name() -> None:
    @component
    class Left:
        @condition
        def ready(self) -> bool:
            return True

    @component
    class Right:
        @action(pre=["left.ready"])
        def go(self) -> None: ...

    platform = Platform(packages=[Package(name="p", components=(Left, Right))])

    assert pre_of(platform, "right.go") == {"left.ready": Truth.TRUE}


def test_faulty_packages_can_be_set_aside() -> None:
    @component
    class Good:
        @action
        def go(self) -> None: ...

    class Bad: ...

    packages = [
        Package(name="bad", components=(Bad,), distribution="d-bad", version="3"),
        Package(name="good", components=(Good,)),
    ]

    platform, faults = Platform.without_faulty(packages=packages)

    assert list(platform.actions) == ["good.go"]
    assert [(fault.package, fault.origin) for fault in faults] == [("bad", "d-bad 3")]


def test_everything_that_may_be_stored_is_in_the_catalog() -> None:
    @component(effects=(Comment,))
    class Helper:
        @action
        def act(self, issue: Issue, board: Blackboard) -> Answer: ...

    platform = Platform(packages=[Package(name="p", components=(Helper,))], types=(HelpSettings,))

    assert {Issue, Bug, Answer, Comment, HelpSettings} <= set(platform.catalog)
    assert Blackboard not in platform.catalog
