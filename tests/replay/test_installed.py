"""Every installed package, on every kind of event: what is decided again is what was decided."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

import pytest

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryBoards, MemoryFirsts, MemoryJournalLog
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_permissions import MemoryPermissions
from reactor.adapters.memory_records import MemoryRecords
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
from reactor.ports import Contexts
from reactor.recalling import moment_now, recalling
from reactor.recounting import Explanations, Recounted
from reactor.repository_rules import RepositoryRules, RulesOfRepositories
from reactor.restarting import Restarts
from reactor.settings import Settings
from reactor.testing import comment, delivery, issue
from reactor.wiring.engine import Stores, make_runner, make_worker
from reactor.wiring.models import models, stores_in_memory
from reactor.wiring.platform import install
from reactor.wiring.replay_engine import replay_engine

OCTOKIT = Path(__file__).parents[3] / "shared" / "octokit" / "octokit_examples.jsonl"
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
SETTINGS = Settings.model_validate(
    {
        "reactions": [
            {"name": "everything", "on": "*", "context": "repository"},
            {"name": "triage", "on": "issues", "scope": ["triage"], "when": "issue.number > 1"},
        ],
        "llm": {"models": {"small": {"model": "openai/none"}}},
    }
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

    asked: int = 0

    async def take(self, spoken: object) -> Taken:
        self.asked += 1
        return Taken(ruled=(f"key-{self.asked}",)) if self.asked % 2 else Taken()

    async def last(self, subject: str, *, asked_in: object) -> list[Recounted]:
        self.asked += 1
        at = SystemClock().now()
        told = Recounted(
            title=f"{subject} {self.asked}", at=at, delivery="d", steps=(), changes=(), blocked=()
        )
        return [told]

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        self.asked += 1
        commands = None if self.asked % 3 else frozenset({"help", "label", "why"})
        return RepositoryRules(whole=Narrowing(source=f"v{self.asked}"), commands=commands)


class Nobody:
    """In place of any service: whatever it is asked is one call too many."""

    def __init__(self) -> None:
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        async def refuse(*args: object, **kwargs: object) -> NoReturn:
            raise LookupError(f"nobody answers {name}")

        return refuse


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


class TimeOfThen(SystemClock):
    def now(self) -> Any:
        return moment_now() or super().now()


async def work(
    deliveries: Sequence[Delivery], services: Mapping[type, object], clock: SystemClock
) -> Recorded:
    """Settle them in memory, one after the other."""
    installed = install(SETTINGS, firsts=MemoryFirsts(), clock=clock, services=services)
    assert not installed.faults
    boards = MemoryBoards(Codec(installed.platform.catalog), clock)
    stores = Stores(boards, journal := MemoryJournalLog(), clock)
    with make_runner(SETTINGS, installed, stores, "w") as runner:
        worker = make_worker(SETTINGS, installed, stores, runner)
        for each in deliveries:
            await worker.settle(each)
    kept = [replace(each, data=json.loads(json.dumps(each.data))) for each in journal.records]
    return Recorded(deliveries, kept)


def opened(event: str, payload: Mapping[str, Any], name: str) -> Delivery:
    return Envelope(id=name, event=event).open(
        json.dumps(payload).encode(), received_at=SystemClock().now()
    )


def every_kind() -> list[Delivery]:
    """Samples, commands, and of each event the first two examples that GitHub's users publish."""
    samples = [
        opened(path.name.partition(".")[0], json.loads(path.read_text("utf-8")), path.name)
        for path in files("reactor").joinpath("samples").iterdir()
        if path.name.endswith(".json")
    ]
    issues = [
        delivery("issues.opened", id=f"issue-{number}", issue=issue(f"No {number}", number=number))
        for number in range(1, 16)
    ]
    said = [
        delivery(
            "issue_comment.created",
            id=f"said-{number}",
            comment=comment(text, id=7_000 + number),
            issue=issue(f"About {number}", number=number + 1),
        )
        for number, text in enumerate(COMMANDS)
    ]
    seen: dict[str, int] = {}
    examples = []
    for line in OCTOKIT.read_text("utf-8").splitlines() if OCTOKIT.exists() else ():
        told = json.loads(line)
        seen[told["event"]] = seen.get(told["event"], 0) + 1
        if seen[told["event"]] <= 2:
            name = f"{told['event']}-{seen[told['event']]}"
            examples.append(opened(told["event"], told["payload"], name))
    return [*samples, *issues, *said, *examples]


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


@pytest.fixture
async def then() -> Recorded:
    """Everything was live: stores that others filled, a moody model, people with rights."""
    clock, deliveries, desks = SystemClock(), every_kind(), Desks()
    async with models(SETTINGS, stores_in_memory(SETTINGS, clock)) as ai:
        runtime = ai._runtime
        caller = replace(runtime.caller, models=Moody())
        services: dict[type, object] = {
            Ai: Ai(replace(runtime, caller=caller, answers=NoAnswers())),
            Permissions: roles(deliveries),
            Contexts: MemoryContexts(),
            ApprovalDesk: desks,
            Explanations: desks,
            RulesOfRepositories: desks,
        }
        return await work(deliveries, services, clock)


def asked(recorded: Recorded) -> set[str]:
    """What was asked of services and models."""
    calls = {
        f"{call['service']}.{call['method']}"
        for record in recorded.records
        for call in record.data.get("calls", ())  # type: ignore[attr-defined]
    }
    answers = {
        f"model {answer['finish']}"
        for record in recorded.records
        for answer in record.data.get("answers", ())  # type: ignore[attr-defined]
    }
    return calls | answers


def comparable(records: Sequence[JournalRecord]) -> list[tuple[str, str, int, Any]]:
    """All of them, but for how long things took and when they were written."""
    return [
        (
            each.process_id,
            each.kind,
            each.seq,
            {name: value for name, value in each.data.items() if name != "duration_s"},
        )
        for each in records
    ]


async def test_every_record_is_written_again_as_it_was_and_nobody_is_asked(
    then: Recorded,
) -> None:
    clock = SystemClock()
    nobody = (Contexts, ApprovalDesk, Explanations, Restarts, Permissions, RulesOfRepositories)
    async with models(SETTINGS, stores_in_memory(SETTINGS, clock)) as ai:
        services: dict[type, object] = {kind: Nobody() for kind in nobody}
        services[Ai] = ai.recalled()
        with recalling(then.by_process) as unrecorded:
            now = await work(then.deliveries, services, TimeOfThen())

    assert unrecorded == {}
    assert asked(then) >= {
        "Ai.why_away",
        "ApprovalDesk.take",
        "CommunityStore.claim_new",
        "Contexts.load",
        "Explanations.last",
        "Permissions.role",
        "Restarts.start",
        "RulesOfRepositories.of",
        "model failed",
        "model stop",
    }
    for before, after in zip(comparable(then.records), comparable(now.records), strict=True):
        assert after == before


async def test_a_replay_of_an_unchanged_version_finds_no_difference(then: Recorded) -> None:
    found = []
    async with replay_engine(SETTINGS, MemoryRecords(then.records)) as engine:
        for each in then.deliveries:
            found += await engine.replaying.replay(each)

    assert len(found) > len(COMMANDS)
    assert [(each["verdict"], each["differences"], each["failure"]) for each in found] == [
        ("same", [], "")
    ] * len(found)
    assert [each["unrecorded"] for each in found] == [[]] * len(found)
