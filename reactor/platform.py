"""The platform: everything that is installed, validated, and ready to be run.

    platform = Platform(packages=[Package(name="triage", components=(TriageComponent,))])

A platform never changes.  It knows no server and no clock: what its components need from outside
is provided to it by type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from reactor.catalog import TypeCatalog
from reactor.installed import Action, Component
from reactor.package import BadPlatform, Fault, Package
from reactor.plan.problem import Aim
from reactor.registration import Provided, register
from reactor.repertoire import Repertoire
from reactor.scope import EmptyScope, Scope

NAME = "reactor"
SEEDS: Mapping[str, type | None] = {"event": None}  # what a process is about, of whatever type


@dataclass(frozen=True, slots=True)
class _Selectable:
    """An action or goal as a scope sees it."""

    name: str
    package: str
    component: str | None = None
    instance: object | None = None


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
        self.services = dict(services or {})
        provided = Provided(services=self.services, types=tuple(types), seeds=seeds)
        self._registered = register(packages, provided)
        self.packages = tuple(sorted(packages, key=lambda package: package.name))
        self._by_scope = WeakKeyDictionary[Scope, Repertoire]()
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
    def goals(self) -> Mapping[str, Aim]:
        """By name, sorted."""
        return {name: aim for name, (_, aim) in self._registered.goals.items()}

    @property
    def known_names(self) -> Mapping[str, type | None]:
        """What an expression may speak of besides `settings`, with types where they are known."""
        return self._registered.known

    @property
    def catalog(self) -> TypeCatalog:
        """The types of values that may be stored."""
        return self._registered.catalog

    def repertoire(self, scope: Scope) -> Repertoire:
        """What can be done within the scope.  Raises `EmptyScope`."""
        found = self._by_scope.get(scope)
        if found is None:
            found = self._by_scope[scope] = self._select(scope)
        return found

    def _select(self, scope: Scope) -> Repertoire:
        actions = [a for a in self.actions.values() if scope.selects(_of_action(a))]
        aims = [
            aim
            for package, aim in self._registered.goals.values()
            if scope.selects(_Selectable(aim.name, package.name))
        ]
        if not actions:
            raise EmptyScope(str(scope), tuple(package.name for package in self.packages))
        key = (frozenset(a.name for a in actions), frozenset(aim.name for aim in aims))
        if key not in self._by_content:
            conditions = self._registered.vocabulary.conditions
            self._by_content[key] = Repertoire(actions, aims, conditions)
        return self._by_content[key]


def _of_action(action: Action) -> _Selectable:
    component = action.component
    return _Selectable(action.name, component.package.name, component.name, component.instance)
