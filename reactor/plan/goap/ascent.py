"""A lower bound on the price of reaching the goal, and a candidate plan that often meets it.

Dual ascent over landmarks.  A *cut* is a set of steps of which every plan contains one (a
disjunctive action landmark).  Its cheapest price is charged to all of its steps at once and
added to the bound; no step is ever charged more than its price in all, so whatever a plan costs,
it costs at least the bound (cost partitioning: Karpas and Domshlak 2009).

Cuts are found backwards, around a *zone* of literals that are not reached yet, beginning with
one of the goal.  Steps that make a zone literal stand on its rim.  A rim step that is used up,
that is, charged its full price, is no obstacle any more: it draws one of its own unreached
preconditions into the zone.  The rim steps with no precondition in the zone form a cut, because
the first step of any plan that makes a zone literal true is among them: nothing in the zone held
before it, and a used-up one always needs something in the zone.

Used-up steps whose preconditions are all reached *fire*: what they add is reached at no further
charge.  When the goal is reached, the bound is complete, and the steps that fired for it are the
candidate plan: if it runs for real and costs no more than the bound, it is optimal by weak
duality.  An empty cut proves that there is no plan.
"""

from dataclasses import dataclass
from typing import NamedTuple

from reactor.plan.goap.task import Task


class Cut(NamedTuple):
    """Steps of which every plan contains one, and what that adds to the bound."""

    charge: int
    steps: frozenset[int]


@dataclass(frozen=True, slots=True)
class View:
    """A way of looking at a task.  Every view gives a valid bound; which is best nobody knows."""

    prices: list[int]  # of the steps; may differ from the task's, see `stock`
    makers: dict[int, list[int]]  # literal -> the steps that add it and can ever run
    pre_order: list[list[int]]  # step -> its preconditions; the first unreached one is drawn in
    goal_order: list[int]  # goal literals; the first unreached one is the next zone


class Bound(NamedTuple):
    """What an ascent gives."""

    price: int  # no plan costs less
    cuts: list[Cut]
    candidate: list[int]  # steps, in the order in which they fired


def ascend(task: Task, state: int, view: View) -> Bound | None:
    """The bound from `state`; None: the goal can't be reached from there."""
    climb = _Climb(task, state, view)
    while climb.has_zone():
        climb.widen()
        cut = climb.cut()
        if not cut:
            return None
        climb.charge(cut)
    return Bound(climb.price, climb.cuts, _candidate(task, state, climb.fired))


class _Climb:
    """An ascent under way."""

    __slots__ = (
        "_add", "_goals_reached", "_left", "_news", "_pre", "_reached", "_rim", "_todo", "_used_up", "_view",
        "_zone", "cuts", "fired", "price",
    )  # fmt: skip

    def __init__(self, task: Task, state: int, view: View) -> None:
        self._view = view
        self._pre, self._add = task.pre, task.add
        self._left = view.prices.copy()  # what may still be charged for each step
        self._reached = state
        self._used_up = [j for j, left in enumerate(self._left) if not left]  # not fired yet
        self._news = bool(self._used_up)  # whether a used-up step may be able to fire
        self._goals_reached = 0  # so many of the goal's literals, from the first one on
        self._zone = 0
        self._rim: list[int] = []
        self._todo: list[int] = []  # zone literals whose makers are not on the rim yet
        self.price = 0
        self.cuts: list[Cut] = []
        self.fired: list[tuple[int, int]] = []  # step, and the literals that it was first to reach

    def has_zone(self) -> bool:
        """Keep the zone, or begin another one if it was reached; False when the goal is reached."""
        if self._news:
            self._fire()
        if self._zone and not self._zone & self._reached:
            return True
        for literal in self._view.goal_order[self._goals_reached :]:
            if not literal & self._reached:
                self._zone, self._rim, self._todo = literal, [], [literal]
                return True
            self._goals_reached += 1
        return False

    def widen(self) -> None:
        """Bring the makers of new zone literals to the rim; used-up ones widen the zone."""
        left, makers, todo, rim = self._left, self._view.makers, self._todo, self._rim
        while todo:
            for j in makers[todo.pop()]:
                if left[j]:
                    rim.append(j)
                else:
                    self._draw_in(j)

    def cut(self) -> list[int]:
        """The rim steps that need nothing in the zone; the others are dropped from the rim."""
        left, pre, zone = self._left, self._pre, self._zone
        self._rim = list({j for j in self._rim if left[j] and not pre[j] & zone})
        return self._rim

    def charge(self, cut: list[int]) -> None:
        """Charge the steps of the cut as much as the cheapest of them has left."""
        left = self._left
        least = min([left[j] for j in cut])
        self.price += least
        self.cuts.append(Cut(least, frozenset(cut)))
        for j in cut:
            left[j] -= least
            if left[j]:
                continue
            self._used_up.append(j)
            if self._pre[j] & ~self._reached:
                self._draw_in(j)
            else:
                self._news = True

    def _draw_in(self, j: int) -> None:
        """Widen the zone by an unreached precondition of a used-up step, unless it has one."""
        if not self._pre[j] & self._zone:
            literal = next(b for b in self._view.pre_order[j] if not b & self._reached)
            self._zone |= literal
            self._todo.append(literal)

    def _fire(self) -> None:
        """Let used-up steps that can run add what they give, until nothing new comes."""
        pre, add = self._pre, self._add
        while self._news:
            self._news = False
            waiting = []
            for j in reversed(self._used_up):
                if pre[j] & ~self._reached:
                    waiting.append(j)
                elif new := add[j] & ~self._reached:
                    self.fired.append((j, new))
                    self._reached |= new
                    self._news = True
            self._used_up = waiting[::-1]


def _candidate(task: Task, state: int, fired: list[tuple[int, int]]) -> list[int]:
    """The fired steps that first reached something wanted, from the goal backwards."""
    wanted, candidate = task.goal & ~state, []
    for j, gave in reversed(fired):
        if gave & wanted:
            wanted = wanted & ~gave | task.pre[j] & ~state
            candidate.append(j)
    return candidate[::-1]
