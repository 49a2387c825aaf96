"""Deliveries that were worked on in memory, by what is installed, with the records of it."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.resources import files
from typing import Any

from reactor.adapters.memory import MemoryBoards, MemoryFirsts, MemoryJournalLog
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.ai import Ai, ModelUnavailable
from reactor.ai.answers import NoAnswers
from reactor.ai.exchange import Reply, Request, Usage
from reactor.approving import ApprovalDesk, Taken
from reactor.codec import Codec
from reactor.command import Role
from reactor.delivery import Delivery
from reactor.github.dialect import Envelope
from reactor.journal import JournalRecord
from reactor.permissions import Permissions, RepositoryRef
from reactor.policy import Narrowing
from reactor.ports import Clock, Contexts
from reactor.recounting import Explanations, Recounted
from reactor.repository_rules import RepositoryRules, RulesOfRepositories
from reactor.settings import Settings
from reactor.testing import comment, delivery, issue
from reactor.wiring.engine import Stores, make_runner, make_worker
from reactor.wiring.models import models, stores_in_memory
from reactor.wiring.platform import install

COMMANDS = (
    "/label bug, urgent",
    "/assign",
    "/close not-planned",
    "/duplicate-of 3",
    "/help",
    "/why",
    "/retriage",
    "/approve",
    "/reject 5f0c1e9a77b2",
    "/label bug\n/remove-label urgent\n/reopen",
)
READING = {"urgency": 0.9, "sentiment": 0.4, "labels": ["bug"], "kind": "fault", "reason": "So."}
"""What a model makes of an issue; of a pull request it is enough as well."""


class Moody:
    """Fits `Models`: every third answer is no JSON, and after the tenth it is down."""

    def __init__(self) -> None:
        self.asked = 0

    async def complete(self, request: Request) -> Reply:
        self.asked += 1
        if self.asked > 10:
            raise ModelUnavailable(request.model, "it is down", 60.0)
        text = "I think that" if self.asked % 3 == 0 else json.dumps(READING)
        return Reply(text=text, usage=Usage(prompt_tokens=90 + self.asked, completion_tokens=20))

    async def make_ready(self) -> None:
        """It is."""


@dataclass
class Desks:
    """Fits `ApprovalDesk`, `Explanations` and `RulesOfRepositories`: says another thing each time."""

    now: datetime
    asked: int = 0

    async def take(self, spoken: object) -> Taken:
        self.asked += 1
        return Taken(ruled=(f"key-{self.asked}",)) if self.asked % 2 else Taken()

    async def last(self, subject: str, *, asked_in: object) -> list[Recounted]:
        self.asked += 1
        title = f"{subject} {self.asked}"
        return [Recounted(title=title, at=self.now, delivery="d", steps=(), changes=(), blocked=())]

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        self.asked += 1
        commands = None if self.asked % 3 else frozenset({"why"})
        return RepositoryRules(whole=Narrowing(source=f"v{self.asked}"), commands=commands)


@dataclass
class Recorded:
    """What was worked on, and all records of it, as JSON."""

    deliveries: Sequence[Delivery]
    records: list[JournalRecord] = field(default_factory=list)

    @property
    def by_process(self) -> dict[str, list[JournalRecord]]:
        told: dict[str, list[JournalRecord]] = {}
        for record in self.records:
            told.setdefault(record.process_id, []).append(record)
        return told

    @property
    def asked(self) -> set[str]:
        """What was asked of services, and how models answered."""
        told: list[Mapping[str, Any]] = [record.data for record in self.records]
        calls = {f"{c['service']}.{c['method']}" for each in told for c in each.get("calls", ())}
        return calls | {f"model {a['finish']}" for each in told for a in each.get("answers", ())}

    @property
    def comparable(self) -> list[tuple[str, str, int, Any]]:
        """All of the records, but for how long things took and when they were written."""
        return [
            (
                each.process_id,
                each.kind,
                each.seq,
                {name: value for name, value in each.data.items() if name != "duration_s"},
            )
            for each in self.records
        ]


async def work(
    settings: Settings,
    deliveries: Sequence[Delivery],
    services: Mapping[type, object],
    clock: Clock,
) -> Recorded:
    """Settle them in memory, one after the other."""
    installed = install(settings, firsts=MemoryFirsts(), clock=clock, services=services)
    assert not installed.faults
    boards = MemoryBoards(Codec(installed.platform.catalog), clock)
    stores = Stores(boards, journal := MemoryJournalLog(), clock)
    with make_runner(settings, installed, stores, "w") as runner:
        worker = make_worker(settings, installed, stores, runner)
        for each in deliveries:
            await worker.settle(each)
    kept = [replace(each, data=json.loads(json.dumps(each.data))) for each in journal.records]
    return Recorded(deliveries, kept)


@asynccontextmanager
async def everything(
    settings: Settings, deliveries: Sequence[Delivery], clock: Clock
) -> AsyncIterator[dict[type, object]]:
    """Services as they may be: a moody model, people with rights, desks that say this and that."""
    desks = Desks(clock.now())
    async with models(settings, stores_in_memory(settings, clock)) as ai:
        runtime = ai._runtime
        caller = replace(runtime.caller, models=Moody())
        yield {
            Ai: Ai(replace(runtime, caller=caller, answers=NoAnswers())),
            Permissions: roles(deliveries),
            Contexts: MemoryContexts(),
            ApprovalDesk: desks,
            Explanations: desks,
            RulesOfRepositories: desks,
        }


def samples() -> list[Delivery]:
    """Those of the demo."""
    folder = files("reactor").joinpath("samples")
    paths = sorted(folder.iterdir(), key=lambda path: path.name)
    return [
        opened(path.name.partition(".")[0], json.loads(path.read_text("utf-8")), path.name)
        for path in paths
        if path.name.endswith(".json")
    ]


def issues(count: int) -> list[Delivery]:
    """So many that were opened."""
    return [
        delivery("issues.opened", id=f"issue-{number}", issue=issue(f"No {number}", number=number))
        for number in range(1, count + 1)
    ]


def commands() -> list[Delivery]:
    """Each of them, said once."""
    return [
        delivery(
            "issue_comment.created",
            id=f"said-{number}",
            comment=comment(text, id=7_000 + number),
            issue=issue(f"About {number}", number=number + 1),
        )
        for number, text in enumerate(COMMANDS)
    ]


def opened(event: str, payload: Mapping[str, Any], name: str) -> Delivery:
    at = datetime.fromisoformat("2026-03-01T12:00:00+00:00")
    return Envelope(id=name, event=event).open(json.dumps(payload).encode(), received_at=at)


def roles(deliveries: Sequence[Delivery]) -> MemoryPermissions:
    """Whoever sends something may do anything."""
    granted = MemoryPermissions()
    for each in deliveries:
        payload: Mapping[str, Any] = each.payload
        repository, sender = payload.get("repository"), payload.get("sender")
        if repository and sender and "full_name" in repository:
            place = RepositoryRef(host=each.host, id=repository["id"], name=repository["full_name"])
            granted.grant(place, sender["login"], Role.ADMIN)
    return granted
