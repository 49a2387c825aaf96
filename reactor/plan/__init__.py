"""Planners: pure functions from what is known and wanted to what to do next, and why.

To read on: `problem` (what goes in), `decision` (what comes out), then `utility`, `hybrid` and
`goap`, which get from the one to the other.
"""

from reactor.plan.decision import Candidate, Decision, NotRunnable, Outcome, Reasons, Unmet
from reactor.plan.planner import PLANNER_NAMES, Planner, UnknownPlanner, make_planner
from reactor.plan.problem import NIRVANA, Aim, Problem, Step, Truth

__all__ = [
    "NIRVANA",
    "PLANNER_NAMES",
    "Aim",
    "Candidate",
    "Decision",
    "NotRunnable",
    "Outcome",
    "Planner",
    "Problem",
    "Reasons",
    "Step",
    "Truth",
    "UnknownPlanner",
    "Unmet",
    "make_planner",
]
