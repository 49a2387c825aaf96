"""The journal: decision records, from which every decision can be explained.

A record is plain JSON data with a version.  Kinds and their fields are built here and nowhere
else, so that this file is the format's documentation.  Imports the planners' answer, nothing
that acts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NotRequired, TypedDict

from pydantic_core import to_json

from reactor.blackboard import Entry
from reactor.effect import EffectRecord
from reactor.plan.decision import Decision
from reactor.preview import preview, preview_effect
from reactor.status import ProcessHead, Run
from reactor.waiting import Answer, FormRequest

Kind = Literal["seeded", "tick", "answered", "rescued", "ended"]

VERSION = 2  # of the fields below; grows when one changes its meaning or goes
LONGEST_ANSWER = 20_000  # bytes of JSON of a person's answer that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecord:
    """One thing that a process decided or that became of it."""

    process_id: str
    seq: int  # 1, 2, 3, ... per process; readers drop (process_id, seq) that they have seen
    kind: Kind
    at: datetime
    data: Mapping[str, object]  # JSON-ready; the fields of each kind are below


class FactData(TypedDict):
    """An entry of the blackboard, for people."""

    seq: int
    name: str  # "it" where it has none
    type: str  # class name
    preview: str  # at most `preview.LONGEST` characters


class InputData(TypedDict):
    """What an action was given."""

    parameter: str
    seq: int  # of the entry; those of one list come one after the other
    name: str
    type: str


class EffectData(TypedDict):
    """An effect that an action asked for."""

    kind: str
    key: str  # the idempotency key
    state: str  # "observed", "intended", ...
    preview: str
    repeated: bool  # the process had asked for the very same before, so this is no second one
    reason: NotRequired[str]  # why it was refused, or less came of it than its reaction says
    rules: NotRequired[str]  # version of the repository's own rules that counted, where it has any


class CandidateData(TypedDict):
    """An action that could have run."""

    action: str
    net_value: float
    cost: float
    value: float


UnmetData = TypedDict(
    "UnmetData",
    {  # written like this because `is` is a word of Python's own
        "condition": str,  # "has(Issue)", the source of an expression, "ran(triage.label)", ...
        "needs": str,  # "true", "false" or "unknown"
        "is": str,  # the same, or "absent"
        "reason": NotRequired[str],  # why it is so, where that is not plain
    },
)
"""A condition that kept an action from running."""


class NotRunnableData(TypedDict):
    """An action that could not run, and all that kept it."""

    action: str
    unmet: list[UnmetData]


class ServiceErrorData(TypedDict):
    """What a service raised."""

    type: str  # class name
    line: str  # class and message, in one line, without secrets
    kind: str  # "passing", "permanent", "unclear": whether it may be gone at the next try
    args: NotRequired[list[str | int | float | bool | None]]  # what the error was made with


class ServiceCallData(TypedDict):
    """What a provided service answered, so that a replay can give it back without the service.

    Exactly one of `result`, `error` and `not_kept` is there.
    """

    service: str  # class name of the type by which it is provided: "Permissions"
    method: str  # "role"
    asked: str  # digest of the arguments, 16 hex digits
    result: NotRequired[object]  # as JSON, by what the method is annotated to return
    error: NotRequired[ServiceErrorData]
    not_kept: NotRequired[str]  # why a replay has no answer: it was too long, or cut off, ...
    planning: NotRequired[bool]  # a condition, cost or value asked, before anything was chosen


class WeighedData(TypedDict):
    """What a planning weighed; `reactor.weighing` writes it, and puts the lists together again."""

    candidates: list[CandidateData]  # the best 20, best first
    since: int  # seq of the record that the next two continue; 0: of none, the list is complete
    not_runnable: list[NotRunnableData]  # by name: those that it does not tell just so
    no_longer: list[str]  # actions that it lists, and that can run now
    left_out: int  # how many more candidates and actions there were; of the latter, 100 are told
    calls: NotRequired[list[ServiceCallData]]  # of services: by the planning, then by the action


class SeededData(TypedDict):
    """Kind "seeded": a process began."""

    v: int
    delivery: str
    reaction: str
    event: str
    subject: str
    subject_name: str
    agent: str
    planner: str
    scope: str
    attempt: int
    left_out: NotRequired[list[str]]  # components that are not for this event
    actions: list[str]  # all in scope, by name
    facts: list[FactData]  # in order
    calls: NotRequired[list[ServiceCallData]]  # of services, before it began


class ModelCallData(TypedDict):
    """A tool that a model wanted to be called."""

    id: str
    name: str
    arguments: str  # as the model wrote them


class ModelAnswerData(TypedDict):
    """What a model answered to an action, in full, so that a replay needs no model."""

    request: str  # SHA-256 of all that the answer depends on (`Request.content_digest`)
    model: str  # its name in the settings
    text: str
    calls: list[ModelCallData]
    finish: str  # "stop", "length", "refused", "tools"; "failed": there was no answer
    is_cut: bool  # too long to be kept whole: no replay can use it
    error: NotRequired[ServiceErrorData]  # with "failed"
    tokens: NotRequired[list[int]]  # of the prompt and of the answer, where it took any


class TickData(WeighedData):
    """Kind "tick": one planning and the action that it chose."""

    v: int
    tick: int  # 1, 2, 3, ...
    chosen: str  # the action
    goal: str | None  # whose plan was chosen
    plan: list[str]  # the chosen action and what was to come after it
    chosen_by: NotRequired[str]  # where that was not the planner: "supervisor, round 2"
    answers: NotRequired[list[ModelAnswerData]]  # of models to the action, in order
    net_value: float  # of the plan
    looked_into: list[str]  # unknown conditions that the planner asked about
    inputs: list[InputData]
    outputs: list[FactData]
    effects: list[EffectData]
    outcome: str  # "done", "nothing", "failed", "timeout", "waiting", "replan", "terminated"
    error: str  # one line, with failures and requests; "" otherwise
    attempts: int
    started_at: str  # ISO 8601, UTC
    duration_s: float


class AnsweredData(TypedDict):
    """Kind "answered": what an action waited for has come."""

    v: int
    tick: int  # as those of kind "tick" are counted
    action: str  # that had asked
    form: str  # the id of its request
    answer: str  # the id of the answer
    title: str
    by: str
    expired: bool  # nobody answered in time: the default counts
    value: NotRequired[object]  # the answer to a form, as JSON
    approved: NotRequired[bool]  # the answer to a question for yes or no
    not_kept: NotRequired[str]  # why the answer is not here: it was too long
    outputs: list[FactData]
    calls: NotRequired[list[ServiceCallData]]  # of services, before the process went on


class RescuedData(TypedDict):
    """Kind "rescued": nothing was left to do, and the stuck handler had the process plan again."""

    v: int
    rescue: int  # 1, 2, 3, ...
    outputs: list[FactData]
    calls: NotRequired[list[ServiceCallData]]  # of services, before the process went on


class EndedData(WeighedData):
    """Kind "ended": a process came to rest.

    One that is STUCK, WAITING or PAUSED may go on later, and end again.
    """

    v: int
    status: str
    reason: str  # a clause
    goal: str | None  # that was met
    failure: str  # one line, with FAILED
    ticks: int
    usage: dict[str, float]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A decision, and why conditions are what they are, by condition."""

    decision: Decision
    reasons: Mapping[str, str]
    calls: Sequence[ServiceCallData] = ()  # of services, by conditions, costs and values


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """What came of a decision."""

    run: Run
    inputs: Sequence[tuple[str, Entry]] = ()  # parameter and entry
    outputs: Sequence[Entry] = ()
    effects: Sequence[EffectRecord] = ()
    repeated: frozenset[str] = frozenset()  # keys of effects that were there before
    answers: Sequence[ModelAnswerData] = ()
    calls: Sequence[ServiceCallData] = ()  # of services


