"""The results of a move: onto the board, into the record, told, and what follows for the process.

Those that ran beside each other land in the order of their names, each as a run of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reactor.acting import Performed
from reactor.blackboard import Blackboard, Entry
from reactor.command import Command
from reactor.commanded import CommandDone
from reactor.effect import EffectRecord
from reactor.failure import TerminateProcess, in_one_line
from reactor.installed import Action
from reactor.landing import Landed, Landing
from reactor.listening import ActionFinished, ActionStarted
from reactor.record import Record
from reactor.standing import Standing
from reactor.status import Run, Status
from reactor.threads import ActionHangs


@dataclass(frozen=True, slots=True)
class Results:
    """Of one process."""

    landing: Landing
    record: Record
    standing: Standing
    ends_with_failure: bool

    def announce(self, action: str) -> None:
        """An action is about to run."""
        self.standing.tell(lambda head, at: ActionStarted(head=head, at=at, action=action))

    def settle(self, performed: Sequence[Performed], *, epoch: int) -> None:
        """Take them in.  `epoch`: of the board when they were started."""
        ended = [self._land(done, beside, epoch) for beside, done in enumerate(performed)]
        for landed, run in ended:
            if isinstance(landed.error, TerminateProcess):
                reason = f"{run.action} asked for it: {landed.error}"
                self.standing.rest(Status.TERMINATED, reason)
                return
            if self.ends_with_failure and landed.outcome in ("failed", "timeout"):
                failure = f"{run.action}: {run.error}"
                self.standing.rest(Status.FAILED, "an action failed", failure=failure)
                return
        if forms := [landed.form for landed, _ in ended if landed.form is not None]:
            self.standing.ask(*forms)

    def _land(self, done: Performed, beside: int, epoch: int) -> tuple[Landed, Run]:
        move, execution, context = done.move, done.execution, done.context
        number = len(self.record.history.runs) + 1
        landed = self.landing.land(move.action, execution, context, number=number)
        landed = replace(landed, answers=done.answers, calls=done.calls)
        if landed.outcome in ("done", "nothing", "terminated"):
            obeyed = note_obeyed(self.landing.board, move.action, landed.effects)
            landed = replace(landed, outputs=(*landed.outputs, *obeyed))
        run = Run(
            action=move.action.name,
            started_at=done.started_at,
            duration_s=done.duration_s,
            outcome=landed.outcome,
            attempts=execution.attempts,
            error=in_one_line(landed.error) if landed.error else "",
            permanent=landed.is_permanent,
            passing=landed.is_passing or (execution.kind == "passing" and not landed.is_permanent),
            hangs=isinstance(execution.error, ActionHangs),
            epoch=epoch,
            beside=beside,
            consumed=move.trigger.seq if move.trigger else 0,
        )
        # what a planning was told stands in the record of the first action that came of it
        weighed = replace(move.weighed, calls=()) if beside else move.weighed
        self.record.tick(self.standing.head, weighed, run, move.arguments.entries, landed)
        self.standing.use(context.usage if context else {})
        self.standing.tell(
            lambda head, at: ActionFinished(head=head, at=at, run=run, outputs=landed.outputs)
        )
        return landed, run


def note_obeyed(
    board: Blackboard, action: Action | None, effects: Sequence[EffectRecord] = ()
) -> tuple[Entry, ...]:
    """Say on the board that the action has run to its end, if a command triggers it.

    `effects`: what came of it; what is not to be made at once is told whoever asked.
    """
    if action is None or action.trigger is None or not issubclass(action.trigger, Command):
        return ()
    said = CommandDone(
        action=action.name,
        refused=tuple(
            f"{e.effect.describe()}: {e.reason}" for e in effects if e.state == "refused"
        ),
        held=tuple(
            e.effect.describe() for e in effects if (e.state, e.mode) == ("intended", "approve")
        ),
    )
    return (board.add(said, producer=action.name),)
