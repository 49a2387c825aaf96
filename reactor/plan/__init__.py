"""Planners: pure functions from what is known and wanted to what to do next, and why.

To read on: `problem` (what goes in), `decision` (what comes out), then `utility`, `hybrid`,
`goap` and `supervisor`, which get from the one to the other.
"""

from reactor.plan.decision import Candidate, Decision, NotRunnable, Outcome, Reasons, Unmet
from reactor.plan.planner import PLANNER_NAMES, Planner, UnknownPlanner, make_planner
from reactor.plan.problem import NIRVANA, Aim, Pick, Problem, Step, Supervision, Truth

__all__ = [
    "NIRVANA",
    "PLANNER_NAMES",
    "Aim",
    "Candidate",
    "Decision",
    "NotRunnable",
    "Outcome",
    "Pick",
    "Planner",
    "Problem",
    "Reasons",
    "Step",
    "Supervision",
    "Truth",
    "UnknownPlanner",
    "Unmet",
    "make_planner",
]
