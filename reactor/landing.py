"""Putting what an action brought onto the blackboard.

First everything is looked at: a result that is not as declared, or that could not be kept, lands
nothing and is a failure of the action.  What the action wrote through its context stays, also
when it failed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reactor.blackboard import Blackboard, Clear, Entry, Hide, Put, SetFlag
from reactor.catalog import TypeCatalog
from reactor.context import ActionContext
from reactor.effect import Effect, EffectRecord, EffectState, Mode, effect_key
from reactor.encoded import UnstorableValue
from reactor.execution import Execution
from reactor.failure import ReplanRequested, RulesUnknown, WrongResult, in_one_line
from reactor.forms import NO_ANSWER, write_form
from reactor.granting import EVERYTHING, Allowed
from reactor.installed import Action
from reactor.journal import ModelAnswerData, ServiceCallData
from reactor.marks import is_state
from reactor.policy import Decision, Narrowing, Verdict
from reactor.result import NOTHING, Mismatch, items_in
from reactor.status import RunOutcome
from reactor.wait_for import WaitRequested
from reactor.waiting import FormRequest

_MODE_OF: Mapping[Decision, Mode] = {"allow": "live", "hold": "approve", "observe": "observe"}
_STATE_OF: Mapping[Decision, EffectState] = {"observe": "observed", "refuse": "refused"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the keys and records of a process's effects and forms are made with."""

    process_id: str
    is_subprocess: bool
    now: Callable[[], datetime]
    host: str
    subject: str
    cause: str
    mode: Mode  # of the reaction
    reaction: str = ""
    allowed: Allowed = EVERYTHING

    def judge(self, effect: Effect, *, package: str) -> Verdict:
        """What may be made of an effect that the package wants."""
        of_reaction = Narrowing(source=f"the reaction {self.reaction}", mode=self.mode)
        return self.allowed.judge(effect, package=package, reaction=of_reaction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """What came of an action in the end."""

    outcome: RunOutcome
    error: Exception | None = None
    is_permanent: bool = False
    is_passing: bool = False
    outputs: tuple[Entry, ...] = ()
    effects: tuple[EffectRecord, ...] = ()
    form: FormRequest | None = None  # with "waiting"
    answers: tuple[ModelAnswerData, ...] = ()  # of models to the action, which are noted elsewhere
    calls: tuple[ServiceCallData, ...] = ()  # of services by it; so are these


@dataclass(frozen=True, slots=True)
class Landing:
    """The board of one process, as a place for results."""

    board: Blackboard
    catalog: TypeCatalog
    circumstances: Circumstances

    def land(
        self, action: Action, execution: Execution, context: ActionContext | None, *, number: int
    ) -> Landed:
        """Put everything onto the board, as the `number`th run of the process.

        `context`: of the last try, if the action has one.
        """
        try:
            if context is not None:
                self._check_writings(context)
            items = self._items(action, execution)
            effects = tuple(self._record(e, action) for e in items if isinstance(e, Effect))
            form = self._form(action, execution, number)
        except (WrongResult, RulesUnknown) as error:
            is_passing = isinstance(error, RulesUnknown)
            return Landed(
                outcome="failed",
                error=error,
                is_permanent=not is_passing,
                is_passing=is_passing,
            )
        is_finished = execution.outcome in ("done", "terminated")
        since = self.board.version
        if is_finished and action.mark.clear_blackboard:
            self.board.clear()
        outputs = list(self._write(context, since) if context is not None else ())
        outputs += self._put(action, self._without_stays(items))
        self._enter(outputs)
        if isinstance(execution.error, ReplanRequested):
            for name, value in sorted(execution.error.conditions.items()):
                self.board.set_flag(name, value)
        came_to_nothing = not items and not outputs and action.signature.result != NOTHING
        return Landed(
            outcome="nothing"
            if execution.outcome == "done" and came_to_nothing
            else execution.outcome,
            error=execution.error,
            is_permanent=execution.kind == "permanent",
            outputs=tuple(outputs),
            effects=effects,
            form=form,
        )

    def land_answer(self, name: str, action: Action | None, value: object) -> tuple[Entry, ...]:
        """Put a person's answer where the result of the action called `name` belongs.

        `action` is None where it is not installed any more.
        """
        if action is not None and action.mark.clear_blackboard:
            self.board.clear()
        if value is NO_ANSWER:
            return ()
        if action is None:
            return (self.board.add(value, producer=name),)
        outputs = tuple(self._put(action, [value]))
        self._enter(outputs)
        return outputs

    def check_all(self, context: ActionContext, facts: Iterable[object]) -> None:
        """Raise `WrongResult` unless all of this, and what was written, can be kept."""
        self._check_writings(context)
        for fact in facts:
            self._check(context.action, fact)

    def land_help(self, context: ActionContext) -> tuple[Entry, ...]:
        """Put what a stuck handler wrote.  Raises `WrongResult`; then nothing has changed."""
        self._check_writings(context)
        return tuple(self._write(context, self.board.version))

    # Looking at it -------------------------------------------------------------------------

    def _items(self, action: Action, execution: Execution) -> list[object]:
        """The facts and effects in what was returned."""
        if execution.outcome != "done":
            return []
        try:
            items = items_in(action.signature.result, execution.value)
        except Mismatch as error:
            problem = f"returned a {error}, which it does not declare"
            raise WrongResult(action.name, problem) from None
        for item in items:
            self._check(action.name, item)
        return items

    def _form(self, action: Action, execution: Execution, number: int) -> FormRequest | None:
        if not isinstance(execution.error, WaitRequested):
            return None
        here = self.circumstances
        if here.is_subprocess:
            problem = "asks a person within a sub-process, which can't wait; ask in an action of"
            raise WrongResult(action.name, f"{problem} the process that starts it")
        return write_form(
            execution.error.question,
            action,
            self.catalog,
            run=(here.process_id, number),
            now=here.now(),
        )

    def _check_writings(self, context: ActionContext) -> None:
        for change in context.board.changes_since(self.board.version):
            if isinstance(change, Put):
                self._check(context.action, change.entry.value)

    def _check(self, action: str, value: object) -> None:
        try:
            self.catalog.check(value)
        except UnstorableValue as error:
            raise WrongResult(action, f"brought what can't be kept: {error}") from error

    def _record(self, effect: Effect, action: Action) -> EffectRecord:
        if not action.component.may_return(type(effect)):
            raise WrongResult(
                action.name,
                f"returned {effect.kind}, which {action.component.name} does not declare; "
                "add it to @component(effects=...)",
            )
        here, package = self.circumstances, action.component.package.name
        if here.mode != "observe" and here.allowed.unknown:
            raise RulesUnknown(here.allowed.unknown)
        try:
            key = effect_key(effect, host=here.host, subject=here.subject, cause=here.cause)
            verdict = here.judge(effect, package=package)
        except Exception as error:
            raise WrongResult(
                action.name, f"returned a bad effect: {in_one_line(error)}"
            ) from error
        return EffectRecord(
            key=key,
            effect=effect,
            subject=here.subject,
            action=action.name,
            mode=_MODE_OF.get(verdict.decision, here.mode),
            state=_STATE_OF.get(verdict.decision, "intended"),
            reason="" if _is_as_asked(verdict, here.mode) else verdict.reason,
            package=package,
            rules=here.allowed.version,
        )

    # Writing it ----------------------------------------------------------------------------

    def _without_stays(self, items: list[object]) -> list[object]:
        """The facts, but for a state that returned itself: it stays, and nothing changes."""
        facts = [item for item in items if not isinstance(item, Effect)]
        if not any(is_state(type(fact)) for fact in facts):
            return facts
        there = {id(e.value) for e in self.board.newest_first() if is_state(type(e.value))}
        return [fact for fact in facts if id(fact) not in there]

    def _enter(self, outputs: Sequence[Entry]) -> None:
        """If a state is among them, those that were there before go out of sight."""
        if not any(is_state(type(entry.value)) for entry in outputs):
            return
        for entry in self.board.visible:
            if entry.seq < outputs[0].seq and is_state(type(entry.value)):
                self.board.hide(entry)

    def _put(self, action: Action, facts: list[object]) -> list[Entry]:
        """The facts of a result, under the output's name if it has one."""
        name = action.mark.output
        if name is None:
            return [self.board.add(fact, producer=action.name) for fact in facts]
        return [self.board.bind(name, fact, producer=action.name) for fact in facts]

    def _write(self, context: ActionContext, since: int) -> Iterator[Entry]:
        """Repeat on the board what was written on its copy."""
        board, by = self.board, context.action
        for change in context.board.changes_since(since):
            match change:
                case Put(entry):
                    yield board.bind(
                        entry.name, entry.value, producer=by, protected=entry.protected
                    )
                case Hide(seq):
                    board.hide(board.entries[seq - 1])
                case SetFlag(name, value):
                    board.set_flag(name, value)
                case Clear(keep):
                    board.clear(keep=[board.entries[seq - 1] for seq in keep])


def _is_as_asked(verdict: Verdict, mode: Mode) -> bool:
    """Whether an effect becomes what its reaction says, which is nothing to wonder about."""
    return _MODE_OF.get(verdict.decision) == mode
