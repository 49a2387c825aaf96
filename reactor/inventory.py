"""What is installed, as one JSON-ready document: packages, their actions, and what is wrong.

Pure; the command line and the console show it.
"""

from collections.abc import Iterable, Mapping
from typing import TypedDict

from reactor.command import summary, usage, who_may
from reactor.installed import Action, Component, EffectExecutor, InstalledGoal, Worth
from reactor.package import Fault, Package
from reactor.platform import Platform
from reactor.truth import Truth


class ToldAction(TypedDict):
    """One action."""

    name: str  # "component.method"
    description: str  # one line
    value: str  # "0.9", or "about 0.5" where it depends on the blackboard
    cost: str
    needs: list[str]  # conditions with the truth that they must have
    effects: list[str]  # kinds that its component may return


class ToldGoal(TypedDict):
    """One goal."""

    name: str
    description: str
    value: str
    needs: list[str]  # conditions with the truth that they must have
    tags: list[str]
    examples: list[str]


class ToldAgent(TypedDict):
    """One agent: its actions and goals have names that begin with its own."""

    name: str
    description: str
    planner: str


class ToldExecutor(TypedDict):
    """What sends one kind of effect."""

    name: str  # "component.method"
    description: str  # one line
    sends: str  # the kind


class ToldCommand(TypedDict):
    """One command."""

    usage: str  # "/label NAMES..."
    description: str  # one sentence
    who: str  # may use it: "triage, author"


class ToldPackage(TypedDict):
    """What one team contributes."""

    name: str
    distribution: str
    version: str
    actions: list[ToldAction]  # by name
    goals: list[ToldGoal]  # by name
    agents: list[ToldAgent]  # by name
    executors: list[ToldExecutor]  # by kind
    commands: list[ToldCommand]  # that it does, by name


class ToldComponents(TypedDict):
    """All that is installed."""

    packages: list[ToldPackage]  # by name
    disabled: list[str]  # names of packages that the settings disable
    faults: list[str]  # why packages, or parts of them, were left out


def told_components(
    platform: Platform, faults: Iterable[Fault], disabled: Iterable[str] = ()
) -> ToldComponents:
    """Packages with their actions, what is disabled, and faults."""
    packages = [
        ToldPackage(
            name=package.name,
            distribution=package.distribution,
            version=package.version,
            actions=[
                _action(action)
                for action in platform.actions.values()
                if action.component.package is package
            ],
            goals=[_goal(goal) for goal in platform.goals.values() if goal.package is package],
            agents=[_agent(a) for a in platform.agents.values() if a.package is package],
            executors=sorted(
                (
                    _executor(executor)
                    for executor in platform.executors.values()
                    if executor.action.component.package is package
                ),
                key=lambda told: (told["sends"], told["name"]),
            ),
            commands=_commands(platform, package),
        )
        for package in platform.packages
    ]
    return ToldComponents(
        packages=packages, disabled=sorted(disabled), faults=[str(fault) for fault in faults]
    )


def _action(action: Action) -> ToldAction:
    return ToldAction(
        name=action.name,
        description=_first_line(action),
        value=_worth(action.value),
        cost=_worth(action.cost),
        needs=_needs(action.pre),
        effects=sorted(kind.__name__ for kind in action.component.mark.effects),
    )


def _goal(goal: InstalledGoal) -> ToldGoal:
    return ToldGoal(
        name=goal.name,
        description=goal.mark.description,
        value=f"{goal.aim.value:g}",
        needs=_needs(goal.aim.pre),
        tags=list(goal.mark.tags),
        examples=list(goal.mark.examples),
    )


def _agent(agent: Component) -> ToldAgent:
    return ToldAgent(
        name=agent.name, description=agent.mark.description, planner=agent.mark.planner
    )


def _executor(executor: EffectExecutor) -> ToldExecutor:
    return ToldExecutor(
        name=executor.name,
        description=executor.action.mark.description,
        sends=executor.kind.__name__,
    )


def _needs(pre: Mapping[str, Truth]) -> list[str]:
    return [f"{key} = {truth.value}" for key, truth in sorted(pre.items())]


def _worth(worth: Worth) -> str:
    return f"{worth.amount:g}" if worth.call is None else f"about {worth.amount:g}"


def _commands(platform: Platform, package: Package) -> list[ToldCommand]:
    triggers = {
        action.trigger
        for action in platform.actions.values()
        if action.component.package is package
    }
    return [
        ToldCommand(usage=usage(kind), description=summary(kind), who=who_may(kind))
        for kind in platform.commands
        if kind in triggers
    ]


def _first_line(action: Action) -> str:
    text = action.mark.description or action.call.__doc__ or ""
    return text.strip().partition("\n")[0]
