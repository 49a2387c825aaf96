"""GOAP: the cheapest sequence of steps to a goal, with a proof that none is cheaper.

Reading order, each file one idea:

    task       a goal as bit masks, with only the steps and literals that it can need
    price      cost, number of steps and preconditions of a plan as one whole number
    estimate   what is hard to reach, by delete relaxation
    ascent     a lower bound from landmarks, and a candidate plan that often meets it
    schedule   an order in which a candidate runs for real
    stock      a better bound where something is used up and made again
    footing    these together: what can be said of a state before any search
    stubborn   which steps must be tried in a state, and which need not
    search     A* for what is left
    greedy     some plan, where the search had to be cut short
    solver     all of that for one state
    policy     answers kept per state
    doubts     unknown conditions: looked into only where the answer hangs on them
    unreached  why a goal is out of reach
    planner    many goals, one decision

The literature: A* is by Hart, Nilsson and Raphael (1968); landmarks and cost partitioning by
Helmert and Domshlak (2009) and Karpas and Domshlak (2009), here found by dual ascent as Wong
(1984) does for Steiner trees; stubborn sets in planning by Wehrle and Helmert (2014).
"""

from reactor.plan.goap.planner import GoapPlanner

__all__ = ["GoapPlanner"]
