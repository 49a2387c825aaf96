"""The platform: everything that is installed, validated, and ready to be run.

    platform = Platform(packages=[Package(name="triage", components=(TriageComponent,))])

A platform never changes.  It knows no server and no clock: what its components need from outside
is provided to it by type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from weakref import WeakKeyDictionary

from reactor.catalog import TypeCatalog
from reactor.command import Commands
from reactor.conditions import Condition, Has
from reactor.effect import Effect
from reactor.errors import ReactorError
from reactor.installed import Action, Component, EffectExecutor, InstalledGoal
from reactor.offers import AgentOffer, GoalOffer, Offers
from reactor.package import BadPlatform, Fault, Package
from reactor.plan.problem import Aim, Truth
from reactor.registration import Provided, register
from reactor.repertoire import Repertoire
from reactor.scope import EmptyScope, Scope

NAME = "reactor"
Goals = frozenset[str] | None
"""The names of the goals that a process is run for; None: of all that are in its scope."""

SEEDS: Mapping[str, type | None] = {"event": None}  # what a process is about, of whatever type


@dataclass(frozen=True, slots=True)
class _Selectable:
    """An action or goal as a scope sees it."""

    name: str
    package: str
    component: str | None = None
    instance: object | None = None
    is_of_agent: bool = False


class UnknownGoal(ReactorError):
    """A process is to be run for a goal that is not there, or not within its scope."""

    def __init__(self, goal: str, scope: str, known: tuple[str, ...]) -> None:
        super().__init__(goal, scope, known)
        self.goal, self.scope, self.known = goal, scope, known

    def __str__(self) -> str:
        near = get_close_matches(self.goal, self.known, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else _any_of(self.known)
        return f"the scope {self.scope} has no goal {self.goal!r}; {hint}"


class UnknownAgent(ReactorError):
    """Somebody asked for an agent that is not installed."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name, self.known = name, known

    def __str__(self) -> str:
        there = ", ".join(self.known) or "none"
        return f"there is no agent {self.name!r}; installed agents: {there}"


