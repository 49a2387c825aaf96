"""The runner: one process at a time per call, run to its end against a store.

    take the lease -> load or begin -> tick, tick, tick (committing as needed) -> give it back

A process that comes to rest in one go takes two round trips: one to open it, one to keep it all.

Kill it anywhere and run the same `Start` again: what was committed is not done again, and the
process ends as if nothing had happened.
"""

import asyncio
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from reactor.blackboard import Blackboard
from reactor.calls import Heard, hearing
from reactor.crashes import failure_of, is_given_up, is_suspect
from reactor.effect import EffectRecord
from reactor.errors import InfrastructureError, ReactorError
from reactor.execution import Executor
from reactor.failure import TerminateAction
from reactor.granting import Granting
from reactor.journal import JournalRecord
from reactor.listening import ProcessListener
from reactor.log_context import bound
from reactor.platform import Platform
from reactor.ports import Boards, Clock, Lease, LeaseHeld, LeaseLost, Opened, Stored
from reactor.process import Engine, Process
from reactor.remembering import recalled
from reactor.renaming import renamed
from reactor.start import Start as Start  # a caller of the runner needs nothing else
from reactor.status import ProcessHead, Status
from reactor.subprocesses import SubprocessEnded
from reactor.tracing import span
from reactor.waiting import Answer, AnswerRefused, Wish

SLOW_S = 0.25  # a tick that took longer is committed at once: it would be dear to do again, while
# less than that may be nothing but waiting for its turn among the other processes of a busy worker
MOST_TICKS = 20  # that are lost, and done again, by a crash

_SHORTEST_WAIT_S, _LONGEST_WAIT_S = 0.02, 1.0  # between two tries to get a lease that is held


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The ticks that were not committed yet, and whether what runs next can be repeated."""

    ticks: int = 0
    slowest_s: float = 0.0  # of them
    repeatable: bool = True  # all of them can be done again without harm
    next_is_repeatable: bool = True  # true where nothing is about to run

    def with_tick(self, *, duration_s: float, repeatable: bool) -> "Batch":
        """One more tick."""
        return Batch(
            ticks=self.ticks + 1,
            slowest_s=max(self.slowest_s, duration_s),
            repeatable=self.repeatable and repeatable,
        )

    def before(self, *, repeatable: bool) -> "Batch":
        """The same with an action about to run."""
        return replace(self, next_is_repeatable=repeatable)


CommitPolicy = Callable[[Batch], bool]


def commit_when_it_matters(batch: Batch) -> bool:
    """Whether to commit now: quick ticks that can be repeated share one commit.

    Asked after each tick and before each action; at the end there is a commit in any case.  What
    an action that can't be repeated builds upon is committed before it runs.
    """
    if batch.ticks == 0:
        return False
    repeatable = batch.repeatable and batch.next_is_repeatable
    return not repeatable or batch.slowest_s > SLOW_S or batch.ticks >= MOST_TICKS


def commit_every_tick(batch: Batch) -> bool:
    """Whether to commit now: always."""
    return batch.ticks > 0


class NoSuchProcess(ReactorError):
    """An answer or a wish for a process that is not in the store (any more)."""

    def __init__(self, process_id: str) -> None:
        super().__init__(process_id)
        self.process_id = process_id

    def __str__(self) -> str:
        return f"there is no process {self.process_id}; it may have expired, or check its id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a process came to rest."""

    head: ProcessHead
    unsent: Sequence[JournalRecord]  # that are stored, and may not be on the journal topic yet
    effects: tuple[EffectRecord, ...] = ()  # all that it asked for so far, oldest first
    children: tuple["Ran", ...] = ()  # its sub-processes