def seeded(
    head: ProcessHead, facts: Iterable[Entry], *, scope: str, actions: Iterable[str]
) -> SeededData:
    """The data of a record "seeded", but for its calls."""
    return SeededData(
        v=VERSION,
        delivery=head.delivery,
        reaction=head.reaction,
        event=head.event,
        subject=head.subject,
        subject_name=head.subject_name,
        agent=head.agent,
        planner=head.planner,
        scope=scope,
        attempt=head.attempt,
        actions=sorted(actions),
        facts=[_fact(entry) for entry in facts],
    )


def ticked(number: int, decision: Decision, told: WeighedData, acted: Acted) -> TickData:
    """The data of a record "tick"; `told`: what was weighed."""
    run = acted.run
    data = TickData(
        v=VERSION,
        tick=number,
        chosen=run.action,
        goal=decision.goal,
        plan=list(decision.plan or ()),
        net_value=decision.net_value,
        looked_into=list(decision.evaluated),
        candidates=told["candidates"],
        since=told["since"],
        not_runnable=told["not_runnable"],
        no_longer=told["no_longer"],
        left_out=told["left_out"],
        inputs=[
            InputData(parameter=parameter, seq=e.seq, name=e.name, type=e.type_name)
            for parameter, e in acted.inputs
        ],
        outputs=[_fact(entry) for entry in acted.outputs],
        effects=[_effect(record, acted.repeated) for record in acted.effects],
        outcome=run.outcome,
        error=run.error,
        attempts=run.attempts,
        started_at=run.started_at.isoformat(),
        duration_s=run.duration_s,
    )
    if decision.chosen_by:
        data["chosen_by"] = decision.chosen_by
    if acted.answers:
        data["answers"] = list(acted.answers)
    if calls := [*told.get("calls", ()), *acted.calls]:
        data["calls"] = calls
    return data


