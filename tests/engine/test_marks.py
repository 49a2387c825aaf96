"""Marks only describe: marked classes and methods stay what they were."""

from reactor import Not, component, condition, estimate
from reactor.action import action
from reactor.marks import ActionMark, ComponentMark, ConditionMark, EstimateMark, mark_of


def test_a_marked_method_is_still_the_method_itself() -> None:
    def greet(self: object, name: str) -> str:
        return f"hello {name}"

    marked = action(value=0.5)(greet)

    assert marked is greet
    assert marked(None, "world") == "hello world"


def test_brackets_may_be_left_out() -> None:
    @component
    class Greeter:
        @action
        def greet(self) -> str:
            """Say hello.  At length."""
            return "hello"

        @condition
        def is_awake(self) -> bool:
            return True

    assert mark_of(Greeter.greet, ActionMark) == ActionMark(description="Say hello.  At length.")
    assert mark_of(Greeter.is_awake, ConditionMark) == ConditionMark()
    assert mark_of(Greeter, ComponentMark) == ComponentMark(name="greeter")


def test_a_component_is_named_after_its_class_or_as_it_says() -> None:
    @component
    class IssueTriageComponent: ...

    @component(name="other")
    class Named: ...

    @component
    class Component: ...

    names = [mark_of(cls, ComponentMark) for cls in (IssueTriageComponent, Named, Component)]

    assert [mark.name for mark in names if mark] == ["issue_triage", "other", "component"]


def test_a_single_precondition_needs_no_list() -> None:
    @action(pre="issue.title == 'x'", post=("told", Not("silent")))
    def tell(self: object) -> None: ...

    mark = mark_of(tell, ActionMark)

    assert mark is not None
    assert mark.pre == ("issue.title == 'x'",)
    assert mark.post == ("told", Not("silent"))


def test_a_subclass_does_not_inherit_the_mark_of_its_base() -> None:
    @component
    class Base: ...

    class Derived(Base): ...

    assert mark_of(Base, ComponentMark) is not None
    assert mark_of(Derived, ComponentMark) is None


def test_an_estimate_is_kept_with_its_method() -> None:
    @estimate(0.3)
    def price(self: object, title: str) -> float:
        return len(title) / 100

    assert mark_of(price, EstimateMark) == EstimateMark(0.3)
    assert price(None, "four") == 0.04
