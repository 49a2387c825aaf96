"""A workbench: component classes on a platform of their own, in memory, and what came of a run."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reactor.adapters.clock import ManualClock
from reactor.adapters.jinja_templates import JinjaTemplates
from reactor.adapters.memory import MemoryFirsts
from reactor.adapters.memory_changed_files import MemoryChangedFiles
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_conversations import MemoryConversations
from reactor.adapters.memory_desks import (
    MemoryApprovalDesk,
    MemoryExplanations,
    MemoryRestarts,
)
from reactor.adapters.memory_issues import MemoryIssues
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.adapters.memory_timers import MemoryTimers
from reactor.ai import Ai
from reactor.ai.prices import FREE, Price
from reactor.ai.scripted import ScriptedAi
from reactor.approving import ApprovalDesk
from reactor.blackboard import DEFAULT_NAME, Blackboard
from reactor.changed_files import ChangedFiles
from reactor.command import Role
from reactor.command_desk import DESK, desk_package
from reactor.commanding import CommandEar, command_listener
from reactor.community import CommunityStore, IssueIndex
from reactor.context import ActionContext
from reactor.conversations import Conversations
from reactor.effect import Effect
from reactor.errors import ReactorError
from reactor.execution import Executor
from reactor.firing import record_of
from reactor.github.effects import EFFECT_TYPES
from reactor.github.event import Event
from reactor.github.facts import FACT_TYPES, cause_of, facts_of
from reactor.github.hearing import Hearing
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.narrowing import Narrowing
from reactor.options import ProcessOptions
from reactor.package import Package
from reactor.permissions import Permissions, RepositoryRef
from reactor.platform import Platform
from reactor.ports import Contexts
from reactor.process import Engine, Process
from reactor.recounting import Explanations
from reactor.reminders import Reminders
from reactor.request_desk import REQUESTS, may_be_asked, request_package
from reactor.restarting import Restarts, Retriaged
from reactor.scope import Scope
from reactor.start import Start
from reactor.status import ProcessHead, process_id
from reactor.subprocesses import Subprocess, SubprocessEnded
from reactor.tally import Tally
from reactor.timed import TimedReader
from reactor.timer import TimerFired
from reactor.worker import Reading, start_for

_REACTION = "bench"
_OPTIONS = ProcessOptions(terminate_when_stuck=True, context_id="bench")


class FakeAi(ScriptedAi):
    """An `Ai` that answers what it is told to, in order, and keeps what it was asked.

        ai = FakeAi(IssueAssessment(...), "a text", ModelUnavailable("fake", "down"))
        await Workbench(JudgeComponent, ai=ai).run(event("issues.opened", issue=issue()))
        assert "brakes" in ai.prompts[0]

    Prompts are those of the component's package.  Without answers left, no model is to be had:
    actions that take an `Ai` are not planned.  `price`: what its calls are said to cost.
    """

    def __init__(self, *answers: object, price: Price = FREE) -> None:
        super().__init__(*answers, templates=JinjaTemplates(), price=price)


class Workbench:
    """Component classes on a platform of their own, in memory.

    What one run has claimed as new or has saved to its context, the next one knows.  Whole packages
    may be given as well.  `ai`: what actions are given that take an `Ai`; with one, agents that
    export goals may be asked in free words (`@reactor tell me ...` in `run_commands`).
    Raises `BadPlatform` with all that is wrong with them.
    """

    def __init__(
        self,
        *components: type | Package,
        settings: Mapping[str, object] | None = None,
        ai: FakeAi | None = None,
    ) -> None:
        classes = tuple(given for given in components if not isinstance(given, Package))
        packages = [given for given in components if isinstance(given, Package)]
        if classes:
            packages.append(Package(name="bench", components=classes, settings=settings))
        self.store = CommunityStore(MemoryFirsts())
        self.timers = MemoryTimers(ManualClock())  # of the reminders that were asked for
        self.conversations = MemoryConversations()  # which of them are open by now: `put` it
        self.files = MemoryChangedFiles()  # of pull requests: `put` them
        self.approvals = MemoryApprovalDesk()  # what commands said of what waits
        self.explanations = MemoryExplanations()  # what they can tell of it
        self.restarts = MemoryRestarts()  # what they had looked at anew
        self.subprocesses: list[Process] = []  # of the last run: agents that were asked for, ...
        self._permissions = MemoryPermissions()
        self._services = {
            CommunityStore: self.store,
            IssueIndex: IssueIndex(MemoryIssues()),
            Reminders: Reminders(self.timers),
            Contexts: MemoryContexts(),
            ApprovalDesk: self.approvals,
            Explanations: self.explanations,
            Restarts: self.restarts,
            Permissions: self._permissions,
            ChangedFiles: self.files,
            Conversations: self.conversations,
            Ai: ai or FakeAi(),
        }
        self.platform = self._made(*packages, desk_package())
        if ai is not None and may_be_asked(self.platform):
            self.platform = self._made(*packages, desk_package(), request_package())

    async def run(
        self, event: Event, *, agent: str = "", planner: str = "", retriaged_by: str = ""
    ) -> Process:
        """Run one process for the event until nothing is left to do, and return it.

        `agent`: run this agent, with the planner that it declares, instead of the pool.
        `retriaged_by`: the event is nothing new; who this is has asked for it to be looked at anew.
        """
        facts = facts_of(event)
        if retriaged_by:
            facts += ((DEFAULT_NAME, Retriaged(by=retriaged_by, cause=cause_of(event))),)
        declared = self.platform.agent(agent).mark.planner if agent else "utility"
        start = Start(
            **_told(event),
            facts=facts,
            scope=Scope.from_agents(agent) if agent else self._pool(event.kind),
            planner=planner or declared,
            agent=agent,
            options=_OPTIONS,
        )
        return await self._run(start)

    async def run_reminder(self) -> Process:
        """Run the process of the reminder that is due first, as if it were due now.

        Raises `NothingReminds` where none was asked for, or all were dropped or have been run.
        """
        timers = await self.timers.all()
        if not timers:
            raise NothingReminds
        timer = timers[0]
        delivery = record_of(timer, at=timer.due_at)
        reading = TimedReader(GitHubReader(OwnIdentity()))(delivery)
        await self.timers.fired(timer, None)
        start = start_for(delivery, reading, _REACTION)
        scope = self._pool(delivery.kind)
        return await self._run(replace(start, scope=scope, options=_OPTIONS))

    async def run_commands(self, event: Event, *, role: Role = Role.ADMIN) -> Process:
        """Run the commands in what the event newly says, by somebody of that role.

        We are addressed as `@reactor`.  Raises `NothingHeard`.
        """
        if event.sender is not None and event.repository is not None:
            place = RepositoryRef(
                host=event.host, id=event.repository.id, name=event.repository.full_name
            )
            self._permissions.grant(place, event.sender.login, role)
        hearing = Hearing(self.platform.commands, us={event.host: "reactor[bot]"})
        facts = facts_of(event)
        reading = Reading(facts=facts, cause=cause_of(event), is_typed=True, is_own=False)
        ear = CommandEar(hearing)
        heard = await ear.hear(reading) if ear.may_hear(reading) else ()
        listener = command_listener(self.platform, hearing, effects="observe")
        if not heard or listener is None:
            raise NothingHeard(event.kind)
        return await self._run(listener.ready(Start(**_told(event), facts=(*facts, *heard))))

    def _pool(self, kind: str) -> Scope:
        teams = Scope.platform() - Scope.from_packages(DESK, REQUESTS)
        return Narrowing(platform=self.platform, scope=teams).to(kind)

    def _made(self, *packages: Package) -> Platform:
        return Platform(
            packages=packages,
            services=self._services,
            types=(*FACT_TYPES, *EFFECT_TYPES, Retriaged, TimerFired),
        )

    async def _run(self, start: Start) -> Process:
        self.subprocesses.clear()
        with Executor() as executor:
            engine = Engine(self.platform, ManualClock(), executor)
            process = Process(replace(engine, subprocesses=_Within(engine, self)), start)
            await process.run()
        return process


def _told(event: Event) -> dict[str, Any]:
    """What a process is told of the delivery that it is for."""
    delivery = f"{event.host}/{event.delivery_id}"
    return {
        "process_id": process_id(delivery=delivery, reaction=_REACTION),
        "delivery": delivery,
        "reaction": _REACTION,
        "subject": event.subject_key,
        "host": event.host,
        "cause": cause_of(event),
        "event": event.kind,
    }


def ran(process: Process) -> list[str]:
    """The actions that ran, in order, each with its component: "triage.label_issue"."""
    return [run.action for run in process.history]


def effects(process: Process) -> list[Effect]:
    """The effects that were asked for, in order."""
    return [record.effect for record in process.effects]


def context(process: str = "p-1", action: str = "bench.action") -> ActionContext:
    """What an action is given that asks for an `ActionContext`, for calling it directly."""
    clock = ManualClock()
    head = ProcessHead(
        id=process,
        delivery="github.com/d-1",
        reaction="bench",
        subject="github.com/1296269#17",
        agent="bench",
        planner="utility",
        created_at=clock.now(),
        updated_at=clock.now(),
    )
    return ActionContext(
        process=head, action=action, board=Blackboard(now=clock.now), host=_Alone(clock)
    )


@dataclass(frozen=True, slots=True)
class _Within:
    """Fits `Subprocesses`: what an action of the bench starts can be looked at."""

    engine: Engine
    bench: Workbench

    async def run_subprocess(self, start: Start) -> SubprocessEnded:
        child = Process(replace(self.engine, subprocesses=self), start)
        self.bench.subprocesses.append(child)
        try:
            await child.run()
        except asyncio.CancelledError:
            child.kill("its parent was ended")
            raise
        return SubprocessEnded(child.head, child.board, tuple(child.effects))


class NothingHeard(ReactorError):
    """A text asks for no command, or there are none."""

    def __str__(self) -> str:
        return (
            f"nothing is asked in {self.args[0]}: a command begins a line of a new comment or body,"
            " and is the trigger of an action"
        )


class NothingReminds(ReactorError):
    """No reminder is left to be due."""

    def __str__(self) -> str:
        return "nobody has asked to be reminded of anything: see `Reminders.put`"


class NeedsProcess(ReactorError):
    """An action that was called directly asked for what only a process has."""

    def __str__(self) -> str:
        return f"{self.args[0]} needs a process: run the action on a `Workbench`"


class _Alone:
    """Stands in for the process where an action is called directly."""

    def __init__(self, clock: ManualClock) -> None:
        self.now = clock.now
        self.tally = Tally()

    async def save(self, value: object, *, name: str) -> None:
        raise NeedsProcess("what outlives a process")

    async def run_subprocess(self, wanted: Subprocess, context: ActionContext) -> SubprocessEnded:
        raise NeedsProcess(f"the sub-process {wanted.name!r}")
