"""What a process is started with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from reactor.blackboard import Change
from reactor.effect import Mode
from reactor.granting import Allowed
from reactor.journal import ServiceCallData
from reactor.options import ProcessOptions
from reactor.scope import Scope
from reactor.status import ProcessHead
from reactor.tally import Tally
from reactor.waiting import Answer, Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A wish to have a process run to its end, or on from where it was."""

    process_id: str
    delivery: str  # `Delivery.key`
    reaction: str
    subject: str  # `Subject.key`
    facts: Sequence[tuple[str, object]]  # name ("it" for none) and value, in order
    scope: Scope = field(default_factory=Scope.platform)
    planner: str = "utility"
    goals: frozenset[str] | None = None  # names, or conditions such as "has(Report)"; None: all
    wanted: str = ""  # by a supervisor, in words; left out: as the goals describe it
    options: ProcessOptions = field(default_factory=ProcessOptions)
    host: str = ""  # this and `cause` go into the keys of effects
    cause: str = ""  # digest of what happened: equal for a redelivery and for a second hook
    effect_mode: Mode = "observe"
    allowed: Allowed | None = None  # of its effects, beside that; None: nobody was asked yet
    agent: str = ""  # left out: the platform's name
    event: str = ""  # "issues.opened", for people
    subject_name: str = ""  # "octo/hello#7", for people
    attempt: int = 1
    causation: tuple[str, ...] = ()  # ids of the deliveries that led to this one, oldest first
    happened_at: datetime | None = None  # when what it is about did, by the clock of its host
    parent_id: str | None = None  # of a sub-process
    tally: Tally | None = field(default=None, compare=False)  # that of its parent
    inherited: Sequence[Change] = ()  # the board that it begins with
    endless: bool = True  # beside its real goals, it does whatever is worth most
    wake: bool = False  # a process that is STUCK plans again
    answer: Answer | None = None  # to what a process that is there waits for
    wish: Wish | None = None  # what to do with a process that is there
    why_wished: str = ""  # for people
    calls: Sequence[ServiceCallData] = ()  # of services, on its behalf, before it begins or goes on

    def head(self, *, name: str, now: datetime) -> ProcessHead:
        """The head of the new process; `name`: of the agent where nothing else is said."""
        return ProcessHead(
            id=self.process_id,
            delivery=self.delivery,
            reaction=self.reaction,
            subject=self.subject,
            agent=self.agent or name,
            planner=self.planner,
            attempt=self.attempt,
            created_at=now,
            updated_at=now,
            parent_id=self.parent_id,
            event=self.event,
            subject_name=self.subject_name,
            host=self.host,
            cause=self.cause,
            causation=self.causation,
            happened_at=self.happened_at,
        )