def answered(
    number: int, form: FormRequest, answer: Answer, facts: Iterable[Entry]
) -> AnsweredData:
    """The data of a record "answered"."""
    data = AnsweredData(
        v=VERSION,
        tick=number,
        action=form.action,
        form=form.id,
        answer=answer.id,
        title=form.title,
        by=answer.by,
        expired=answer.expired,
        outputs=[_fact(entry) for entry in facts],
    )
    if answer.approved is not None:
        data["approved"] = answer.approved
    if answer.value is None:
        return data
    if len(to_json(answer.value, inf_nan_mode="constants")) > LONGEST_ANSWER:
        data["not_kept"] = "it was too long"
    else:
        data["value"] = answer.value
    return data


def rescued(head: ProcessHead, facts: Iterable[Entry]) -> RescuedData:
    """The data of a record "rescued"."""
    return RescuedData(v=VERSION, rescue=head.rescues, outputs=[_fact(entry) for entry in facts])


def ended(head: ProcessHead, reason: str, told: WeighedData, *, ticks: int) -> EndedData:
    """The data of a record "ended"; `told`: of the planning that found nothing more to do."""
    return EndedData(
        v=VERSION,
        status=head.status.value,
        reason=reason,
        goal=head.goal,
        failure=head.failure,
        ticks=ticks,
        usage=dict(head.usage),
        **told,
    )


def _fact(entry: Entry) -> FactData:
    return FactData(
        seq=entry.seq, name=entry.name, type=entry.type_name, preview=preview(entry.value)
    )


def _effect(record: EffectRecord, repeated: frozenset[str]) -> EffectData:
    told = EffectData(
        kind=record.effect.kind,
        key=record.key,
        state=record.state,
        preview=preview_effect(record.effect),
        repeated=record.key in repeated,
    )
    if record.reason:
        told["reason"] = record.reason
    if record.rules:
        told["rules"] = record.rules
    return told