@dataclass(slots=True, kw_only=True)
class Runner:
    """Runs processes; safe to be used by many tasks at once, those of one process in turn."""

    platform: Platform
    boards: Boards
    clock: Clock
    owner: str  # unlike that of anybody alive: who has its name has its leases
    lease: timedelta = timedelta(seconds=30)
    must_commit: CommitPolicy = commit_when_it_matters
    executor: Executor = field(default_factory=Executor)
    listeners: tuple[ProcessListener, ...] = ()  # to all of its processes
    granting: Granting | None = None  # None: whatever a reaction asks for is allowed
    _turns: MutableMapping[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary, init=False
    )
    """By process: who owns a lease gets it again at once, so its own tasks take turns here."""
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)  # see `crashes`
    _keepers: dict[str, "_Keeper"] = field(default_factory=dict, init=False)  # of what runs now

    async def run(self, start: Start) -> Ran:
        """Run the process until it is settled (final, STUCK, ...), and everything is committed.

        One that is there already goes on, or is given back as it is.  An answer is let in, and a
        wish is left in the store first, so that whoever runs the process now sees it.  Waits while
        somebody else has the lease.  Raises `LeaseLost` when it was taken over (the new holder
        goes on), `InfrastructureError` when a server is away (call again), `NoSuchProcess` and
        `AnswerRefused` (nobody need try again), `EmptyScope`, `UnknownPlanner`.
        """
        if start.wish is not None and not await self.boards.wish(start.process_id, start.wish):
            raise NoSuchProcess(start.process_id)
        start = await self._granted(start)  # before there is a lease: a host may take its time
        names = {"process_id": start.process_id}
        with bound(**names), span("process", reaction=start.reaction, **names) as step:
            async with self._turns.setdefault(start.process_id, asyncio.Lock()):
                ran, wish = await self._run(start)
            step.note(status=str(ran.head.status))
        if _matters(wish, ran.head.status):  # it was left while the last commit was made
            return await self.run(replace(start, answer=None, wish=None, calls=()))
        if ran.head.children:
            return replace(ran, children=await self._see_to_children(start, ran.head))
        return ran

    async def _run(self, start: Start) -> tuple[Ran, Wish | None]:
        """What came of it, and the newest wish that was seen."""
        opened = await self._open(start)
        if not is_suspect(opened.opens) or start.parent_id is not None:
            return await self._run_opened(start, opened)
        await self._release(opened.lease)
        async with self._alone:
            return await self._run_opened(start, await self._open(start))

    async def _run_opened(self, start: Start, opened: Opened) -> tuple[Ran, Wish | None]:
        stored = renamed(opened.stored, self.platform.renamed) if opened.stored else None
        if stored is None and (start.wish or start.answer):
            await self._release(opened.lease)
            raise NoSuchProcess(start.process_id)
        if stored and not _is_called_for(start, stored.head, opened.wish):
            await self._release(opened.lease)
            return await self._as_it_is(stored), None
        with hearing(Heard(process_id=start.process_id, tick=0)):
            return await self._run_on(start, opened)

    async def _run_on(self, start: Start, opened: Opened) -> tuple[Ran, Wish | None]:
        stored = renamed(opened.stored, self.platform.renamed) if opened.stored else None
        try:
            if stored is None:
                start = await recalled(start, self.platform)
            process = Process(self._engine, start, stored)
            keeper = self._keepers[process.id] = _Keeper(self.boards, opened.lease, process)
            refused = _hear(process, start.answer, opened.wish)
            if is_given_up(opened.opens):
                process.give_up(failure_of(opened.opens))
            await self._drive(keeper)
        except BaseException:
            await self._release(opened.lease)
            raise
        finally:
            self._keepers.pop(start.process_id, None)
        if refused is not None:
            raise refused
        earlier = await self._unsent(stored) if stored else ()
        ran = Ran(
            head=process.head,
            unsent=earlier or process.journal,
            effects=process.effects,
        )
        return ran, keeper.wish

    async def _granted(self, start: Start) -> Start:
        """With what is allowed now; a sub-process has it from its parent."""
        if self.granting is None or start.allowed is not None:
            return start
        may_send = start.effect_mode != "observe"
        with hearing(heard := Heard(process_id=start.process_id, tick=0)):
            allowed = await self.granting.on(
                start.subject, name=start.subject_name, host=start.host, ask=may_send
            )
        return replace(start, allowed=allowed, calls=(*start.calls, *heard.calls))

    async def run_subprocess(self, start: Start) -> SubprocessEnded:
        """Run it as any other, once its parent is stored, which then knows of it."""
        keeper = self._keepers[start.parent_id or ""]
        try:
            await keeper.commit()
            if keeper.process.status.is_final:
                raise TerminateAction("its process was killed")
            ran = await self.run(start)
        except LeaseLost as lost:  # its parent was taken over, too, or is about to be
            raise InfrastructureError("boards", str(lost)) from lost
        stored = await self.boards.read(start.process_id)
        changes, effects = (stored.changes, stored.effects) if stored else ((), ())
        board = Blackboard(now=self.clock.now, changes=changes)
        return SubprocessEnded(ran.head, board, tuple(effects))

    async def _see_to_children(self, start: Start, parent: ProcessHead) -> tuple[Ran, ...]:
        """The sub-processes of a process at rest: nobody needs one that has not ended.

        That happens where its parent was killed, or gave up on the action that had started it.
        """
        found = []
        for child in parent.children:
            stored = await self.boards.read(child)
            if stored is None:  # it had not begun
                continue
            status = stored.head.status
            if not status.is_settled or (parent.status is Status.KILLED and not status.is_final):
                kill = replace(start, process_id=child, wake=False, wish="kill", answer=None)
                found.append(await self.run(replace(kill, calls=())))
            else:
                found.append(await self._as_it_is(stored))
        return tuple(found)

    @property
    def _engine(self) -> Engine:
        return Engine(self.platform, self.clock, self.executor, self.listeners, self)

    async def _open(self, start: Start) -> Opened:
        while True:
            try:
                return await self.boards.open(
                    start.process_id, delivery=start.delivery, owner=self.owner, lease=self.lease
                )
            except LeaseHeld as held:
                wait_s = min(max(held.retry_in_s, _SHORTEST_WAIT_S), _LONGEST_WAIT_S)
            await asyncio.sleep(wait_s)

    async def _release(self, lease: Lease) -> None:
        with suppress(InfrastructureError):  # it runs out by itself
            await self.boards.release(lease)

    async def _as_it_is(self, stored: Stored) -> Ran:
        return Ran(head=stored.head, unsent=await self._unsent(stored), effects=stored.effects)

    async def _unsent(self, stored: Stored) -> Sequence[JournalRecord]:
        """All that wait, those made since included; none where all was sent before."""
        if stored.sent_seq == stored.journal_seq:
            return ()
        return await self.boards.journal(stored.head.id, unsent_only=True)

    async def _drive(self, keeper: "_Keeper") -> None:
        """Tick to the end, with the lease renewed meanwhile."""
        try:
            async with asyncio.TaskGroup() as group:
                renewing = group.create_task(keeper.renew(every=self.lease / 3))
                await self._tick_to_end(keeper)
                renewing.cancel()
        except BaseExceptionGroup as errors:
            raise _first(errors) from None

    async def _tick_to_end(self, keeper: "_Keeper") -> None:
        process, batch = keeper.process, Batch()
        while (move := await process.plan()) is not None:
            repeatable = move.is_repeatable
            if self.must_commit(batch.before(repeatable=repeatable)):
                await keeper.commit()
                batch = Batch()
            begun_s = self.clock.monotonic_s()
            await process.perform(move)
            duration_s = self.clock.monotonic_s() - begun_s
            batch = batch.with_tick(duration_s=duration_s, repeatable=repeatable)
            if self.must_commit(batch):
                await keeper.commit()
                batch = Batch()
        await keeper.commit(is_last=True)

    def close(self) -> None:
        """Start no more sync actions."""
        self.executor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Keeper:
    """Commits what is pending of one process, one commit at a time."""

    def __init__(self, boards: Boards, lease: Lease, process: Process) -> None:
        self.process = process
        self.wish: Wish | None = None  # the newest that was seen
        self._boards, self._lease = boards, lease
        self._one_at_a_time = asyncio.Lock()

    async def commit(self, *, is_last: bool = False) -> None:
        """Store what is pending; heed what is wished, but with the last one, which is too late.

        Raises `LeaseLost` and `InfrastructureError`.
        """
        async with self._one_at_a_time:
            commit, extent = self.process.pending, self.process.record.extent
            self.wish = await self._boards.commit(self._lease, replace(commit, is_last=is_last))
            self.process.record.mark_kept(extent)
        if self.wish is not None and not is_last:
            self.process.heed(self.wish)

    async def renew(self, *, every: timedelta) -> None:
        """Keep the lease while an action takes long; its ticks so far are stored on the way."""
        while True:
            await asyncio.sleep(every.total_seconds())
            with suppress(InfrastructureError):  # the next one may come through in time
                await self.commit()


def _is_called_for(start: Start, head: ProcessHead, wish: Wish | None) -> bool:
    """Whether a process that is there has anything to do."""
    if not head.status.is_settled or _matters(wish, head.status):
        return True
    if start.answer is not None and start.answer.id not in head.answered:
        return True
    return start.wake and head.status is Status.STUCK


def _matters(wish: Wish | None, status: Status) -> bool:
    """Whether the wish would change anything."""
    match wish:
        case None:
            return False
        case "resume":
            return status is Status.PAUSED
        case "pause":
            return not status.is_final and status is not Status.PAUSED
        case _:
            return not status.is_final


def _hear(process: Process, answer: Answer | None, wish: Wish | None) -> AnswerRefused | None:
    """Let in what came from outside; a refusal is for later, as the wish has to be kept first."""
    if wish is not None:
        process.heed(wish)
    try:
        if answer is not None:
            process.answer(answer)
    except AnswerRefused as refused:
        return refused
    return None


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error itself, out of the groups around it."""
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
