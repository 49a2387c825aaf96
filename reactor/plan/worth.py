"""Money-like arithmetic: costs and values as whole numbers, so that ties are exact.

0.6 - 0.2 and 0.5 - 0.1 are the same worth, but not the same float.  Planners therefore compare
whole billionths, and turn them back into floats only for their answer.
"""

import math

from reactor.plan.problem import Aim, Step

SCALE = 10**9  # a billionth: far above float noise, far below any cost that means something


def exact(amount: float) -> int:
    """The amount in billionths.  It must be finite: see `is_priced`."""
    return round(amount * SCALE)


def amount(billionths: int) -> float:
    """Billionths as an ordinary number again: 800000000 -> 0.8."""
    return billionths / SCALE


def is_priced(step: Step) -> bool:
    """Whether cost and value are finite numbers; a step that has none can't be compared."""
    return math.isfinite(step.cost * SCALE) and math.isfinite(step.value * SCALE)


def net(step: Step) -> int:
    """Value minus cost, in billionths."""
    return exact(step.value) - exact(step.cost)


def worth(aim: Aim) -> int:
    """The value of a goal in billionths; one that is no finite number counts for nothing."""
    return exact(aim.value) if math.isfinite(aim.value * SCALE) else 0