class Platform:
    """What is installed, under one name.

    `services`: what components and actions are given by type.  `types`: further types of values
    that may be stored.  `seeds`: names and types of the facts that processes start with, so that
    expressions may speak of them.  Raises `BadPlatform` with all that is wrong.
    """

    def __init__(
        self,
        *,
        packages: Sequence[Package],
        services: Mapping[type, object] | None = None,
        types: Sequence[type] = (),
        seeds: Mapping[str, type | None] = SEEDS,
        name: str = NAME,
    ) -> None:
        self.name = name
        self.services = {Offers: Offers(self._read_offers), **(services or {})}
        provided = Provided(services=self.services, types=tuple(types), seeds=seeds)
        self._registered = register(packages, provided)
        self.services[Commands] = self.commands
        self.packages = tuple(sorted(packages, key=lambda package: package.name))
        self._by_scope = WeakKeyDictionary[Scope, dict[Goals, Repertoire]]()
        self._by_content: dict[tuple[frozenset[str], frozenset[str]], Repertoire] = {}

    @classmethod
    def without_faulty(
        cls,
        *,
        packages: Sequence[Package],
        services: Mapping[type, object] | None = None,
        types: Sequence[type] = (),
        seeds: Mapping[str, type | None] = SEEDS,
        name: str = NAME,
    ) -> tuple["Platform", tuple[Fault, ...]]:
        """A platform of the packages that work, and what is wrong with the others.

        Raises `BadPlatform` where the fault is not that of a package.
        """
        left, faults = list(packages), list[Fault]()
        while True:
            try:
                platform = cls(
                    packages=left, services=services, types=types, seeds=seeds, name=name
                )
            except BadPlatform as bad:
                faulty = bad.packages
                if not any(package.name in faulty for package in left):
                    raise
                left = [package for package in left if package.name not in faulty]
                faults += bad.faults
            else:
                return platform, tuple(faults)

    @property
    def components(self) -> tuple[Component, ...]:
        """By name."""
        return self._registered.components

    @property
    def actions(self) -> Mapping[str, Action]:
        """By name ("component.method"), sorted."""
        return self._registered.actions

    @property
    def renamed(self) -> Mapping[str, str]:
        """Former names of actions, which may still be stored or set -> today's."""
        return self._registered.renamed

    @property
    def agents(self) -> Mapping[str, Component]:
        """By name, sorted."""
        return {found.name: found for found in self.components if found.mark.is_agent}

    def agent(self, name: str) -> Component:
        """The agent of that name.  Raises `UnknownAgent`."""
        if name not in self.agents:
            raise UnknownAgent(name, tuple(self.agents))
        return self.agents[name]

    @property
    def goals(self) -> Mapping[str, InstalledGoal]:
        """By name, sorted."""
        return self._registered.goals

    @property
    def executors(self) -> Mapping[type[Effect], EffectExecutor]:
        """Who sends which kind of effect."""
        return self._registered.executors

    @property
    def offers(self) -> Offers:
        """The agents with their goals, to choose from; actions are given them by this type."""
        return Offers(self._read_offers)

    @property
    def commands(self) -> Commands:
        """What people can ask for in words; actions are given them by this type."""
        return self._registered.commands

    def executor_of(self, kind: type[Effect]) -> EffectExecutor | None:
        """Who sends effects of this class, or of the nearest base of it; None: nobody."""
        found = (self.executors.get(base) for base in kind.__mro__)
        return next((executor for executor in found if executor is not None), None)

    def has_key(self, kind: type) -> str | None:
        """The condition that there is an instance of that type; None if nothing speaks of it.

        It can be asked for as a goal, under this name.
        """
        vocabulary = self._registered.vocabulary
        key = f"has({vocabulary.label(kind)})"
        return key if vocabulary.conditions.get(key) == Has(kind) else None

    @property
    def known_names(self) -> Mapping[str, object]:
        """What an expression may speak of besides `settings`, with types where they are known."""
        return self._registered.known

    @property
    def conditions(self) -> Mapping[str, Condition]:
        """Everything that actions and goals speak of, by key."""
        return self._registered.vocabulary.conditions

    @property
    def catalog(self) -> TypeCatalog:
        """The types of values that may be stored."""
        return self._registered.catalog

    def repertoire(self, scope: Scope, goals: Goals = None) -> Repertoire:
        """What can be done within the scope, for these of its goals; None: for all of them.

        A goal is named, or is a condition such as "has(Report)".  Raises `EmptyScope` and
        `UnknownGoal`.
        """
        by_goals = self._by_scope.setdefault(scope, {})
        if goals not in by_goals:
            by_goals[goals] = self._select(scope, goals)
        return by_goals[goals]

    def goals_in(self, scope: Scope) -> tuple[InstalledGoal, ...]:
        """The goals within the scope, by name."""
        return tuple(goal for goal in self.goals.values() if scope.selects(_of_goal(goal)))

    def _read_offers(self) -> tuple[AgentOffer, ...]:
        return tuple(
            AgentOffer(
                name=agent.name,
                purpose=agent.mark.description,
                planner=agent.mark.planner,
                goals=tuple(
                    GoalOffer.of(goal.name, goal.mark)
                    for goal in self.goals.values()
                    if goal.component is agent
                ),
            )
            for agent in self.agents.values()
        )

    def _select(self, scope: Scope, goals: Goals) -> Repertoire:
        actions = [a for a in self.actions.values() if scope.selects(_of_action(a))]
        if not actions and not scope.left_out:
            packages = tuple(package.name for package in self.packages)
            raise EmptyScope(str(scope), packages, tuple(self.agents))
        aims = [goal.aim for goal in self.goals_in(scope)]
        if goals is not None:
            aims = [self._aim(name, aims, scope) for name in sorted(set(goals))]
        key = (frozenset(a.name for a in actions), frozenset(aim.name for aim in aims))
        if key not in self._by_content:
            conditions = self._registered.vocabulary.conditions
            self._by_content[key] = Repertoire(actions, aims, conditions)
        return self._by_content[key]

    def _aim(self, name: str, aims: Sequence[Aim], scope: Scope) -> Aim:
        name = self.renamed.get(name, name)  # a goal that an action reaches has the action's name
        for aim in aims:
            if aim.name == name:
                return aim
        if name in self._registered.vocabulary.conditions:
            return Aim(name=name, pre={name: Truth.TRUE})
        raise UnknownGoal(name, str(scope), tuple(aim.name for aim in aims))


def _of_action(action: Action) -> _Selectable:
    return _Selectable(action.name, action.component.package.name, *_origin(action.component))


def _of_goal(goal: InstalledGoal) -> _Selectable:
    origin = _origin(goal.component) if goal.component else ()
    return _Selectable(goal.name, goal.package.name, *origin)


def _origin(component: Component) -> tuple[str, object, bool]:
    return component.name, component.instance, component.mark.is_agent


def _any_of(names: tuple[str, ...]) -> str:
    return f"it has {', '.join(names)}" if names else "it has none"
