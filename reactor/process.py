"""A process: one run of the engine over one blackboard.

    observe -> decide -> act, and again, until nothing is left to do

`plan` observes and decides, `perform` acts; whoever drives the process (a `Runner`, an
invocation, a test) may store what is `pending` between the two.  A process that is made from
what was stored goes on where that ended: everything it knows follows from its board and history.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from reactor.blackboard import DEFAULT_NAME, Blackboard, Entry
from reactor.context import ActionContext
from reactor.deciding import Choice, Deciding
from reactor.effect import EffectRecord
from reactor.execution import Executor
from reactor.failure import TerminateProcess, in_one_line
from reactor.forms import read_answer
from reactor.installed import Action
from reactor.journal import JournalRecord, Weighed
from reactor.landing import Circumstances, Landed, Landing
from reactor.options import Progress
from reactor.platform import Platform
from reactor.ports import Clock, Commit, Stored
from reactor.record import Record
from reactor.start import Start
from reactor.status import ProcessHead, Run, Status
from reactor.view import Arguments, find_arguments
from reactor.waiting import Answer, AnswerRefused, Wish
from reactor.world import World, find_trigger


@dataclass(frozen=True, slots=True)
class Engine:
    """What all processes of one runner share."""

    platform: Platform
    clock: Clock
    executor: Executor


@dataclass(frozen=True, slots=True)
class Move:
    """What was decided on: an action, with its arguments."""

    action: Action
    arguments: Arguments
    trigger: Entry | None
    weighed: Weighed


class Process:
    """One process, in memory."""

    def __init__(self, engine: Engine, start: Start, stored: Stored | None = None) -> None:
        """A new process with its first facts, or the stored one.

        Raises `EmptyScope`, `UnknownGoal` and `UnknownPlanner`.
        """
        platform = engine.platform
        self._engine, self._start = engine, start
        self._wish: Wish | None = None  # to be heeded before the next action
        self._acting: asyncio.Task[object] | None = None  # the task that an action runs in
        self._is_cut_off = False  # that task was cancelled, as the process was killed
        self._repertoire = platform.repertoire(start.scope, start.goals)
        self._deciding = Deciding(
            self._repertoire,
            self._repertoire.planner(start.planner),
            start.options.max_failures,
            start.endless,
        )
        self.head = stored.head if stored else self._new_head()
        if stored and start.wake and self.status is Status.STUCK:
            stored = self._wake(stored)
        self.record = Record(now=engine.clock.now, stored=stored)
        self.board = self.record.board
        self._world = World(self._repertoire, self.board, platform.services)
        self._landing = Landing(
            self.board,
            platform.catalog,
            Circumstances(
                process_id=start.process_id,
                now=engine.clock.now,
                host=start.host,
                subject=start.subject,
                cause=start.cause,
                mode=start.effect_mode,
            ),
        )
        if stored is None:
            self._seed()

    # What it is ----------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The same for every delivery of the same event to the same reaction."""
        return self.head.id

    @property
    def status(self) -> Status:
        """Where it stands."""
        return self.head.status

    @property
    def history(self) -> tuple[Run, ...]:
        """All runs of actions, oldest first."""
        return tuple(self.record.history.runs)

    @property
    def effects(self) -> tuple[EffectRecord, ...]:
        """All effects that were asked for, each key once, oldest first."""
        return self.record.effects

    @property
    def journal(self) -> tuple[JournalRecord, ...]:
        """The decision records made here; not those of an earlier runner."""
        return tuple(self.record.journal)

    @property
    def decisions(self) -> tuple[Mapping[str, object], ...]:
        """The data of the records of kind "tick": see `reactor.journal.TickData`."""
        return tuple(record.data for record in self.record.journal if record.kind == "tick")

    # Running it ----------------------------------------------------------------------------

    async def run(self) -> None:
        """Tick until there is nothing more to do.  Raises `InfrastructureError`."""
        while (move := await self.plan()) is not None:
            await self.perform(move)

    async def plan(self) -> Move | None:
        """Observe and decide.  None: it has come to rest, and `status` says how.

        Raises `InfrastructureError` where a component's method does.
        """
        history = self.record.history
        if self.status.is_settled:
            return None
        if self._wish is not None:
            self._give_in(self._wish)
            return None
        if self.status is not Status.RUNNING:
            self._become(Status.RUNNING)
        seen = await self._world.observe(history)
        if self.status.is_final:  # killed in the meantime
            return None
        waiting = [form.action for form in self.head.forms]
        choice = self._deciding.choose(seen, history, self.board.clears, waiting=waiting)
        if choice.decision.chosen is None:
            self._rest(choice)
            return None
        progress = Progress(
            runs=history.runs,
            created_at=self.head.created_at,
            now=self._engine.clock.now(),
            usage=self.head.usage,
        )
        if reason := self._start.options.reason_to_stop(progress):
            self._end(Status.TERMINATED, reason, weighed=choice.weighed)
            return None
        action = self._repertoire.actions[choice.decision.chosen]
        kind = action.trigger
        trigger = find_trigger(seen.view, history, action.name, kind) if kind else None
        arguments = find_arguments(action.signature, seen.view, trigger=trigger)
        assert isinstance(arguments, Arguments), "a planner chose an action without its inputs"
        return Move(action, arguments, trigger, choice.weighed)

    async def perform(self, move: Move) -> None:
        """Act.  Raises `InfrastructureError`; then nothing has changed."""
        action, clock, context = move.action, self._engine.clock, self._context(move.action)
        started_at, begun_s, epoch = clock.now(), clock.monotonic_s(), self.board.clears

        def arguments() -> Mapping[str, object]:
            nonlocal context
            context = self._context(action)
            return move.arguments.values | self._injected(action, context)

        self._acting = asyncio.current_task()
        try:
            execution = await self._engine.executor.run(action, arguments)
        except asyncio.CancelledError:
            if not self._was_cut_off():
                raise
            return
        finally:
            self._acting = None
        if self.status.is_final:  # killed in the meantime: the result comes too late
            self._was_cut_off()
            return
        number = len(self.history) + 1
        landed = self._landing.land(action, execution, context, number=number)
        run = Run(
            action=action.name,
            started_at=started_at,
            duration_s=clock.monotonic_s() - begun_s,
            outcome=landed.outcome,
            attempts=execution.attempts,
            error=in_one_line(landed.error) if landed.error else "",
            permanent=landed.is_permanent,
            passing=execution.kind == "passing" and not landed.is_permanent,
            epoch=epoch,
            consumed=move.trigger.seq if move.trigger else 0,
        )
        self.record.tick(self.head, move.weighed, run, move.arguments.entries, landed)
        usage = _sum(self.head.usage, context.usage) if context else self.head.usage
        self.head = replace(self.head, usage=usage, updated_at=clock.now())
        self._heed(landed, run)

    def answer(self, answer: Answer) -> None:
        """Let in what was answered to one of `head.forms`; one that was heard changes nothing.

        The action that asked has now run, and the process goes on with its next `plan`.  Raises
        `AnswerRefused`; then nothing has changed.
        """
        if answer.id in self.head.answered:
            return
        form = next((form for form in self.head.forms if form.id == answer.form_id), None)
        if form is None:
            raise AnswerRefused(answer.form_id, (self._why_closed(),), is_open=False)
        now = self._engine.clock.now()
        value = read_answer(answer, form, self._engine.platform.catalog, now=now)
        asked, epoch = self.record.history.waiting(form.action), self.board.clears
        action = self._repertoire.actions.get(form.action)
        outputs = self._landing.land_answer(form.action, action, value)
        run = Run(
            action=form.action,
            started_at=form.asked_at,
            duration_s=(now - form.asked_at).total_seconds(),
            outcome="answered",
            epoch=epoch,
            consumed=asked.consumed,
        )
        self.head = replace(
            self.head,
            forms=tuple(other for other in self.head.forms if other is not form),
            answered=(*self.head.answered, answer.id),
            updated_at=now,
        )
        self.record.answer(self.head, run, (form, answer), outputs)
        if self.status is Status.WAITING:
            self._become(Status.RUNNING)

    def _why_closed(self) -> str:
        if self.status.is_final:
            return f"its process is {self.status}"
        return "nobody waits for it, or it was answered before"

    # What is wished of it; in the event loop that runs it -------------------------------------

    def kill(self, reason: str = "it was asked for") -> None:
        """End it at once and for good.

        An action that is running is cancelled; one that does not end comes too late.
        """
        if self.status.is_final:
            return
        self._end(Status.KILLED, reason)
        if self._acting is not None and self._acting is not asyncio.current_task():
            self._is_cut_off = True
            self._acting.cancel()

    def terminate(self) -> None:
        """End it when the action that is running has ended, without a failure."""
        self.heed("terminate")

    def pause(self) -> None:
        """Let it rest when the action that is running has ended, until `resume`."""
        self.heed("pause")

    def resume(self) -> None:
        """Let it go on (with its next `plan`), if it was paused or was about to be."""
        self.heed("resume")

    def heed(self, wish: Wish) -> None:
        """Do what somebody outside wants, at once or before the next action.

        The newest wish counts.  One that was heeded changes nothing, nor does any at the end.
        """
        if self.status.is_final:
            return
        match wish:
            case "kill":
                self.kill()
            case "resume":
                self._wish = None
                if self.status is Status.PAUSED:
                    self._become(Status.RUNNING)
            case _ if self.status.is_settled:
                self._give_in(wish)
            case _:
                self._wish = wish

    @property
    def pending(self) -> Commit:
        """What is not stored yet; `record.mark_kept` says that it is."""
        return self.record.beyond_kept(self.head)

    # ---------------------------------------------------------------------------------------

    def _give_in(self, wish: Wish) -> None:
        self._wish = None
        to = Status.PAUSED if wish == "pause" else Status.TERMINATED
        if self.status is not to:
            self._end(to, "it was asked for")

    def _was_cut_off(self) -> bool:
        """Whether the cancelling was ours alone; then it is over."""
        task = asyncio.current_task()
        if not self._is_cut_off or task is None:
            return False
        self._is_cut_off = False
        return task.uncancel() == 0

    def _new_head(self) -> ProcessHead:
        start, now = self._start, self._engine.clock.now()
        return ProcessHead(
            id=start.process_id,
            delivery=start.delivery,
            reaction=start.reaction,
            subject=start.subject,
            agent=start.agent or self._engine.platform.name,
            planner=start.planner,
            attempt=start.attempt,
            created_at=now,
            updated_at=now,
            event=start.event,
            subject_name=start.subject_name,
            host=start.host,
            cause=start.cause,
        )

    def _wake(self, stored: Stored) -> Stored:
        """Let it try again what may work by now."""
        self._become(Status.RUNNING)
        woken_after = len(stored.history)
        self.head = replace(self.head, wakes=self.head.wakes + 1, woken_after=woken_after)
        return replace(stored, head=self.head)

    def _seed(self) -> None:
        for name, value in self._start.facts:
            self.board.bind(name or DEFAULT_NAME, value)
        scope, actions = str(self._start.scope), self._repertoire.actions
        self.record.begin(self.head, scope=scope, actions=actions)

    def _context(self, action: Action) -> ActionContext | None:
        if not {ActionContext, Blackboard} & set(action.signature.injected.values()):
            return None
        return ActionContext(
            process=self.head,
            action=action.name,
            board=self.board.spawn(),
            now=self._engine.clock.now,
        )

    def _injected(self, action: Action, context: ActionContext | None) -> dict[str, object]:
        own = {ActionContext: context, Blackboard: context.board} if context else {}
        given: Mapping[type, object] = {**self._engine.platform.services, **own}
        return {name: given[kind] for name, kind in action.signature.injected.items()}

    def _heed(self, landed: Landed, run: Run) -> None:
        """End the process or let it rest, where the action asked for it or its failure is the end."""
        if landed.form is not None:
            self.head = replace(self.head, forms=(*self.head.forms, landed.form))
            self._wait()
        if isinstance(landed.error, TerminateProcess):
            self._end(Status.TERMINATED, f"{run.action} asked for it: {landed.error}")
        elif landed.outcome in ("failed", "timeout") and self._start.options.on_failure == "stop":
            self._end(Status.FAILED, "an action failed", failure=f"{run.action}: {run.error}")

    def _rest(self, choice: Choice) -> None:
        """There is nothing to do now."""
        decision, weighed = choice.decision, choice.weighed
        if decision.plan is not None:
            self.head = replace(self.head, goal=decision.goal)
            self._end(Status.COMPLETED, f"the goal {decision.goal} holds", weighed=weighed)
        elif self.head.forms:
            self._wait(weighed)
        elif choice.can_pass and self.head.wakes < self._start.options.max_wakes:
            reason = "no plan is left until a failure has passed"
            self._end(Status.STUCK, reason, failure=choice.failure, weighed=weighed)
        elif choice.failure:
            reason = "no plan is left, and a failure is the reason"
            self._end(Status.FAILED, reason, failure=choice.failure, weighed=weighed)
        else:
            is_limit = decision.outcome == "limit"
            reason = "the search for a plan was given up" if is_limit else "nothing is left to do"
            is_end = self._start.options.terminate_when_stuck
            self._end(Status.TERMINATED if is_end else Status.STUCK, reason, weighed=weighed)

    def _wait(self, weighed: Weighed | None = None) -> None:
        asked = ", ".join(repr(form.title) for form in self.head.forms)
        self._end(Status.WAITING, f"waits for an answer to {asked}", weighed=weighed)

    def _end(
        self, status: Status, reason: str, *, failure: str = "", weighed: Weighed | None = None
    ) -> None:
        self._become(status, failure=failure)
        self.record.end(self.head, reason, weighed)

    def _become(self, status: Status, *, failure: str = "") -> None:
        now = self._engine.clock.now()
        forms = () if status.is_final else self.head.forms
        self.head = replace(self.head, status=status, failure=failure, forms=forms, updated_at=now)


def _sum(usage: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    return {kind: usage.get(kind, 0.0) + more.get(kind, 0.0) for kind in {**usage, **more}}
