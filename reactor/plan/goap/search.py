"""A* for what the bounds leave open (Hart, Nilsson and Raphael 1968).

A state that is reached inherits the cuts that do not contain the step taken: they are landmarks
of it as well, so its bound costs nothing.  Only when it comes first in the queue, a fresh ascent
may improve on that, and its candidate may be a better plan.  Plans give an upper bound; the
search ends when nothing in the queue can undercut it.  In each state only a stubborn set is
tried.
"""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from reactor.plan.goap.ascent import Cut, ascend
from reactor.plan.goap.footing import Footing
from reactor.plan.goap.price import NO_PRICE
from reactor.plan.goap.schedule import Plan, schedule
from reactor.plan.goap.stubborn import StubbornSets
from reactor.plan.goap.task import Task, bits

_FRESH_ASCENTS = 1_000  # states; where so many did not settle it, inherited cuts must do


class Search:
    """One search; `run` it once."""

    def __init__(self, task: Task, state: int, footing: Footing) -> None:
        self._task, self._start, self._footing = task, state, footing
        self._stubborn = StubbornSets(task, footing.view.makers)
        self._spent = {state: 0}  # the least price at which each state was reached
        self._came: dict[int, tuple[int, int]] = {}  # state -> the state and step before it
        self._bound = {state: footing.bound}  # from each state to the goal
        self._cuts: dict[int, Sequence[Cut]] = {state: footing.cuts}
        self._inherited: set[int] = set()  # states whose bound is not from an ascent of their own
        self._best = footing.plan.price
        self._last: tuple[int, list[int] | None] = state, footing.plan.steps
        self._queue = [(footing.bound, 0, state)]  # price at least, minus what is spent, state
        self.expanded = 0

    def run(self, node_limit: int) -> tuple[Plan, int]:
        """The best plan, and the price that none undercuts; equal or less: it is optimal.

        A bound of `NO_PRICE` without a plan: there is none.
        """
        while self._queue:
            at_least, minus_spent, state = heappop(self._queue)
            if at_least >= self._best:
                return self._plan(), self._best
            if -minus_spent > self._spent[state]:
                continue  # it was reached at a lower price since
            if self.expanded >= node_limit:
                return self._plan(), at_least
            if self._is_worth_expanding(state, at_least):
                self.expanded += 1
                self._expand(state, at_least)
        return self._plan(), self._best

    def _is_worth_expanding(self, state: int, at_least: int) -> bool:
        """Improve the bound of a state if it may pay; a better one sends it back to the queue."""
        is_young = len(self._bound) < _FRESH_ASCENTS
        if self._cuts[state] and not (state in self._inherited and is_young):
            return True
        if not self._ascend(state) or not self._task.goal & ~state:
            return False
        now_at_least = self._spent[state] + self._bound[state]
        if now_at_least <= at_least:
            return True
        self._enqueue(state, now_at_least)
        return False

    def _ascend(self, state: int) -> bool:
        """Bound a state afresh, and try the candidate plan; False: it is a dead end."""
        task, footing, spent = self._task, self._footing, self._spent[state]
        fresh = ascend(task, state, footing.view)
        if fresh is None:
            return False
        price = fresh.price + footing.shift.correction(task.goal, state)
        self._bound[state] = max(self._bound[state], price)
        self._cuts[state] = fresh.cuts
        self._inherited.discard(state)
        tail = schedule(task, state, fresh.candidate)
        if spent + tail.price < self._best:
            self._best, self._last = spent + tail.price, (state, tail.steps)
        return True

    def _expand(self, state: int, at_least: int) -> None:
        task, cuts = self._task, self._cuts[state]
        for j in self._stubborn.of(state, self._seed(state)):
            after, spent = task.after(state, j), self._spent[state] + task.price[j]
            if spent >= self._spent.get(after, NO_PRICE):
                continue
            self._spent[after], self._came[after] = spent, (state, j)
            if after not in self._bound:
                kept = [cut for cut in cuts if j not in cut.steps]
                self._inherit(after, kept, at_least - spent)
            self._enqueue(after, spent + self._bound[after])

    def _seed(self, state: int) -> Iterable[int]:
        """Some steps of which every plan from the state contains one, as few as are known."""
        if self._cuts[state]:
            return min([cut.steps for cut in self._cuts[state]], key=len)
        return self._footing.view.makers[next(bits(self._task.goal & ~state))]

    def _inherit(self, state: int, cuts: list[Cut], parents: int) -> None:
        """Bound a new state by the cuts and by what its parent's bound leaves."""
        correction = self._footing.shift.correction(self._task.goal, state)
        self._bound[state] = max(0, sum([cut.charge for cut in cuts]) + correction, parents)
        self._cuts[state] = cuts
        self._inherited.add(state)

    def _enqueue(self, state: int, at_least: int) -> None:
        if at_least < self._best:
            heappush(self._queue, (at_least, -self._spent[state], state))

    def _plan(self) -> Plan:
        """The best plan: the way to where its tail begins, and the tail."""
        state, tail = self._last
        if tail is None:
            return Plan(NO_PRICE, None)
        steps = tail[::-1]
        while state in self._came:
            state, j = self._came[state]
            steps.append(j)
        return Plan(sum([self._task.price[j] for j in steps]), steps[::-1])
