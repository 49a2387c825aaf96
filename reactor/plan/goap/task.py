"""A goal, compiled: only the steps and literals that it can need, as bit masks.

A literal is a condition with one of its values; a state is the int of the literals that hold
in it.  That a condition must be false, or unknown, is a literal of its own, so preconditions
are always positive: a step can run in `state` when `pre & ~state == 0`, and leads to
`state & ~drop | add`.  A step that may run once has one literal more, "it has not run", which
it needs and drops.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reactor.plan.goap.price import price
from reactor.plan.problem import Aim, Step, Truth
from reactor.plan.worth import is_priced


@dataclass(frozen=True, slots=True)
class NotRan:
    """The literal "this step has not run"."""

    step: str


Literal = tuple[str, Truth] | NotRan


@dataclass(frozen=True, slots=True)
class Task:
    """One goal and what can be done for it; steps are known by their index in `steps`."""

    steps: tuple[Step, ...]  # by name
    literals: tuple[Literal, ...]  # bit k stands for literals[k]
    goal: int
    pre: list[int]
    add: list[int]
    drop: list[int]
    price: list[int]
    makers: dict[int, list[int]]  # literal -> the steps that add it
    users: dict[int, list[int]]  # literal -> the steps that need it
    breakers: dict[int, list[int]]  # literal -> the steps that drop it
    values: dict[str, dict[Truth | None, int]]  # condition -> its literals by value
    fresh: dict[str, int]  # step -> its literal "has not run"
    unrun: int  # all of the latter

    def state(self, known: Mapping[str, Truth], ran: Iterable[str]) -> int:
        """The literals that hold; an absent condition has none."""
        state = self.unrun
        for name in ran:
            state &= ~self.fresh.get(name, 0)
        for condition, literals in self.values.items():
            state |= literals.get(known.get(condition), 0)
        return state

    def after(self, state: int, step: int) -> int:
        """The state that the step leads to."""
        return state & ~self.drop[step] | self.add[step]

    def condition(self, literal: int) -> str:
        """What the literal is about: a condition, or of "has not run", the step."""
        meaning = self.literals[literal.bit_length() - 1]
        return meaning.step if isinstance(meaning, NotRan) else meaning[0]

    def literals_of(self, condition: str) -> int:
        """All literals of the condition that matter here, as a mask."""
        return sum(self.values.get(condition, {}).values())


def bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, lowest first."""
    while mask:
        yield mask & -mask
        mask &= mask - 1


class Domain:
    """The steps that there are, indexed so that a goal compiles in the time that its own need."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = _by_name(filter(is_priced, steps))
        self._makers: dict[Literal, list[int]] = {}
        for j, step in enumerate(self._steps):
            for condition, value in step.effects.items():
                self._makers.setdefault((condition, Truth.of(value)), []).append(j)

    def compile(self, aim: Aim, excluded: frozenset[str]) -> Task:
        """The task of reaching `aim` without the steps called `excluded`."""
        relevant, needed = self._relevant(aim, excluded)
        steps = tuple(self._steps[j] for j in sorted(relevant))
        literals = tuple(sorted(needed, key=_literal_order))
        bit = {literal: 1 << k for k, literal in enumerate(literals)}
        values, fresh = _tables(bit)
        pre = [sum(bit[literal] for literal in _needs(step)) for step in steps]
        add = [_sum(values, step.effects.items(), made=True) for step in steps]
        drop = [
            _sum(values, step.effects.items(), made=False) | _guard(fresh, step) for step in steps
        ]
        return Task(
            steps=steps,
            literals=literals,
            goal=sum(bit[literal] for literal in aim.pre.items()),
            pre=pre,
            add=add,
            drop=drop,
            price=[price(step) for step in steps],
            makers=_index(bit.values(), add),
            users=_index(bit.values(), pre),
            breakers=_index(bit.values(), drop),
            values=values,
            fresh=fresh,
            unrun=sum(fresh.values()),
        )

    def _relevant(self, aim: Aim, excluded: frozenset[str]) -> tuple[set[int], set[Literal]]:
        """The steps that may serve the goal, found backwards, and the literals they can need."""
        steps: set[int] = set()
        todo: list[Literal] = list(aim.pre.items())
        needed = set(todo)
        while todo:
            for j in self._makers.get(todo.pop(), ()):
                if j in steps or self._steps[j].name in excluded:
                    continue
                steps.add(j)
                more = [literal for literal in _needs(self._steps[j]) if literal not in needed]
                needed.update(more)
                todo.extend(more)
        return steps, needed


def _needs(step: Step) -> list[Literal]:
    """The literals that the step needs."""
    needs: list[Literal] = list(step.pre.items())
    return needs if step.can_rerun else [*needs, NotRan(step.name)]


def _guard(fresh: Mapping[str, int], step: Step) -> int:
    return 0 if step.can_rerun else fresh[step.name]


def _sum(
    values: Mapping[str, Mapping[Truth | None, int]],
    effects: Iterable[tuple[str, bool]],
    *,
    made: bool,
) -> int:
    """The literals that the effects make true, or those that they make false."""
    return sum(
        literal
        for condition, value in effects
        for truth, literal in values.get(condition, {}).items()
        if (truth is Truth.of(value)) == made
    )


def _tables(
    bit: Mapping[Literal, int],
) -> tuple[dict[str, dict[Truth | None, int]], dict[str, int]]:
    """Literals by condition and value, and the "has not run" ones by step."""
    values: dict[str, dict[Truth | None, int]] = {}
    fresh: dict[str, int] = {}
    for literal, mask in bit.items():
        if isinstance(literal, NotRan):
            fresh[literal.step] = mask
        else:
            values.setdefault(literal[0], {})[literal[1]] = mask
    return values, fresh


def _index(literals: Iterable[int], masks: Sequence[int]) -> dict[int, list[int]]:
    """Literal -> the steps whose mask has it."""
    index: dict[int, list[int]] = {literal: [] for literal in literals}
    for j, mask in enumerate(masks):
        for literal in bits(mask):
            index[literal].append(j)
    return index


def _literal_order(literal: Literal) -> tuple[bool, str, str]:
    if isinstance(literal, NotRan):
        return True, literal.step, ""
    return False, literal[0], literal[1].value


def _by_name(steps: Iterable[Step]) -> list[Step]:
    """In the order of their names; where two steps share one, of everything else about them."""
    ordered = sorted(steps, key=lambda step: step.name)
    if any(one.name == other.name for one, other in pairwise(ordered)):
        ordered.sort(key=_identity)
    return ordered


def _identity(step: Step) -> tuple[object, ...]:
    pre = sorted((condition, needs.value) for condition, needs in step.pre.items())
    return step.name, step.cost, step.value, step.can_rerun, pre, sorted(step.effects.items())
