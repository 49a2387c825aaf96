"""What can be said of a state before any search: the best bound and the best plan known.

Views are tried one after the other, cheap ones first, until the bound meets the plan.  In
practice the first one nearly always does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reactor.plan.goap.ascent import Cut, View, ascend
from reactor.plan.goap.estimate import estimate
from reactor.plan.goap.schedule import NO_PLAN, Plan, schedule
from reactor.plan.goap.stock import Shift, holdings
from reactor.plan.goap.task import NotRan, Task, bits
from reactor.plan.problem import Truth

_ROUNDS = 3  # how often each holding is tried; beyond that it gains next to nothing


@dataclass(slots=True)
class Footing:
    """Where a search from a state begins."""

    view: View  # the one that gave the bound
    shift: Shift  # the prices of that view
    bound: int = -1  # no plan costs less
    cuts: tuple[Cut, ...] = ()  # of that bound
    plan: Plan = NO_PLAN  # the best one known

    @property
    def is_proved(self) -> bool:
        """Whether the plan is optimal."""
        return self.plan.price <= self.bound


class Approach:
    """Ways to look at one task, made once and used from every state."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._holdings = holdings(task)
        self._views = list(_static_views(task))

    def footing(self, state: int) -> Footing | None:
        """The best footing that a few ascents give; None: the goal can't be reached."""
        task = self._task
        footing = Footing(self._views[0], Shift(task.price))
        for view in self._views:
            if not _try(task, state, footing, view, footing.shift):
                return None
            if footing.is_proved:
                return footing
        for view, shift in self._dearer_views(state, footing):
            if not _try(task, state, footing, view, shift):
                return None
            if footing.is_proved:
                break
        return footing

    def _dearer_views(self, state: int, footing: Footing) -> Iterator[tuple[View, Shift]]:
        """Views made for this state, and then with moved prices; reads the footing as it grows."""
        task = self._task
        near = estimate(task, state)
        footing.plan = min(footing.plan, schedule(task, state, near.plan()))
        view = View(
            task.price,
            near.makers(),
            [near.hardest_first(pre) for pre in task.pre],
            near.hardest_first(task.goal),
        )
        yield view, footing.shift
        for holding in self._holdings * _ROUNDS:
            shift = footing.shift.further(holding)
            if shift:
                yield replace(view, prices=shift.prices), shift


def _try(task: Task, state: int, footing: Footing, view: View, shift: Shift) -> bool:
    """Improve the footing by one ascent; False: it proved that the goal can't be reached."""
    bound = ascend(task, state, view)
    if bound is None:
        return False
    price = bound.price + shift.correction(task.goal, state)
    if price >= footing.bound:
        footing.bound, footing.cuts = price, tuple(bound.cuts)
        footing.view, footing.shift = view, shift
    footing.plan = min(footing.plan, schedule(task, state, bound.candidate))
    return True


def _static_views(task: Task) -> Iterator[View]:
    """Preconditions hardest first, from a typical state; then by name, forwards and backwards."""
    typical = sum(
        literal
        for literal, makers in task.makers.items()
        if not makers or _holds_at_first(task, literal)
    )
    far = estimate(task, typical)
    hardest = [far.hardest_first(pre) for pre in task.pre]
    yield View(task.price, task.makers, hardest, far.hardest_first(task.goal))
    forwards, goal = [list(bits(pre)) for pre in task.pre], list(bits(task.goal))
    yield View(task.price, task.makers, forwards, goal)
    yield View(task.price, task.makers, [pre[::-1] for pre in forwards], goal[::-1])


def _holds_at_first(task: Task, literal: int) -> bool:
    """Whether the literal holds in a world in which nothing has been done yet."""
    meaning = task.literals[literal.bit_length() - 1]
    return isinstance(meaning, NotRan) or meaning[1] is not Truth.TRUE
