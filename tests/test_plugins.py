"""Component packages, found by entry point."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from reactor.granting import OURS
from reactor.platform import Platform
from reactor.plugins import GROUP, load

MODULE = """
from dataclasses import dataclass

from reactor import Goal, action, component


@dataclass(frozen=True)
class Greeting:
    text: str


@component
class Greeter:
    @action
    def greet(self, name: str) -> Greeting:
        return Greeting(name)


COMPONENTS = (Greeter, Goal(name="greeted", inputs=(Greeting,)))


def make():
    return COMPONENTS


def fail():
    raise RuntimeError("no database")
"""


@pytest.fixture
def greeter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The name of a module that can be imported, another one for each test."""
    name = f"greeter_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def point(value: str) -> EntryPoint:
    return EntryPoint(name="greeter", value=value, group=GROUP)


@pytest.mark.parametrize("attribute", ["COMPONENTS", "make"])
def test_an_entry_point_brings_components_and_goals(greeter: str, attribute: str) -> None:
    (package,), faults = load([point(f"{greeter}:{attribute}")], {"greeter": {"loud": True}})

    assert faults == []
    assert (package.name, package.settings) == ("greeter", {"loud": True})
    assert list(Platform(packages=[package]).goals) == ["greeted"]
    assert list(Platform(packages=[package]).actions) == ["greeter.greet"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("no_such_module_anywhere:COMPONENTS", "ModuleNotFoundError"),
        ("{greeter}:NOTHING", "AttributeError"),
        ("{greeter}:fail", "RuntimeError: no database"),
    ],
)
def test_what_cannot_be_loaded_is_a_fault_of_that_package(
    greeter: str, value: str, why: str
) -> None:
    packages, (fault,) = load([point(value.format(greeter=greeter))], {})

    assert packages == []
    assert why in str(fault)
    assert fault.package == "greeter"


def test_settings_for_nobody_are_a_fault() -> None:
    _, (fault,) = load([], {"greter": {}})

    assert "components.greter names no installed component package" in str(fault)


def test_what_the_operator_says_of_a_package_is_not_for_its_own_settings(greeter: str) -> None:
    section = {"allow": ["AddLabels"], "mode": "approve", "disabled": False, "loud": True}

    (package,), faults = load([point(f"{greeter}:COMPONENTS")], {"greeter": section})

    assert faults == []
    assert package.settings == {"loud": True}


def test_a_package_that_is_disabled_is_not_even_imported() -> None:
    section = {"disabled": True, "loud": True}

    packages, faults = load([point("no_such_module_anywhere:COMPONENTS")], {"greeter": section})

    assert (packages, faults) == ([], [])


@pytest.mark.parametrize("name", sorted(OURS))
def test_no_package_may_pass_for_reactor_itself(greeter: str, name: str) -> None:
    point = EntryPoint(name=name, value=f"{greeter}:COMPONENTS", group=GROUP)

    packages, (fault,) = load([point], {})

    assert packages == []
    assert "has a name that is Reactor's own" in str(fault)
