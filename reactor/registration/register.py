"""All phases of registration, one after the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reactor.catalog import TypeCatalog, TypeClash
from reactor.conditions import Vocabulary
from reactor.goal import Goal
from reactor.installed import Action, Component, ConditionMethod
from reactor.package import BadPlatform, Package
from reactor.plan.problem import Aim, Truth
from reactor.registration.components import make_components
from reactor.registration.derive import derive_effects, derive_pre
from reactor.registration.faults import Faults
from reactor.registration.methods import Methods
from reactor.registration.names import Names, known_flags, known_names
from reactor.result import leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Provided:
    """What the operator and the engine bring, besides the packages."""

    services: Mapping[type, object] = field(default_factory=dict)
    types: tuple[type, ...] = ()  # of values that no action takes or gives, but that are stored
    seeds: Mapping[str, type | None] = field(default_factory=dict)
    """The names under which processes are given their first facts, with their types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """Everything that is installed, validated."""

    components: tuple[Component, ...]  # by name
    actions: Mapping[str, Action]  # by name, sorted
    goals: Mapping[str, tuple[Package, Aim]]  # by name, sorted
    vocabulary: Vocabulary
    catalog: TypeCatalog
    known: Mapping[str, type | None]  # what expressions may speak of, settings aside


def register(packages: Sequence[Package], provided: Provided) -> Registered:
    """Read and validate the packages.  Raises `BadPlatform` with all their faults.

    The order of packages and of their components makes no difference.
    """
    faults = Faults()
    components = make_components(packages, provided.services, faults)
    methods = Methods(frozenset(provided.services), faults)
    actions = [action for component in components for action in methods.actions(component)]
    conditions = [found for component in components for found in methods.conditions(component)]

    types = _with_subclasses(_types(actions, conditions, packages, provided))
    vocabulary = Vocabulary(types)
    known = known_names(types, actions, provided.seeds)
    flags = known_flags(components, actions)
    names = Names(vocabulary, conditions, known, flags, faults)

    pre = {action.name: derive_pre(action, vocabulary, names, faults) for action in actions}
    goals = dict(_goals(packages, vocabulary, names, faults))
    _check_goals(packages, actions, provided, faults)
    needed = dict(vocabulary.conditions)
    complete = {
        action.name: replace(
            action,
            pre=pre[action.name],
            effects=derive_effects(action, vocabulary, names, needed),
        )
        for action in sorted(actions, key=lambda action: action.name)
    }
    catalog = _catalog(types, faults)
    if faults.all:
        raise BadPlatform(faults.all)
    return Registered(
        components=tuple(components),
        actions=complete,
        goals=goals,
        vocabulary=vocabulary,
        catalog=catalog,
        known=known,
    )


def _types(
    actions: Iterable[Action],
    conditions: Iterable[ConditionMethod],
    packages: Iterable[Package],
    provided: Provided,
) -> Iterator[type]:
    """Every type that may be on a board, or among the effects; some of them more than once."""
    yield from provided.types
    yield from (kind for kind in provided.seeds.values() if kind is not None)
    for action in actions:
        yield from leaves(action.signature.result)
        yield from (taken.kind for taken in action.signature.inputs)
        yield from action.component.mark.effects
        if action.trigger is not None:
            yield action.trigger
        for worth in (action.cost, action.value):
            yield from (taken.kind for taken in worth.signature.inputs)
    for condition in conditions:
        yield from (taken.kind for taken in condition.signature.inputs)
    for package in packages:
        yield from (kind for goal in package.goals for kind in goal.inputs)


def _with_subclasses(types: Iterable[type]) -> list[type]:
    """The types and all their subclasses known so far, each once, by name."""
    found: dict[type, None] = {}
    waiting = list(types)
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found[kind] = None
            if kind.__module__ != "builtins":  # the subclasses of `dict` are nobody's facts
                waiting += type.__subclasses__(kind)
    return sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__))


def _catalog(types: Iterable[type], faults: Faults) -> TypeCatalog:
    try:
        return TypeCatalog(types)
    except TypeClash as clash:
        faults.add(None, "", str(clash))
        return TypeCatalog()


def _goals(
    packages: Iterable[Package], vocabulary: Vocabulary, names: Names, faults: Faults
) -> Iterator[tuple[str, tuple[Package, Aim]]]:
    found = [(goal, package) for package in packages for goal in package.goals]
    seen: set[str] = set()
    for goal, package in sorted(found, key=lambda pair: (pair[0].name, pair[1].name)):
        if goal.name in seen:
            faults.add(package, f"goal {goal.name}", "is there twice; rename one of them")
        seen.add(goal.name)
        pre = {vocabulary.has(kind): Truth.TRUE for kind in goal.inputs}
        pre |= {vocabulary.ran(action): Truth.TRUE for action in goal.ran}
        for precondition in goal.pre:
            meaning = names.of_goal(precondition, package, f"goal {goal.name}")
            if meaning is not None:
                pre[meaning[0]] = meaning[1]
        yield goal.name, (package, Aim(name=goal.name, pre=pre, value=goal.value))


def _check_goals(
    packages: Iterable[Package], actions: Sequence[Action], provided: Provided, faults: Faults
) -> None:
    """Refuse goals that nobody can reach."""
    made = [kind for action in actions for kind in leaves(action.signature.result)]
    made += [*provided.types, *(kind for kind in provided.seeds.values() if kind)]
    existing = {action.name for action in actions}
    for package in packages:
        for goal in package.goals:
            for missing in _missing(goal, made, existing):
                faults.add(package, f"goal {goal.name}", f"needs {missing}; nobody can reach it")


def _missing(goal: Goal, made: Sequence[type], existing: set[str]) -> Iterator[str]:
    for kind in goal.inputs:
        if not any(issubclass(kind, other) or issubclass(other, kind) for other in made):
            yield f"a {kind.__name__}, which no action gives"
    for action in goal.ran:
        if action not in existing:
            yield f"{action} to have run, which is not installed"
