"""A better bound where something is used up and made again: locks, coins, a free hand.

Take a literal p that some steps take (they need it and drop it) and others make.  In every plan

    made >= taken + [p in goal] - [p in state]

because p has to be there each time it is taken.  So an amount w may be moved from the price of
each maker to that of each taker: a plan then costs at least `w * ([p in goal] - [p in state])`
less than before, and a bound under the moved prices, with that constant added, is a bound under
the real ones.  (Linear programming calls it a state equation: Bonet 2013, van den Briel 2007.)
Ascents see further with it, because taking a coin is no longer free.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reactor.plan.goap.task import Task


@dataclass(frozen=True, slots=True)
class Holding:
    """A literal that is taken and made."""

    literal: int
    makers: list[int]
    takers: list[int]


@dataclass(frozen=True, slots=True)
class Shift:
    """Prices after amounts were moved from makers to takers, and what corrects a bound for it."""

    prices: list[int]
    moved: Mapping[int, int] = field(default_factory=dict)  # literal -> amount

    def correction(self, goal: int, state: int) -> int:
        """What must be added to a bound from `state` under these prices."""
        wanted = sum([amount for literal, amount in self.moved.items() if literal & goal])
        return wanted - sum([amount for literal, amount in self.moved.items() if literal & state])

    def further(self, holding: Holding) -> "Shift | None":
        """Move as much as the cheapest maker has left; None if it has nothing left."""
        amount = min([self.prices[j] for j in holding.makers])
        if not amount:
            return None
        prices = self.prices.copy()
        for j in holding.makers:
            prices[j] -= amount
        for j in holding.takers:
            prices[j] += amount
        before = self.moved.get(holding.literal, 0)
        return Shift(prices, {**self.moved, holding.literal: before + amount})


def holdings(task: Task) -> list[Holding]:
    """The literals of a task that are both taken and made."""
    found = []
    for literal, makers in task.makers.items():
        takers = [j for j in task.breakers[literal] if task.pre[j] & literal]
        if makers and takers:
            found.append(Holding(literal, makers, takers))
    return found
