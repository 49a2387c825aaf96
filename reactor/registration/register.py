"""All phases of registration, one after the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reactor.catalog import TypeCatalog, TypeClash
from reactor.command import Asker, Commands
from reactor.commanded import CommandDone
from reactor.conditions import Vocabulary
from reactor.effect import Effect
from reactor.installed import (
    Action,
    Component,
    ConditionMethod,
    EffectExecutor,
    InstalledGoal,
)
from reactor.package import BadPlatform, Package
from reactor.registration.commands import command_of, read_commands
from reactor.registration.components import make_components
from reactor.registration.derive import Promises, derive_pre
from reactor.registration.executors import read_executors
from reactor.registration.faults import Faults
from reactor.registration.former import former_names
from reactor.registration.goals import (
    by_name,
    check_agents,
    check_inputs,
    check_reach,
    goals_of_actions,
    goals_of_packages,
)
from reactor.registration.kinds import with_subclasses
from reactor.registration.methods import Methods
from reactor.registration.names import Names, Spoken, class_names, known_flags, known_names
from reactor.registration.states import read_methods
from reactor.result import leaves
from reactor.rounds import SupervisorRound


@dataclass(frozen=True, slots=True, kw_only=True)
class Provided:
    """What the operator and the engine bring, besides the packages."""

    services: Mapping[type, object] = field(default_factory=dict)
    types: tuple[type, ...] = ()  # of values that no action takes or gives, but that are stored
    seeds: Mapping[str, type | None] = field(default_factory=dict)
    """The names under which processes are given their first facts, with their types."""

    @property
    def seed_types(self) -> tuple[type, ...]:
        """The types of the first facts, as far as they are known."""
        return tuple(kind for kind in self.seeds.values() if kind is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """Everything that is installed, validated."""

    components: tuple[Component, ...]  # by name
    actions: Mapping[str, Action]  # by name, sorted
    goals: Mapping[str, InstalledGoal]  # by name, sorted
    executors: Mapping[type[Effect], EffectExecutor]  # by the kind of effect that they send
    commands: Commands
    vocabulary: Vocabulary
    catalog: TypeCatalog
    known: Mapping[str, object]  # what expressions may speak of, settings aside
    renamed: Mapping[str, str]  # former names of actions -> today's


def register(packages: Sequence[Package], provided: Provided) -> Registered:
    """Read and validate the packages.  Raises `BadPlatform` with all their faults.

    The order of packages and of their components makes no difference.
    """
    faults = Faults()
    components = make_components(packages, provided.services, faults)
    methods = Methods(frozenset({*provided.services, Commands}), faults)
    actions, conditions = read_methods(components, methods, faults)
    _check_names(actions, faults)
    renamed = former_names(actions, faults)
    executors = read_executors(components, faults)
    commands = read_commands(actions, faults)

    types = with_subclasses([*_types(actions, conditions, packages, provided), *executors])
    vocabulary = Vocabulary(types, provided.services)
    known = known_names(types, actions, provided.seeds)
    spoken = Spoken(known, known_flags(components, actions), class_names(types))
    names = Names(vocabulary, conditions, spoken, faults)

    pre = {action.name: derive_pre(action, vocabulary, names, faults) for action in actions}
    found = [*goals_of_actions(actions, vocabulary, faults)]
    found += goals_of_packages(packages, vocabulary, names)
    goals = by_name(found, faults)
    check_agents(components, goals.values(), faults)
    check_inputs(packages, actions, (*provided.types, *provided.seed_types), faults)
    for kind in types:  # "there is a T" may be asked for as a goal, whoever needs it otherwise
        if not issubclass(kind, Effect):
            vocabulary.has(kind)
    promises = Promises(vocabulary, names)
    complete = {
        action.name: replace(action, pre=pre[action.name], effects=promises.of(action))
        for action in sorted(actions, key=lambda action: action.name)
    }
    check_reach(goals.values(), tuple(complete.values()), vocabulary.conditions, faults)
    catalog = _catalog(types, faults)
    if faults.all:
        raise BadPlatform(faults.all)
    return Registered(
        components=tuple(components),
        actions=complete,
        goals=goals,
        executors=executors,
        commands=commands,
        vocabulary=vocabulary,
        catalog=catalog,
        known=known,
        renamed=renamed,
    )


def _types(
    actions: Iterable[Action],
    conditions: Iterable[ConditionMethod],
    packages: Iterable[Package],
    provided: Provided,
) -> Iterator[type]:
    """Every type that may be on a board, or among the effects; some of them more than once."""
    yield SupervisorRound
    yield from provided.types
    yield from provided.seed_types
    for action in actions:
        yield from leaves(action.signature.result)
        yield from (taken.kind for taken in action.signature.inputs)
        yield from action.component.mark.effects
        if action.trigger is not None:
            yield action.trigger
        if command_of(action) is not None:
            yield from (Asker, CommandDone)
        for worth in (action.cost, action.value):
            yield from (taken.kind for taken in worth.signature.inputs)
    for condition in conditions:
        yield from (taken.kind for taken in condition.signature.inputs)
    for package in packages:
        yield from (kind for goal in package.goals for kind in goal.inputs)


def _catalog(types: Iterable[type], faults: Faults) -> TypeCatalog:
    try:
        return TypeCatalog(types)
    except TypeClash as clash:
        faults.add(None, "", str(clash))
        return TypeCatalog()


def _check_names(actions: Iterable[Action], faults: Faults) -> None:
    """Refuse two states of one name: their actions could not be told apart."""
    seen: dict[str, Action] = {}
    for action in actions:
        other = seen.setdefault(action.name, action)
        if other is not action and action.state and other.state:
            problem = (
                f"belongs to two states, in {other.state.__module__} and in "
                f"{action.state.__module__}; rename one of them"
            )
            faults.add(action.component.package, action.name, problem)
