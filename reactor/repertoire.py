"""What can be done within a scope: its actions, goals and conditions, ready to be planned with.

Made once for each set of actions and shared by all processes that have it, so that planners can
remember what they have compiled: as long as nothing changes its worth, `steps` is one and the
same tuple.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reactor.conditions import Asked, Available, Condition, Flag, Has, New, Ran, Rule
from reactor.installed import Action
from reactor.plan import NIRVANA, Aim, Planner, Step, make_planner
from reactor.result import facts_of

_KEPT_PRICE_LISTS = 64  # tuples of steps with other worths that are kept for planners' memories

Worths = Mapping[str, tuple[float, float]]
"""Cost and value, by action; an action that is not listed has its declared ones."""


@dataclass(frozen=True, slots=True)
class ByKind:
    """Conditions with their keys, sorted by what it takes to evaluate them."""

    has_any: tuple[tuple[str, Has], ...]
    has_named: tuple[tuple[str, Has], ...]
    new: tuple[tuple[str, New], ...]
    ran: tuple[tuple[str, Ran], ...]
    flags: tuple[tuple[str, Flag], ...]
    available: tuple[tuple[str, Available], ...]
    rules: tuple[tuple[str, Rule], ...]
    asked: tuple[tuple[str, Asked], ...]  # cheapest first
    plain_keys: tuple[str, ...]  # of all that need no evaluation and nobody else


class Repertoire:
    """The actions and goals of one scope."""

    def __init__(
        self,
        actions: Iterable[Action],
        aims: Iterable[Aim],
        conditions: Mapping[str, Condition],
    ) -> None:
        self.actions = {action.name: action for action in sorted(actions, key=lambda a: a.name)}
        self.real_aims = tuple(sorted(aims, key=lambda aim: aim.name))
        self.aims = (*self.real_aims, NIRVANA)
        keys = {key for action in self.actions.values() for key in action.pre}
        keys |= {key for aim in self.real_aims for key in aim.pre}
        self.conditions = {key: conditions[key] for key in sorted(keys)}
        self.by_kind = _by_kind(self.conditions)
        self.priced = tuple(a for a in self.actions.values() if not a.has_fixed_worth)
        self.steps = tuple(self._step(action, {}) for action in self.actions.values())
        self._steps_at: dict[tuple[tuple[float, float], ...], tuple[Step, ...]] = {}
        self._planners: dict[str, Planner] = {}
        self._extended: dict[str, Repertoire] = {}
        self._made_true: dict[type, frozenset[str]] = {}

    def planner(self, name: str) -> Planner:
        """The planner of that name, with what it has compiled.  Raises `UnknownPlanner`."""
        if name not in self._planners:
            self._planners[name] = make_planner(name)
        return self._planners[name]

    def with_action(self, action: Action, conditions: Mapping[str, Condition]) -> "Repertoire":
        """The same with one action more; `conditions`: those of its own, by key."""
        if action.name not in self._extended:
            actions, known = (*self.actions.values(), action), {**self.conditions, **conditions}
            self._extended[action.name] = Repertoire(actions, self.real_aims, known)
        return self._extended[action.name]

    def can_give(self, kind: type) -> bool:
        """Whether an action may bring an instance of that type, or of a subclass."""
        return any(
            issubclass(given, kind)
            for action in self.actions.values()
            for given in facts_of(action.signature.result)
        )

    def made_true_by(self, kind: type) -> frozenset[str]:
        """The conditions that an entry of this very class makes true, whatever its name."""
        found = self._made_true.get(kind)
        if found is None:
            has_any = self.by_kind.has_any
            found = frozenset(key for key, has in has_any if has.accepts(kind))
            self._made_true[kind] = found
        return found

    def steps_at(self, worths: Worths) -> tuple[Step, ...]:
        """The steps with these costs and values; the same tuple for the same ones."""
        if not worths:
            return self.steps
        key = tuple(
            worths.get(action.name, (action.cost.amount, action.value.amount))
            for action in self.priced
        )
        found = self._steps_at.get(key)
        if found is None:
            while len(self._steps_at) >= _KEPT_PRICE_LISTS:
                del self._steps_at[next(iter(self._steps_at))]
            found = tuple(self._step(action, worths) for action in self.actions.values())
            self._steps_at[key] = found
        return found

    def _step(self, action: Action, worths: Worths) -> Step:
        cost, value = worths.get(action.name, (action.cost.amount, action.value.amount))
        return Step(
            name=action.name,
            pre=action.pre,
            effects={key: to for key, to in action.effects.items() if key in self.conditions},
            cost=cost,
            value=value,
            can_rerun=action.mark.can_rerun,
        )


def _by_kind(conditions: Mapping[str, Condition]) -> ByKind:
    items = conditions.items()
    asked = [(key, found) for key, found in items if isinstance(found, Asked)]
    return ByKind(
        has_any=tuple((k, c) for k, c in items if isinstance(c, Has) and c.name is None),
        has_named=tuple((k, c) for k, c in items if isinstance(c, Has) and c.name is not None),
        new=tuple((k, c) for k, c in items if isinstance(c, New)),
        ran=tuple((k, c) for k, c in items if isinstance(c, Ran)),
        flags=tuple((k, c) for k, c in items if isinstance(c, Flag)),
        available=tuple((k, c) for k, c in items if isinstance(c, Available)),
        rules=tuple((k, c) for k, c in items if isinstance(c, Rule)),
        asked=tuple(sorted(asked, key=lambda pair: (pair[1].method.mark.cost, pair[0]))),
        plain_keys=tuple(k for k, c in items if not isinstance(c, Rule | Asked | Available)),
    )
