"""What can never come about: actions whose inputs nobody gives, goals that hang on such.

Only types, flags and runs are followed.  An expression may come out either way, a service may come
back, and what an agent takes is handed to it by whoever calls it.  An action that takes an
`ActionContext` or the `Blackboard` may put there what it does not declare: of the types of its own
distribution nothing is said then.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reactor.blackboard import Blackboard
from reactor.conditions import Condition, Flag, Has, New, Ran
from reactor.context import ActionContext
from reactor.installed import Action, InstalledGoal
from reactor.lint.finding import Finding, Spot
from reactor.lint.places import place_of
from reactor.plan.problem import Truth
from reactor.platform import Platform


def out_of_reach(platform: Platform, brought: Sequence[type]) -> Iterator[Finding]:
    """Actions that can never run and goals that can never hold.

    `brought`: the types that come from outside, with events and commands.
    """
    world = _reached(platform, brought)
    for action in platform.actions.values():
        if action.name in world.runnable:
            continue
        for key in world.lacking(action.pre):
            yield Finding(
                severity="warning",
                rule="unproducible",
                package=action.component.package.name,
                where=action.name,
                problem=f"can never run: it needs {key}, {world.why_not(key)}",
                spot=place_of(action.call, *_parameters(action, platform.conditions[key])),
            )
    for goal in platform.goals.values():
        for key in world.lacking(goal.aim.pre):
            yield Finding(
                severity="warning",
                rule="unreachable",
                package=goal.package.name,
                where=f"goal {goal.name}",
                problem=f"can never be reached: it needs {key}, {world.why_not(key)}",
                spot=_place_of_goal(goal, platform),
            )


@dataclass(slots=True)
class _World:
    """All that can come about."""

    platform: Platform
    brought: tuple[type, ...]
    runnable: set[str]  # names of actions
    reached: set[str]  # keys of conditions

    def holds(self, key: str) -> bool:
        """Whether the condition may be true at some time."""
        return key in self.reached or self._holds(self.platform.conditions[key])

    def _holds(self, condition: Condition) -> bool:
        match condition:
            case Has(kind=kind, but=but):
                comes = any(issubclass(b, kind) and not issubclass(b, but) for b in self.brought)
                return comes or self._may_be_put(kind)
            case New(kind=kind):
                comes = any(issubclass(b, kind) for b in self.brought)
                return comes or self._is_given(kind) or self._may_be_put(kind)
            case Ran(action=action):
                return action in self.runnable
            case Flag(name=name):
                components = self.platform.components
                return any(name in component.mark.flags for component in components)
            case _:
                return True

    def _may_be_put(self, kind: type) -> bool:
        """Whether an action that can run may put it there by hand."""
        home = kind.__module__.partition(".")[0]
        return any(
            type(action.component.instance).__module__.partition(".")[0] == home
            and not {ActionContext, Blackboard}.isdisjoint(action.signature.injected.values())
            for name, action in self.platform.actions.items()
            if name in self.runnable
        )

    def _is_given(self, kind: type) -> bool:
        key = self.platform.has_key(kind)
        return key is not None and key in self.reached

    def lacking(self, pre: Mapping[str, Truth]) -> list[str]:
        """What of it can never be true."""
        return [key for key, to in sorted(pre.items()) if to is Truth.TRUE and not self.holds(key)]

    def why_not(self, key: str) -> str:
        """What is said of a condition that can never be true."""
        givers = [each.name for each in self.platform.actions.values() if each.effects.get(key)]
        if not givers:
            return "which no action gives and nothing brings; add what gives it, or drop the need"
        return f"which only {', '.join(givers[:3])} could give, and that can't run either"


def _reached(platform: Platform, brought: Sequence[type]) -> _World:
    actions = list(platform.actions.values())
    inputs = [need.kind for a in actions if _is_of_agent(a) for need in a.signature.required]
    world = _World(platform, (*brought, *inputs), set(), set())
    while True:
        more = [a for a in actions if a.name not in world.runnable and not world.lacking(a.pre)]
        if not more:
            return world
        for action in more:
            world.runnable.add(action.name)
            world.reached |= {key for key, to in action.effects.items() if to}


def _is_of_agent(action: Action) -> bool:
    return action.component.mark.is_agent


def _parameters(action: Action, condition: Condition) -> list[str]:
    """The parameters that are the condition; as hints of a place."""
    if not isinstance(condition, Has):
        return [condition.name] if isinstance(condition, Flag) else []
    return [need.parameter for need in action.signature.required if need.kind is condition.kind]


def _place_of_goal(goal: InstalledGoal, platform: Platform) -> Spot | None:
    action = platform.actions.get(goal.name) if goal.component else None
    return place_of(action.call) if action else None
