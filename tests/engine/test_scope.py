"""Scopes select among what is installed, and compose."""

import pytest

from reactor import EmptyScope, Goal, Package, Platform, Scope, action, component


@component
class Left:
    @action
    def one(self) -> None: ...

    @action
    def two(self) -> None: ...


@component
class Right:
    @action
    def three(self) -> None: ...


@component
class Far:
    @action
    def four(self) -> None: ...


FAR = Far()
PLATFORM = Platform(
    packages=[
        Package(name="near", components=(Right, Left), goals=(Goal(name="near_goal"),)),
        Package(name="far", components=(FAR,), goals=(Goal(name="far_goal"),)),
    ]
)

near, far = Scope.from_packages("near"), Scope.from_packages("far")
left, right = Scope.from_components("left"), Scope.from_components("right")


@pytest.mark.parametrize(
    ("scope", "selected"),
    [
        (Scope.platform(), "far.four left.one left.two right.three"),
        (near, "left.one left.two right.three"),
        (Scope.from_packages("far", "near") - near, "far.four"),
        (left | far, "far.four left.one left.two"),
        (near & right, "right.three"),
        (near - right, "left.one left.two"),
        (Scope.from_instance(FAR), "far.four"),
        (near.where(lambda item: item.name.endswith("o")), "left.two"),
        ((left | right) & near - left, "right.three"),
    ],
)
def test_a_scope_selects_actions(scope: Scope, selected: str) -> None:
    assert " ".join(PLATFORM.repertoire(scope).actions) == selected


def test_goals_belong_to_their_package() -> None:
    aims = [aim.name for aim in PLATFORM.repertoire(near).aims]

    assert aims == ["near_goal", "nirvana"]


def test_a_scope_of_nothing_says_what_there_is() -> None:
    with pytest.raises(EmptyScope) as caught:
        PLATFORM.repertoire(near & far)

    assert str(caught.value) == (
        "the scope (packages(near) & packages(far)) selects no action; "
        "installed packages: far, near"
    )


def test_scopes_of_one_content_share_what_planners_have_compiled() -> None:
    first, second = PLATFORM.repertoire(left | right), PLATFORM.repertoire(near)
    third = PLATFORM.repertoire(right | left | near)

    assert third is second
    assert first is not second  # the goal belongs to the package, not to its components
    assert first.steps_at({}) is first.steps
