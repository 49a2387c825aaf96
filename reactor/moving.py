"""From a decision to a move: the chosen action with its arguments, and what may run beside it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reactor.acting import Move
from reactor.beside import find_beside
from reactor.deciding import Choice
from reactor.options import ProcessOptions, Progress
from reactor.record import Record
from reactor.repertoire import Repertoire
from reactor.rounds import PICK
from reactor.supervisor import Supervisor
from reactor.view import Arguments, find_arguments
from reactor.world import Observation, find_trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """Of one process."""

    repertoire: Repertoire
    record: Record
    options: ProcessOptions
    supervisor: Supervisor | None = None

    def reason_to_stop(self, choice: Choice, progress: Progress) -> str | None:
        """Why nothing is to run any more, as a clause; None: it may go on."""
        if self.supervisor is None:
            return self.options.reason_to_stop(progress)
        return self.options.reason_to_stop(progress) or self.supervisor.reason_to_stop(
            choice.decision, self.record.history
        )

    def make(self, choice: Choice, seen: Observation, progress: Progress) -> Move:
        """What the choice amounts to."""
        first = self._of(choice.decision.chosen or "", choice, seen)
        if not (self.options.concurrent or choice.decision.chosen_by):
            return first
        left = self.options.max_actions - progress.actions - 1
        return replace(first, beside=tuple(self._beside(choice, seen, left)))

    def _beside(self, choice: Choice, seen: Observation, limit: int) -> Iterator[Move]:
        for action in find_beside(choice.decision, self.repertoire, limit=limit):
            yield self._of(action.name, choice, seen)

    def _of(self, name: str, choice: Choice, seen: Observation) -> Move:
        action, board, history = (
            self.repertoire.actions[name],
            self.record.board,
            self.record.history,
        )
        if self.supervisor and name == PICK:
            offer = self.supervisor.offer(choice.decision, board, history, seen.view)
            return Move(action, offer, None, choice.weighed)
        kind = action.trigger
        trigger = find_trigger(seen.view, history, name, kind) if kind else None
        given = self.supervisor.supplied(name, board, history) if self.supervisor else {}
        arguments = find_arguments(action.signature, seen.view, trigger=trigger, given=given)
        assert isinstance(arguments, Arguments), "a planner chose an action without its inputs"
        return Move(action, arguments, trigger, choice.weighed)
