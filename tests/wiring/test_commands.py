"""The reaction to commands is there by itself, and does what the other reactions may."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from reactor import Command, Package, achieves_goal, action, agent, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryFirsts
from reactor.github import AddLabels, IssueOpened
from reactor.reaction import Reaction
from reactor.settings import CommandSettings, Settings
from reactor.wiring.commands import commands, effects_of_commands
from reactor.wiring.platform import BadReactions, Installed, install, listeners


@dataclass(frozen=True)
class Greeting:
    text: str


class WaveCommand(Command):
    """Wave."""

    name: ClassVar[str] = "wave"


@component(name="waver", effects=(AddLabels,))
class Waver:
    @action(trigger=WaveCommand, can_rerun=True)
    async def wave(self, command: WaveCommand) -> AddLabels:
        """Wave back."""
        return AddLabels(labels=("waved",))


@component(name="greeter", effects=(AddLabels,))
class Greeter:
    @action
    async def greet(self, event: IssueOpened) -> AddLabels:
        """Greet."""
        return AddLabels(labels=("hello",))


@agent("Greets whoever asks.", effects=(AddLabels,))
class GreetingAgent:
    @achieves_goal("Somebody is greeted", export=True)
    @action
    async def greet(self, event: IssueOpened) -> Greeting:
        """Greet."""
        return Greeting(text="Hello.")


GREETING = Package(name="greeting", components=(GreetingAgent,))
WAVER = Package(name="waver", components=(Waver,))
GREETER = Package(name="greeter", components=(Greeter,))


def settings(*modes: str, **fields: object) -> Settings:
    reactions = [{"name": f"r-{mode}", "on": "*", "effects": mode} for mode in modes]
    return Settings.model_validate({"reactions": reactions, **fields})


def installed(*packages: Package, of: Settings) -> Installed:
    return install(of, firsts=MemoryFirsts(), clock=ManualClock(), points=packages)


def heard(of: Settings, *packages: Package) -> Sequence[Reaction]:
    found = commands(of, installed(*packages, of=of).platform)
    return [listener.reaction for listener in found]


@pytest.mark.parametrize(
    ("modes", "effects"),
    [
        ([], "observe"),
        (["observe"], "observe"),
        (["observe", "live"], "live"),
        (["approve"], "live"),
    ],
)
def test_commands_are_live_where_anything_is_ever_sent(modes: list[str], effects: str) -> None:
    assert effects_of_commands(settings(*modes)) == effects


def test_the_settings_may_say_it_otherwise() -> None:
    said = settings("live", commands={"effects": "approve"})

    assert effects_of_commands(said) == "approve"


def test_the_default_settings_hear_commands_if_a_package_has_any() -> None:
    default = Settings()

    assert [reaction.name for reaction in heard(default, WAVER, GREETER)] == ["commands"]
    assert heard(default, GREETER) == []


def test_commands_can_be_switched_off() -> None:
    assert heard(Settings(commands=CommandSettings(enabled=False)), WAVER) == []


def test_other_reactions_have_no_actions_of_commands() -> None:
    default = Settings()
    platform = installed(WAVER, GREETER, of=default).platform

    (everything,) = listeners(default, platform)

    assert set(platform.repertoire(everything.scope).actions) == {"greeter.greet"}


def test_a_reaction_to_nothing_but_commands_is_told_that_it_need_not_be() -> None:
    said = Settings.model_validate(
        {"reactions": [{"name": "waves", "on": "issue_comment", "scope": "waver"}]}
    )

    with pytest.raises(BadReactions, match="waves: its scope has actions of commands only"):
        listeners(said, installed(WAVER, GREETER, of=said).platform)


def test_no_other_reaction_has_its_name() -> None:
    said = Settings.model_validate({"reactions": [{"name": "commands", "on": "issues"}]})

    with pytest.raises(BadReactions, match="commands: so is the reaction to commands called"):
        listeners(said, installed(WAVER, GREETER, of=said).platform)


@pytest.mark.parametrize(
    ("llm", "package", "names"),
    [
        ({"models": {"small": {"model": "openai/small"}}}, GREETING, ["ask"]),
        ({"models": {"small": {"model": "openai/small"}}}, GREETER, []),
        ({}, GREETING, []),
    ],
)
def test_free_requests_are_heard_where_there_is_a_model_and_an_agent_for_people(
    llm: object, package: Package, names: list[str]
) -> None:
    said = settings("live", llm=llm)

    found = installed(package, of=said)

    assert [kind.name for kind in found.platform.commands] == names
    assert found.faults == ()
