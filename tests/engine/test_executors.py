"""Who sends which kind of effect is known when components are registered."""

import pytest

from reactor import (
    Attempt,
    BadPlatform,
    Effect,
    EffectRefused,
    Package,
    Platform,
    component,
    executes,
)
from reactor.inventory import told_components
from reactor.registration.executors import read_executors
from reactor.registration.faults import Faults


class Ring(Effect):
    times: int = 1


class RingTwice(Ring): ...


class Light(Effect): ...


@component(effects=(Ring,))
class Bell:
    @executes
    async def ring(self, effect: Ring, attempt: Attempt) -> str:
        """Ring the bell."""
        if not effect.times:
            raise EffectRefused("the bell can't ring no times")
        return f"rang {attempt.number}"


@component(effects=(Ring,))
class Chime:
    @executes
    def chime(self, wanted: Ring) -> None: ...


@component(effects=(Light,))
class Lamp: ...


def faults_of(*packages: Package) -> list[str]:
    with pytest.raises(BadPlatform) as bad:
        Platform(packages=packages)
    return [str(fault) for fault in bad.value.faults]


def test_an_executor_is_known_by_the_class_of_effect_that_it_takes() -> None:
    platform = Platform(packages=[Package(name="bell", components=(Bell,))])

    executor = platform.executor_of(Ring)

    assert executor is not None
    assert (executor.name, executor.effect, executor.attempt) == ("bell.ring", "effect", "attempt")
    assert executor.action.signature.is_async
    assert executor.action.mark.description == "Ring the bell."


def test_a_plain_method_and_one_that_wants_no_attempt_will_do() -> None:
    platform = Platform(packages=[Package(name="chime", components=(Chime,))])

    executor = platform.executor_of(Ring)

    assert executor is not None
    assert (executor.effect, executor.attempt) == ("wanted", "")
    assert not executor.action.signature.is_async


def test_the_inventory_tells_what_sends_which_kind() -> None:
    platform = Platform(packages=[Package(name="bell", components=(Bell,))])

    (package,) = told_components(platform, [])["packages"]

    assert package["executors"] == [
        {"name": "bell.ring", "description": "Ring the bell.", "sends": "Ring"}
    ]


def test_an_executor_is_in_no_plan() -> None:
    platform = Platform(packages=[Package(name="bell", components=(Bell,))])

    assert not platform.actions


def test_what_it_sends_can_be_stored_and_read_again() -> None:
    platform = Platform(packages=[Package(name="bell", components=(Bell,))])

    assert Ring in platform.catalog


def test_a_narrower_kind_is_sent_by_the_executor_of_its_base() -> None:
    platform = Platform(packages=[Package(name="bell", components=(Bell,))])

    executor = platform.executor_of(RingTwice)

    assert executor is platform.executor_of(Ring)


def test_a_kind_that_nobody_sends_is_no_fault() -> None:
    platform = Platform(packages=[Package(name="lamp", components=(Lamp,))])

    assert platform.executor_of(Light) is None


def test_two_executors_of_one_kind_are_a_fault_that_names_both_distributions() -> None:
    bell = Package(name="bell", components=(Bell,), distribution="reactor-bell", version="1")
    chime = Package(name="chime", components=(Chime,), distribution="reactor-chime", version="2")

    assert faults_of(chime, bell) == [
        "package chime (reactor-chime 2): chime.chime executes Ring, as bell.ring of package bell "
        "(reactor-bell 1) does; install one of chime (reactor-chime 2) and bell (reactor-bell 1)"
    ]


def test_the_others_go_on_without_the_second_executor() -> None:
    packages = [
        Package(name="bell", components=(Bell,)),
        Package(name="chime", components=(Chime,)),
    ]

    platform, faults = Platform.without_faulty(packages=packages)

    assert [package.name for package in platform.packages] == ["bell"]
    assert len(faults) == 1


def test_the_code_that_a_kind_is_from_sends_it_whatever_its_package_is_called() -> None:
    strange = type("Strange", (Chime,), {"__module__": "elsewhere"})
    component(name="a_strange_one", effects=(Ring,))(strange)
    packages = [
        Package(name="bell", components=(Bell,)),
        Package(name="another", components=(strange,)),
    ]

    platform, (fault,) = Platform.without_faulty(packages=packages)

    assert fault.package == "another"
    executor = platform.executor_of(Ring)
    assert executor is not None
    assert executor.name == "bell.ring"


@component
class TakesAString:
    @executes
    async def send(self, effect: str) -> None: ...


@component
class TakesAnyEffect:
    @executes
    async def send(self, effect: Effect) -> None: ...


@component
class TakesTwo:
    @executes
    async def send(self, ring: Ring, light: Light) -> None: ...


@component
class TakesMore:
    @executes
    async def send(self, effect: Ring, client: object) -> None: ...


@pytest.mark.parametrize("cls", [TakesAString, TakesAnyEffect, TakesTwo, TakesMore])
def test_an_executor_takes_exactly_one_effect_and_perhaps_an_attempt(cls: type) -> None:
    (fault,) = faults_of(Package(name="team", components=(cls,)))

    assert "a subclass of Effect" in fault


def test_without_components_there_are_no_executors() -> None:
    assert read_executors([], Faults()) == {}
