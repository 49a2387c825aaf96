"""Effects that somebody waits for are told from those that nobody asked for."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from reactor import Effect, EffectRecord, Package, Platform, action, component
from reactor.command import Command
from reactor.wiring.asked_for import asked_for
from tests.contract.samples import head


class Wave(Effect): ...


class Greet(Command):
    """Say hello."""

    name: ClassVar[str] = "greet"


@dataclass(frozen=True)
class Opened:
    number: int


@component(effects=(Wave,))
class Greeter:
    @action(trigger=Greet)
    async def obey(self, greet: Greet) -> Wave:
        return Wave()

    @action(trigger=Opened)
    async def welcome(self, opened: Opened) -> Wave:
        return Wave()


@pytest.fixture
def platform() -> Platform:
    return Platform(packages=[Package(name="greeter", components=(Greeter(),))])


def wave(action_name: str) -> EffectRecord:
    return EffectRecord(
        key="k",
        effect=Wave(),
        subject="github.com/1#7",
        action=action_name,
        mode="live",
        state="intended",
    )


def test_what_a_command_triggers_was_asked_for_and_what_an_event_does_was_not(
    platform: Platform,
) -> None:
    is_asked_for = asked_for(platform)

    names = sorted(platform.actions)
    assert {name: is_asked_for(head("p1"), wave(name)) for name in names} == {
        name: name.endswith("obey") for name in names
    }
    assert len(names) == 2


def test_what_follows_from_a_persons_answer_was_asked_for(platform: Platform) -> None:
    answered = head("p1").but(answered=("a-1",))

    assert asked_for(platform)(answered, wave("Greeter.welcome"))


def test_what_people_are_answered_was_asked_for(platform: Platform) -> None:
    asking = replace(head("p1"), reaction="commands")

    assert asked_for(platform)(asking, wave("command_desk.finish"))
