"""What the contract suites store: facts, effects and records as components make them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum

from pydantic import BaseModel, ConfigDict

from reactor.blackboard import Blackboard
from reactor.catalog import TypeCatalog
from reactor.delivery import Subject
from reactor.effect import Effect, EffectRecord, EffectState
from reactor.journal import JournalRecord
from reactor.status import ProcessHead, Run, Status
from reactor.timer import Timer

NOW = datetime(2026, 3, 14, 15, 9, 26, 535898, tzinfo=UTC)


class Account(BaseModel):
    model_config = ConfigDict(frozen=True)

    login: str
    id: int


class Issue(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    number: int
    title: str
    body: str | None = None
    user: Account | None = None
    labels: tuple[str, ...] = ()
    opened_at: datetime = NOW


@dataclass(frozen=True, slots=True)
class Assessment:
    urgency: float
    labels: frozenset[str] = frozenset()


class Mood(Enum):
    CALM = "calm"
    CROSS = "cross"


class AddLabels(Effect):
    labels: tuple[str, ...]


CATALOG = TypeCatalog([Account, Issue, Assessment, Mood, AddLabels])


def head(process_id: str, status: Status = Status.RUNNING, **more: object) -> ProcessHead:
    fields: dict[str, object] = {
        "id": process_id,
        "delivery": "github.com/d-1",
        "reaction": "triage",
        "subject": "github.com/1#7",
        "agent": "reactor",
        "planner": "utility",
        "status": status,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return ProcessHead(**{**fields, **more})  # type: ignore[arg-type]


def board() -> Blackboard:
    """One that has known every kind of change."""
    facts = Blackboard(now=lambda: NOW)
    facts.bind("issue", Issue(number=7, title="It crashes", user=Account(login="octo", id=2**40)))
    facts.bind("mood", Mood.CROSS, producer="triage.listen", protected=True)
    facts.add(Assessment(0.75, frozenset({"bug"})), producer="triage.assess")
    facts.add({"any": ["json", 1, None]}, producer="triage.assess")
    facts.set_flag("reviewed")
    facts.hide(Mood.CROSS)
    facts.clear(keep=[facts.entries[2]])
    facts.add("after", producer="triage.assess")
    return facts


def run(action: str = "triage.assess") -> Run:
    return Run(action=action, started_at=NOW, duration_s=0.25, outcome="done")


def effect(key: str, state: EffectState = "observed") -> EffectRecord:
    return EffectRecord(
        key=key,
        effect=AddLabels(labels=("bug", key)),
        subject="github.com/1#7",
        action="triage.label",
        mode="observe",
        state=state,
    )


def record(process_id: str, seq: int) -> JournalRecord:
    data = {"chosen": "triage.assess", "candidates": [{"action": "triage.assess", "net": 0.5}]}
    return JournalRecord(process_id=process_id, seq=seq, kind="tick", at=NOW, data=data)


def timer(id: str = "settings:nightly", **more: object) -> Timer:
    fields: dict[str, object] = {
        "due_at": NOW,
        "name": "nightly",
        "subject": Subject(key="reactor#nightly", name="nightly"),
        "payload": {"keep": [1, None, "ä"]},
    }
    return Timer(id=id, **{**fields, **more})  # type: ignore[arg-type]
