"""What is hard to reach: the additive estimate by delete relaxation.

If nothing were ever undone, a literal would cost as much as its cheapest maker and all that the
maker needs.  The estimate adds up preconditions as if none had anything in common (h_add: Bonet
and Geffner 2001), so it may overshoot; it orders things, and bounds nothing.  What has no
estimate can't be reached at all, and that is a proof.  Found in the manner of Dijkstra: by
rising cost, each literal and each step settled once (Knuth 1977).
"""

from dataclasses import dataclass
from heapq import heappop, heappush

from reactor.plan.goap.price import NO_PRICE
from reactor.plan.goap.task import Task, bits


@dataclass(frozen=True, slots=True)
class Estimate:
    """What it takes from one state, nothing ever being undone."""

    task: Task
    state: int
    of_literal: dict[int, int]  # price of reaching it; without what can't be reached
    maker: dict[int, int]  # literal -> the step that makes it most cheaply
    of_step: dict[int, int]  # price of all that the step needs; without what can never run

    def makers(self) -> dict[int, list[int]]:
        """The makers of each literal, only those that can ever run."""
        return {
            literal: [j for j in makers if j in self.of_step]
            for literal, makers in self.task.makers.items()
        }

    def missing(self, mask: int) -> int:
        """The literals among `mask` that nothing can reach."""
        return sum(literal for literal in bits(mask) if literal not in self.of_literal)

    def hardest_first(self, mask: int) -> list[int]:
        """The literals of `mask`, the dearest first."""
        return sorted(bits(mask), key=lambda literal: -self.of_literal.get(literal, NO_PRICE))

    def plan(self) -> list[int]:
        """The steps that reach the goal by the cheapest maker of each literal, in order."""
        task, chosen = self.task, set[int]()
        todo = list(bits(task.goal & ~self.state))
        while todo:
            j = self.maker.get(todo.pop())
            if j is not None and j not in chosen:
                chosen.add(j)
                todo.extend(bits(task.pre[j] & ~self.state))
        return sorted(chosen, key=lambda j: (self.of_step[j], j))


def estimate(task: Task, state: int) -> Estimate:
    """Estimate everything from `state`."""
    spread = _Spread(task, state)
    spread.run()
    return Estimate(task, state, spread.of_literal, spread.maker, spread.of_step)


class _Spread:
    """The estimate under way, spreading from the literals that hold."""

    def __init__(self, task: Task, state: int) -> None:
        self._task = task
        self._lacking = [pre.bit_count() for pre in task.pre]  # preconditions not settled yet
        self._needs = [0] * len(task.pre)  # price of those that are
        self._queue = [(0, literal, -1) for literal in bits(state)]  # price, literal, its maker
        self.of_literal: dict[int, int] = {}
        self.maker: dict[int, int] = {}
        self.of_step: dict[int, int] = {}

    def run(self) -> None:
        """Settle all literals, the cheapest first."""
        for j, lacking in enumerate(self._lacking):
            if not lacking:
                self._can_run(j)
        while self._queue:
            price, literal, j = heappop(self._queue)
            if literal not in self.of_literal:
                self._settle(literal, price, j)

    def _settle(self, literal: int, price: int, j: int) -> None:
        self.of_literal[literal] = price
        if j >= 0:  # else it holds already
            self.maker[literal] = j
        for user in self._task.users[literal]:
            self._lacking[user] -= 1
            self._needs[user] += price
            if not self._lacking[user]:
                self._can_run(user)

    def _can_run(self, j: int) -> None:
        self.of_step[j] = self._needs[j]
        price = self._needs[j] + self._task.price[j]
        for literal in bits(self._task.add[j]):
            if literal not in self.of_literal:
                heappush(self._queue, (price, literal, j))
