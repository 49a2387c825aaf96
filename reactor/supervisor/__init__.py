"""The supervisor: a model picks among typed tools, and the engine runs what it picks as any action.

To read on: `supplies` (what a model may make), `tools` (an action as a model sees it), `prompt`
(what it is told), `asking` (the action that asks it), `supervisor` (one process's).
"""

from reactor.supervisor.supervisor import PLANNER, NoGoal, Supervisor

__all__ = ["PLANNER", "NoGoal", "Supervisor"]
