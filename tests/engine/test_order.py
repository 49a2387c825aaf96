"""The order in which packages, components and actions are loaded never matters."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reactor import Package, Platform, Process, UtilityInvocation, action, component
from reactor.adapters.clock import ManualClock
from reactor.ports import Clock


@dataclass(frozen=True)
class Red:
    by: str


@dataclass(frozen=True)
class Green:
    by: str


@dataclass(frozen=True)
class Blue:
    by: str


COLOURS = (Red, Green, Blue)

Recipe = tuple[int | None, int, float]  # takes, gives, value: few values, so that there are ties

RECIPES = st.tuples(
    st.sampled_from([None, 0, 1, 2]), st.sampled_from([0, 1, 2]), st.sampled_from([0.2, 0.5])
)


def method_of(recipe: Recipe, name: str) -> Callable[..., Any]:
    takes, gives, value = recipe
    colour = COLOURS[gives]

    async def none(self: object) -> Any:
        return colour(by=name)

    async def one(self: object, taken: Any) -> Any:
        return colour(by=name)

    method: Any = none if takes is None else one
    method.__annotations__ = {"return": colour}
    if takes is not None:
        method.__annotations__["taken"] = COLOURS[takes]
    marked: Callable[..., Any] = action(value=value)(method)
    return marked


def component_of(name: str, recipes: list[Recipe]) -> type:
    methods = {f"act_{n}": method_of(recipe, f"{name}.{n}") for n, recipe in enumerate(recipes)}
    return component(name=name)(type(name.title(), (), methods))


def run(packages: list[Package]) -> Process:
    platform = Platform(packages=packages, types=COLOURS, services={Clock: ManualClock()})
    return asyncio.run(UtilityInvocation.on(platform).run_async(Red(by="seed")))


@given(
    recipes=st.lists(st.lists(RECIPES, min_size=1, max_size=3), min_size=2, max_size=4),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_process_is_the_same_in_whatever_order_things_were_loaded(
    recipes: list[list[Recipe]], order: Any
) -> None:
    components = [component_of(f"team_{n}", inside) for n, inside in enumerate(recipes)]
    packages = [
        Package(name="even", components=tuple(components[::2])),
        Package(name="odd", components=tuple(components[1::2])),
    ]
    expected = run(packages)

    shuffled = []
    for package in order.sample(packages, k=len(packages)):
        inside = order.sample(package.components, k=len(package.components))
        shuffled.append(Package(name=package.name, components=tuple(inside)))
    found = run(shuffled)

    assert found.history == expected.history
    assert found.board.entries == expected.board.entries
    assert found.journal == expected.journal
