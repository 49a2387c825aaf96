"""The supervisor's planner: carries out what a model has picked, and says when to ask it again.

    a goal holds -> done;  a pick can run -> that one;  something is on offer -> ask the model

It calls no model itself: asking is a step as any other, and what was picked is part of the
problem.  So it is pure like the others, and the same picks lead to the same decisions.
"""

from collections.abc import Sequence
from functools import partial

from reactor.plan.choice import choose, decision, in_order, plan_for
from reactor.plan.decision import Candidate, Decision, NotRunnable, Reasons, Unmet
from reactor.plan.problem import Aim, Pick, Problem, Step, Supervision, Truth
from reactor.plan.ranking import Ranking
from reactor.plan.reasons import first_unmet
from reactor.plan.recent import Recent
from reactor.plan.world import World

_RANKINGS = 8  # sets of steps kept ranked
_NOBODY = Supervision(asks="")


class SupervisorPlanner:
    """A model decides; without a `problem.supervision` there is none, and no plan."""

    def __init__(self) -> None:
        self._ranking = Recent(Ranking, size=_RANKINGS)

    def decide(self, problem: Problem) -> Decision:
        """The picks that can run now, the step that asks for picks, or that there is no plan."""
        world, ranking = World(problem), self._ranking(problem.steps)
        supervised = _Supervised(world, ranking, problem.supervision or _NOBODY)
        aims = [aim for aim in in_order(problem.aims) if not aim.nirvana]
        held = choose(plan_for(aim, ()) for aim in aims if world.holds(aim.pre))
        explain = partial(supervised.reasons, aims)
        if held is not None or not aims:
            return decision(held, explain, world.evaluated)
        goal = aims[0].name if len(aims) == 1 else None
        picked, picker = supervised.picked()
        offered = () if picked else supervised.offered()
        plan = picked or ((supervised.asks,) if offered and supervised.can_ask() else ())
        if not plan:
            return decision(None, explain, world.evaluated)
        return Decision(
            "optimal",
            goal,
            plan,
            evaluated=world.evaluated,
            chosen_by=picker,
            offered=tuple(step.name for step in offered),
            explain=explain,
        )


class _Supervised:
    """What can be done in one problem."""

    def __init__(self, world: World, ranking: Ranking, supervision: Supervision) -> None:
        self._world, self._ranking, self._supervision = world, ranking, supervision
        self._steps = {step.name: step for step in ranking.by_name}
        self.asks = supervision.asks

    def picked(self) -> tuple[tuple[str, ...], str]:
        """The picks that can run now, in order, and who picked them."""
        there = [pick for pick in self._supervision.picks if self._can_run(pick)]
        return tuple(pick.step for pick in there), there[0].by if there else ""

    def can_ask(self) -> bool:
        """Whether the model can be asked now."""
        return self.asks in self._steps and self._world.can_run(self._steps[self.asks])

    def offered(self) -> tuple[Step, ...]:
        """What the model may pick: first what can run as it is, each part best first."""
        ready = [step for step in self._offerable() if self._world.holds(step.pre)]
        names = {step.name for step in ready}
        others = [step for step in self._offerable() if step.name not in names]
        return (*ready, *(step for step in others if self._can_be_supplied(step)))

    def reasons(self, aims: Sequence[Aim]) -> Reasons:
        """What was on offer, what was not and why, and what the goals hang on."""
        offered = self.offered()
        listed = {step.name for step in offered}
        by_name = {each.action: each for each in self._ranking.candidates}
        blocked = [
            NotRunnable(step.name, obstacles)
            for step in self._ranking.by_name
            if step.name not in listed and (obstacles := self._world.obstacles(step))
        ]
        missed = first_unmet([a for a in aims if not self._world.holds(a.pre)], self._world)
        root = self._why_not_asked() if offered else None
        candidates: list[Candidate] = [by_name[step.name] for step in offered]
        return Reasons(
            candidates=tuple(candidates),
            not_runnable=tuple(blocked),
            unreachable=tuple(missed),
            roots=tuple((goal, root or unmet) for goal, unmet in missed),
        )

    def _why_not_asked(self) -> Unmet | None:
        step = self._steps.get(self.asks)
        obstacles = self._world.obstacles(step) if step else ()
        return next(iter(obstacles), None)

    def _offerable(self) -> list[Step]:
        """All but the asking itself, and what is over or left out; best first."""
        world = self._world
        return [
            step
            for step in self._ranking.steps
            if step.name != self.asks and not world.is_excluded(step) and not world.is_over(step)
        ]

    def _can_be_supplied(self, step: Step) -> bool:
        """Whether all that is missing can be made by the model."""
        supplies = self._supervision.supplies.get(step.name, {})
        absent = {c for c, fact in supplies.items() if self._world.truth(fact) is not Truth.TRUE}
        left = {c: needs for c, needs in step.pre.items() if c not in absent}
        return bool(absent) and self._world.holds(left)

    def _can_run(self, pick: Pick) -> bool:
        step = self._steps.get(pick.step)
        if step is None or step.name == self.asks:
            return False
        if self._world.is_excluded(step) or self._world.is_over(step):
            return False
        if any(step.pre[c] is not to for c, to in pick.brings.items() if c in step.pre):
            return False
        left = {c: needs for c, needs in step.pre.items() if c not in pick.brings}
        return self._world.holds(left)
