"""The supervisor of one process: what was picked and is left to run, and what to offer next.

Everything follows from the blackboard and the history, so a process that goes on after a crash
has the same supervisor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reactor.ai import Ai
from reactor.ai.without import without_models
from reactor.blackboard import Blackboard, Entry
from reactor.conditions import Available, Has
from reactor.errors import ReactorError
from reactor.history import History
from reactor.plan import Decision, Pick, Supervision
from reactor.platform import Platform
from reactor.rounds import PICK, PickedCall, SupervisorRound
from reactor.start import Start
from reactor.status import Run
from reactor.supervisor.asking import asking_action
from reactor.supervisor.prompt import Offer
from reactor.supervisor.supplies import brought_by, supplies_of, to_supply
from reactor.supervisor.tools import ActionTool, tool_names
from reactor.view import Arguments, View, find_arguments

PLANNER = "supervisor"
MOST_TOOLS = 100  # that a model is offered, the best ones; providers take no more than some 128
_TOO_MANY = f"{MOST_TOOLS} others are worth more"


class NoGoal(ReactorError):
    """A supervisor is to work towards nothing."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope

    def __str__(self) -> str:
        return f"the supervisor works towards a goal, and the scope {self.scope} has none; name one"


@dataclass(frozen=True, slots=True)
class _Pending:
    """A call that was picked and has not run yet."""

    call: PickedCall
    supplied: Mapping[str, Entry]  # by parameter
    number: int  # of its round


class Supervisor:
    """Of one process."""

    def __init__(self, platform: Platform, start: Start) -> None:
        """Raises `NoGoal`, and what `Platform.repertoire` raises."""
        ai = platform.services.get(Ai)
        ai = ai if isinstance(ai, Ai) else without_models()
        plain = platform.repertoire(start.scope, start.goals)
        if not plain.real_aims:
            raise NoGoal(str(start.scope))
        self.repertoire = plain.with_action(
            asking_action(ai.condition), {ai.condition: Available(ai)}
        )
        self._goals = [platform.goals.get(aim.name) for aim in plain.real_aims]
        self._wanted, self._max_rounds = start.wanted, start.options.max_rounds
        self._names = tool_names(plain.actions.values())
        self._supplies = {
            action.name: supplies
            for action in plain.actions.values()
            if (supplies := supplies_of(action, self.repertoire.conditions))
        }

    # What was picked -----------------------------------------------------------------------

    def supervision(self, board: Blackboard, history: History, view: View) -> Supervision:
        """What the planner goes by."""
        actions, conditions = self.repertoire.actions, self.repertoire.conditions
        picks = tuple(
            Pick(
                step=pending.call.action,
                brings=brought_by(pending.supplied, actions[pending.call.action], conditions, view),
                by=f"{PLANNER}, round {pending.number}",
            )
            for pending in self._pending(board, history)
            if self._is_complete(pending, view)
        )
        return Supervision(asks=PICK, picks=picks, supplies=self._supplies)

    def supplied(self, action: str, board: Blackboard, history: History) -> Mapping[str, Entry]:
        """What the model has made for the pick of that action, by parameter."""
        pending = (each for each in self._pending(board, history) if each.call.action == action)
        return next((each.supplied for each in pending), {})

    def _pending(self, board: Blackboard, history: History) -> list[_Pending]:
        """The calls of the last round that were not tried, in order."""
        entry = _last_round(board)
        if entry is None:
            return []
        round_ = entry.value
        assert isinstance(round_, SupervisorRound)
        tried = {run.action for run in _since_last_round(history.runs)}
        values = iter(board.entries[entry.seq - 1 - round_.values : entry.seq - 1])
        pending = [
            _Pending(call, {name: next(values) for name in call.supplied}, round_.number)
            for call in round_.calls
        ]
        known = self.repertoire.actions
        return [p for p in pending if p.call.action not in tried and p.call.action in known]

    def _is_complete(self, pending: _Pending, view: View) -> bool:
        """Whether its action can be called: another version of it may want something else."""
        signature = self.repertoire.actions[pending.call.action].signature
        return isinstance(find_arguments(signature, view, given=pending.supplied), Arguments)

    # What is offered -----------------------------------------------------------------------

    def reason_to_stop(self, decision: Decision, history: History) -> str | None:
        """Why the model is asked no more, as a clause."""
        if decision.chosen != PICK or _rounds(history.runs) < self._max_rounds:
            return None
        return f"{self._max_rounds} rounds of its supervisor have not reached the goal"

    def offer(
        self, decision: Decision, board: Blackboard, history: History, view: View
    ) -> Arguments:
        """What the action that asks is called with."""
        actions = self.repertoire.actions
        tools = [
            ActionTool(self._names[name], actions[name], to_supply(actions[name], view))
            for name in decision.offered[:MOST_TOOLS]
        ]
        unmet = {each.action: each.unmet for each in decision.reasons.not_runnable}
        withheld = [
            (self._names[name], "; ".join(map(str, why)))
            for name, why in unmet.items()
            if name != PICK
        ]
        withheld += [(self._names[name], _TOO_MANY) for name in decision.offered[MOST_TOOLS:]]
        offer = Offer(
            number=_rounds(history.runs) + 1,
            goal=self._wanted or self._described(),
            wanted=self._reaching(),
            tools=tuple(sorted(tools, key=lambda tool: not tool.is_ready)),
            withheld=tuple(withheld),
            facts=tuple(e for e in reversed(view.newest_first) if e.producer != PICK),
            runs=tuple(run for run in history.runs if run.action != PICK),
            dropped=self._dropped(board, history),
        )
        return Arguments({"offer": offer}, ())

    def _described(self) -> str:
        told = [goal.mark.description for goal in self._goals if goal]
        return " Or: ".join(filter(None, told)) or "what is wanted is there."

    def _reaching(self) -> tuple[type, ...]:
        """The types of which one reaches the goal."""
        found = [kind for goal in self._goals if goal for kind in goal.gives]
        for aim in self.repertoire.real_aims:
            conditions = (self.repertoire.conditions[key] for key in aim.pre)
            found += [each.kind for each in conditions if isinstance(each, Has)]
        return tuple(dict.fromkeys(found))

    def _dropped(self, board: Blackboard, history: History) -> tuple[str, ...]:
        entry = _last_round(board)
        declined = entry.value.declined if entry else ()  # type: ignore[attr-defined]
        left = (each.call.action for each in self._pending(board, history))
        return (
            *declined,
            *(f"{self._names[name]}: its preconditions do not hold" for name in left),
        )


def _last_round(board: Blackboard) -> Entry | None:
    return next((e for e in board.newest_first() if isinstance(e.value, SupervisorRound)), None)


def _rounds(runs: Sequence[Run]) -> int:
    """How often the model has picked."""
    return sum(run.action == PICK and run.outcome == "done" for run in runs)


def _since_last_round(runs: Sequence[Run]) -> Sequence[Run]:
    for index in range(len(runs) - 1, -1, -1):
        if runs[index].action == PICK and runs[index].outcome == "done":
            return runs[index + 1 :]
    return runs
