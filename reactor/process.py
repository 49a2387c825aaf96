"""A process: one run of the engine over one blackboard.

    observe -> decide -> act, and again, until nothing is left to do

`plan` observes and decides, `perform` acts; whoever drives the process (a `Runner`, an
invocation, a test) may store what is `pending` between the two.  A process that is made from
what was stored goes on where that ended: everything it knows follows from its board, its history
and its head.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import cast

from reactor import listening
from reactor.acting import Acting, Move
from reactor.acting import Engine as Engine  # who makes processes needs it
from reactor.blackboard import DEFAULT_NAME
from reactor.calls import Heard, Known, hearing
from reactor.context import ActionContext
from reactor.deciding import Choice, Deciding
from reactor.effect import EffectRecord
from reactor.failure import WrongResult
from reactor.forms import answered_run, read_answer
from reactor.granting import EVERYTHING
from reactor.journal import JournalRecord
from reactor.landing import Circumstances, Landing
from reactor.moving import Moves
from reactor.options import Progress
from reactor.ports import Clock, Commit, Stored
from reactor.record import Record
from reactor.remembering import keep
from reactor.rescue import call
from reactor.resting import rest
from reactor.results import Results, note_obeyed
from reactor.standing import Standing
from reactor.start import Start
from reactor.status import ProcessHead, Run, Status
from reactor.subprocesses import Subprocess, SubprocessEnded, start_of
from reactor.supervisor import PLANNER as SUPERVISOR
from reactor.supervisor import Supervisor
from reactor.tally import Tally
from reactor.waiting import Answer, AnswerRefused, Wish
from reactor.weighing import in_full
from reactor.world import AskFirst, Observation, World

_STUCK_HANDLER = "on_stuck"  # what its facts are produced by
_ASKED_FOR = "it was asked for"


class Process:
    """One process, in memory."""

    def __init__(self, engine: Engine, start: Start, stored: Stored | None = None) -> None:
        """A new process with its first facts, or the stored one.

        Raises `EmptyScope`, `UnknownGoal`, `UnknownPlanner` and `NoGoal`.
        """
        platform, now = engine.platform, engine.clock.now
        self.tally = start.tally or Tally()
        self._engine, self._start = engine, replace(start, tally=self.tally)
        self._wish: Wish | None = None  # to be heeded before the next action
        self._known = Known(is_new=stored is None)
        supervisor = Supervisor(platform, start) if start.planner == SUPERVISOR else None
        self._repertoire = (
            supervisor.repertoire if supervisor else platform.repertoire(start.scope, start.goals)
        )
        if stored and start.wake and stored.head.status is Status.STUCK:
            woken_after, wakes = len(stored.history), stored.head.wakes + 1
            stored = replace(
                stored, head=replace(stored.head, wakes=wakes, woken_after=woken_after)
            )
        self.record = Record(now=now, stored=stored, inherited=start.inherited, calls=start.calls)
        self.board = board = self.record.board
        self._deciding = Deciding(
            self._repertoire,
            self._repertoire.planner(start.planner),
            start.options.max_failures,
            start.endless,
            partial(supervisor.supervision, board, self.record.history) if supervisor else None,
        )
        self._moves = Moves(
            repertoire=self._repertoire,
            record=self.record,
            options=start.options,
            supervisor=supervisor,
        )
        self._standing = Standing(
            stored.head if stored else start.head(name=platform.name, now=now()),
            self.record,
            (*engine.listeners, *start.options.listeners),
            self.tally,
        )
        self._world = World(
            self._repertoire, self.board, platform.services, lambda: self._standing.head_of_all
        )
        self._acting = Acting(engine, self._new_context)
        self._landing = Landing(
            self.board,
            platform.catalog,
            Circumstances(
                process_id=start.process_id,
                is_subprocess=start.parent_id is not None,
                now=now,
                host=start.host,
                subject=start.subject,
                cause=start.cause,
                mode=start.effect_mode,
                reaction=start.reaction,
                allowed=start.allowed or EVERYTHING,
            ),
        )
        self._results = Results(
            self._landing,
            self.record,
            self._standing,
            ends_with_failure=start.options.on_failure == "stop",
        )
        if stored is None:
            self._seed()
        elif start.wake and self.status is Status.STUCK:
            self._standing.become(Status.RUNNING)

    # What it is ----------------------------------------------------------------------------

    @property
    def head(self) -> ProcessHead:
        """What is known of it without its board."""
        return self._standing.head

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
        """The data of the records of kind "tick", in full: see `reactor.journal.TickData`."""
        full = in_full(self.record.journal)
        return tuple(record.data for record in full if record.kind == "tick")

    @property
    def pending(self) -> Commit:
        """What is not stored yet; `record.mark_kept` says that it is."""
        return self.record.beyond_kept(self.head)

    # Running it ----------------------------------------------------------------------------

    async def run(self) -> None:
        """Tick until there is nothing more to do.  Raises `InfrastructureError`."""
        while (move := await self.plan()) is not None:
            await self.perform(move)

    async def plan(self) -> Move | None:
        """Observe and decide.  None: it has come to rest, and `status` says how.

        Raises `InfrastructureError` where a component's method or the stuck handler does.
        """
        with hearing(heard := self._new_heard()):
            return await self._plan(heard)

    async def _plan(self, heard: Heard) -> Move | None:
        if not self.status.is_settled and self._wish is None and self.status is not Status.RUNNING:
            self._standing.become(Status.RUNNING)
        while not self.status.is_settled:
            if self._wish is not None:
                self._give_in(self._wish)
                break
            seen = await self._world.observe(self.record.history)
            choice = await self._choose(seen)
            if heard.calls:
                choice = replace(choice, weighed=replace(choice.weighed, calls=heard.calls))
            if self.status.is_final:  # killed in the meantime
                break
            if choice.decision.chosen is not None:
                return self._move(choice, seen)
            if not await self._rescue(choice):
                rest(self._standing, choice, self._start.options)
        return None

    async def perform(self, move: Move) -> None:
        """Act.  Raises `InfrastructureError`; then nothing has changed."""
        epoch = self.board.clears
        with hearing(heard := self._new_heard()):
            for each in move.all:
                self._results.announce(each.action.name)
            performed = await self._acting.run(move, heard)
            if not self.status.is_final:  # else it was killed in the meantime, and this is too late
                self._results.settle(performed, epoch=epoch)

    def answer(self, answer: Answer) -> None:
        """Let in what was answered to one of `head.forms`; one that was heard changes nothing.

        The action that asked has now run, and the process goes on with its next `plan`.  Raises
        `AnswerRefused`; then nothing has changed.
        """
        if answer.id in self.head.answered:
            return
        with hearing(self._new_heard()):
            self._hear(answer)

    def _hear(self, answer: Answer) -> None:
        form = next((form for form in self.head.forms if form.id == answer.form_id), None)
        if form is None:
            raise AnswerRefused(answer.form_id, (self._why_closed(),), is_open=False)
        now, epoch = self._engine.clock.now(), self.board.clears
        value = read_answer(answer, form, self._engine.platform.catalog, now=now)
        asked = self.record.history.waiting(form.action)
        action = self._repertoire.actions.get(form.action)
        outputs = self._landing.land_answer(form.action, action, value)
        outputs += note_obeyed(self.board, action)
        run = answered_run(form, asked, epoch=epoch, now=now)
        self._standing.hear(form, answer)
        self.record.answer(self.head, run, (form, answer), outputs)

    # What is wished of it; in the event loop that runs it ----------------------------------

    def kill(self, reason: str = _ASKED_FOR) -> None:
        """End it at once and for good.

        An action that is running is cancelled; one that does not end comes too late.
        """
        if not self.status.is_final:
            self._standing.rest(Status.KILLED, reason)
            self._acting.cut_off()

    def give_up(self, failure: str) -> None:
        """End it FAILED, whatever it could still do."""
        if not self.status.is_final:
            self._standing.rest(Status.FAILED, failure, failure=failure)

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
                self.kill(self._start.why_wished or _ASKED_FOR)
            case "resume":
                self._wish = None
                if self.status is Status.PAUSED:
                    self._standing.become(Status.RUNNING)
            case _ if self.status.is_settled:
                self._give_in(wish)
            case _:
                self._wish = wish

    def _give_in(self, wish: Wish) -> None:
        self._wish = None
        to = Status.PAUSED if wish == "pause" else Status.TERMINATED
        if self.status is not to:
            self._standing.rest(to, self._start.why_wished or _ASKED_FOR)

    def _why_closed(self) -> str:
        if self.status.is_final:
            return f"its process is {self.status}"
        return "nobody waits for it, or it was answered before"

    # Beginning and deciding ----------------------------------------------------------------

    def _seed(self) -> None:
        start, actions = self._start, self._repertoire.actions
        for name, value in start.facts:
            self.board.bind(name or DEFAULT_NAME, value)
        self.record.begin(self.head, scope=start.scope, actions=actions)
        facts = self.board.entries
        self._standing.tell(
            lambda head, at: listening.ProcessCreated(head=head, at=at, facts=facts)
        )

    def _new_heard(self) -> Heard:
        """For what is told from now on, in the tick that is to come."""
        tick = len(self.record.history.runs) + 1
        return Heard(process_id=self.id, tick=tick, known=self._known)

    def _new_context(self, action: str) -> ActionContext:
        return ActionContext(process=self.head, action=action, board=self.board.spawn(), host=self)

    # What a context asks for ---------------------------------------------------------------

    def now(self) -> datetime:
        """Aware, UTC; by the platform's clock where it has one, as that is recorded."""
        clock = self._engine.platform.services.get(Clock, self._engine.clock)
        return cast("Clock", clock).now()

    async def save(self, value: object, *, name: str) -> None:
        """Keep it under the context of the process; see `reactor.remembering.keep`."""
        await keep(self._start, self._engine.platform, value, name=name)

    async def run_subprocess(self, wanted: Subprocess, context: ActionContext) -> SubprocessEnded:
        """Run a process over a copy of the context's board.  Raises `InfrastructureError`.

        Raises `WrongResult` where that holds what can't be kept.
        """
        self._landing.check_all(context, wanted.facts)
        tick = len(self.record.history.runs) + 1
        run = f"{context.action} {tick}"
        start = start_of(wanted, self._start, context.board, run=run)
        self._standing.adopt(start.process_id, tick=tick, action=context.action)
        if self._engine.subprocesses is not None:
            return await self._engine.subprocesses.run_subprocess(start)
        child = Process(self._engine, start)
        try:
            await child.run()
        except asyncio.CancelledError:
            child.kill("its parent was ended")
            raise
        return SubprocessEnded(child.head, child.board, tuple(child.effects))

    async def _choose(self, seen: Observation) -> Choice:
        self._standing.tell(
            lambda head, at: listening.ReadyToPlan(head=head, at=at, conditions=len(seen.state))
        )
        waiting = [form.action for form in self.head.forms]
        history = self.record.history
        while True:
            try:
                choice = self._deciding.choose(seen, history, self.board.clears, waiting=waiting)
            except AskFirst as first:
                await seen.look_into(first.condition)
            else:
                break
        seen.close()
        decision = choice.decision
        self._standing.tell(
            lambda head, at: listening.PlanFormulated(head=head, at=at, decision=decision)
        )
        return choice

    def _move(self, choice: Choice, seen: Observation) -> Move | None:
        progress = Progress(
            runs=self.record.history.runs,
            created_at=self.head.created_at,
            now=self._engine.clock.now(),
            usage=self.head.usage,
        )
        if reason := self._moves.reason_to_stop(choice, progress):
            self._standing.rest(Status.TERMINATED, reason, weighed=choice.weighed)
            return None
        return self._moves.make(choice, seen, progress)

    # Coming to rest ------------------------------------------------------------------------

    async def _rescue(self, choice: Choice) -> bool:
        """Whether the stuck handler has helped."""
        options, decision = self._start.options, choice.decision
        is_stuck = decision.plan is None and not (choice.failure or self.head.forms)
        if options.on_stuck is None or not is_stuck or options.terminate_when_stuck:
            return False
        if self.head.rescues >= options.max_rescues:
            return False
        context = self._new_context(_STUCK_HANDLER)
        if await call(options.on_stuck, context) or self.status.is_final:
            return False
        try:
            facts = self._landing.land_help(context)
        except WrongResult:
            return False
        self._standing.use(context.usage)
        self._standing.note_rescue()
        self.record.rescue(self.head, facts)
        return True
