"""Actions of equal worth that may be on offer beside each other: the name decides between them.

That is a rule, and a replay keeps it, but seldom what was meant.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from reactor.command import Command
from reactor.conditions import Condition, Has
from reactor.installed import Action
from reactor.lint.finding import Finding
from reactor.lint.places import place_of
from reactor.plan.problem import Truth
from reactor.platform import Platform

_MOST_NAMED = 3


def ties_among(
    platform: Platform, *, exclusive: tuple[type, ...], brought: Sequence[type]
) -> Iterator[Finding]:
    """Each action that ties with others, those of a lower name told once.

    `exclusive`: types of each of which a process has one kind only, as of events.  `brought`: the
    types that come from outside.
    """
    worths = dict[float, list[Action]]()
    for action in platform.actions.values():
        if action.has_fixed_worth and not _is_apart(action):
            net = round(action.value.amount - action.cost.amount, 9)
            worths.setdefault(net, []).append(action)
    for net, actions in worths.items():
        tied = dict[str, list[Action]]()
        for one, other in combinations(actions, 2):
            if _may_meet(one, other, platform, exclusive, brought):
                tied.setdefault(one.name, []).append(other)
        for name, others in tied.items():
            yield _finding(platform.actions[name], others, net)


def _is_apart(action: Action) -> bool:
    """Agents are run for themselves; commands by who asks, and all of them count."""
    is_asked_for = action.trigger is not None and issubclass(action.trigger, Command)
    return action.component.mark.is_agent or is_asked_for


def _finding(action: Action, others: Sequence[Action], net: float) -> Finding:
    named = ", ".join(each.name for each in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return Finding(
        severity="note",
        rule="tie",
        package=action.component.package.name,
        where=action.name,
        problem=f"is worth {net:+.2f}, as {named}{more}, and may be on offer beside them: the name"
        " decides; make one worth more, or have it wait for the other",
        spot=place_of(action.call),
    )


def _may_meet(
    one: Action,
    other: Action,
    platform: Platform,
    exclusive: tuple[type, ...],
    brought: Sequence[type],
) -> bool:
    for key, wanted in one.pre.items():
        if other.pre.get(key, wanted) is not wanted:
            return False
    for kind in exclusive:
        ones, others = _needed(one, platform, kind), _needed(other, platform, kind)
        if any(not issubclass(a, b) and not issubclass(b, a) for a in ones for b in others):
            return False
    return not (
        _waits_for(one, other, platform, brought) or _waits_for(other, one, platform, brought)
    )


def _needed(action: Action, platform: Platform, kind: type) -> list[type]:
    """The types of that kind that it needs."""
    needed = (platform.conditions[key] for key, to in action.pre.items() if to is Truth.TRUE)
    return [has.kind for has in needed if isinstance(has, Has) and issubclass(has.kind, kind)]


def _waits_for(action: Action, other: Action, platform: Platform, brought: Iterable[type]) -> bool:
    """Whether it needs what the other one alone gives."""
    types = tuple(brought)
    for key, wanted in action.pre.items():
        if wanted is not Truth.TRUE or not other.effects.get(key):
            continue
        givers = [each for each in platform.actions.values() if each.effects.get(key)]
        if givers == [other] and not _is_brought(platform.conditions[key], types):
            return True
    return False


def _is_brought(condition: Condition, types: Sequence[type]) -> bool:
    return isinstance(condition, Has) and any(issubclass(kind, condition.kind) for kind in types)
