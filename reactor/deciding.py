"""Deciding what to do next: one planning, or two where the first was too strict.

An action that has just failed sits out one planning; if nothing is left then, one more planning
is done with all that are not barred for good.  If that finds nothing either, it is told whether
a barred action is the reason: then the process has failed, otherwise it is merely stuck.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from reactor.history import History
from reactor.journal import Weighed
from reactor.plan import Decision, Planner, Problem, Supervision
from reactor.repertoire import Repertoire
from reactor.view import View
from reactor.world import Observation


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision with its reasons."""

    weighed: Weighed
    failure: str = ""  # the failure but for which there would be a plan; "" if there is a plan
    can_pass: bool = False  # there may be a plan later, when the failure has passed

    @property
    def decision(self) -> Decision:
        """What the planner said."""
        return self.weighed.decision

    @property
    def why_no_plan(self) -> str:
        """Why there is nothing to do, as a clause."""
        if self.decision.outcome == "limit":
            return "the search for a plan was given up"
        for goal, root in self.decision.reasons.roots:
            return f"no plan leads to {goal}: {root}, and nothing brings that about"
        return "nothing is left to do"


@dataclass(frozen=True, slots=True)
class Deciding:
    """Puts what is known before a planner."""

    repertoire: Repertoire
    planner: Planner
    max_failures: int
    endless: bool  # the endless goal stands beside the real ones
    supervise: Callable[[View], Supervision] | None = None  # for a supervisor

    def choose(
        self, seen: Observation, history: History, epoch: int, *, waiting: Iterable[str] = ()
    ) -> Choice:
        """The next step, or why there is none.  `waiting`: actions that a person must answer."""
        asked = dict.fromkeys(waiting, "left out, as it waits for an answer")
        barred = {**seen.resting, **history.barred(self.max_failures), **asked}
        left_out = {**history.left_out, **barred}
        decision = self._plan(seen, history.ran(epoch), {**seen.unpriced, **left_out})
        if decision.plan is None and left_out.keys() != barred.keys():
            left_out = dict(barred)
            decision = self._plan(seen, history.ran(epoch), {**seen.unpriced, **left_out})
        why = {f"excluded({name})": text for name, text in {**seen.unpriced, **left_out}.items()}
        weighed = Weighed(decision, {**seen.reasons, **why})
        if decision.plan is not None:
            return Choice(weighed)
        if self.supervise and (failure := history.failed_last(self.supervise(seen.view).asks)):
            # No model answers now, which may also be why there is none to be asked.
            return Choice(weighed, f"{failure.action}: {failure.error}", can_pass=failure.passing)
        if not barred:
            return Choice(weighed)
        without_bars = self._plan(seen, history.ran(epoch), seen.unpriced)
        wanted = (*(without_bars.plan or ()), *without_bars.offered)
        blamed = [name for name in wanted if name in barred]
        if not blamed:
            return Choice(weighed)
        rests = {name: why for name, why in seen.resting.items() if barred[name] == why}
        why_rests = rests.get(blamed[0], "").removeprefix("left out, as ")
        return Choice(
            weighed,
            f"{blamed[0]}: {why_rests or history.last_error(blamed[0])}",
            can_pass=all(name in rests or history.can_pass(name) for name in blamed),
        )

    def _plan(
        self, seen: Observation, ran: frozenset[str], excluded: Mapping[str, str]
    ) -> Decision:
        return self.planner.decide(
            Problem(
                state=seen.state,
                steps=self.repertoire.steps_at(seen.worths),
                aims=self.repertoire.aims if self.endless else self.repertoire.real_aims,
                ran=ran,
                excluded=frozenset(excluded),
                resolve=seen.resolve,
                supervision=self.supervise(seen.view) if self.supervise else None,
            )
        )
