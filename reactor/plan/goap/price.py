"""The price of a plan: one whole number that orders plans by cost, then steps, then specificity.

Costs, steps and preconditions are added up in separate fields of one int, the more important
field above the less important one.  So the cheapest price is the lexicographic minimum, ties are
exact, and every step costs more than nothing: zero-cost circles are never worth walking.
"""

from reactor.plan.problem import Step
from reactor.plan.worth import amount, exact

_MOST_PRE = 2**12 - 1  # preconditions beyond this many make a step no more specific
_STEP = 1 << 32  # 2**20 steps fit before their specificity spills over
_COST_SHIFT = 56  # 2**24 steps fit before they spill over

NO_PRICE = 1 << 400  # above the price of every plan


def price(step: Step) -> int:
    """What the step adds to the price of a plan; always positive.

    A negative cost counts as none: otherwise walking in circles would pay.
    """
    cost = max(0, exact(step.cost))
    return (cost << _COST_SHIFT) + _STEP + _MOST_PRE - min(len(step.pre), _MOST_PRE)


def cost_of(price: int) -> float:
    """The cost within a price: of a lower bound, the cost that no plan can undercut."""
    return amount(max(0, price) >> _COST_SHIFT)
