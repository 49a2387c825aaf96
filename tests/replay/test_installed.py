"""Every installed package, on every kind of event: what is decided again is what was decided."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import pytest

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory_records import MemoryRecords
from reactor.ai import Ai
from reactor.approving import ApprovalDesk
from reactor.delivery import Delivery
from reactor.permissions import Permissions
from reactor.ports import Contexts
from reactor.recalling import moment_now, recalling
from reactor.recounting import Explanations
from reactor.repository_rules import RulesOfRepositories
from reactor.restarting import Restarts
from reactor.settings import Settings
from reactor.wiring.models import models, stores_in_memory
from reactor.wiring.replay_engine import replay_engine
from tests.replay.worked import (
    COMMANDS,
    Recorded,
    commands,
    everything,
    issues,
    opened,
    samples,
    work,
)

OCTOKIT = Path(__file__).parents[3] / "shared" / "octokit" / "octokit_examples.jsonl"
SETTINGS = Settings.model_validate(
    {
        "reactions": [
            {"name": "everything", "on": "*", "context": "repository"},
            {"name": "triage", "on": "issues", "scope": ["triage"], "when": "issue.number > 1"},
        ],
        "llm": {"models": {"small": {"model": "openai/none"}}},
    }
)


class Nobody:
    """In place of any service: whatever it is asked is one call too many."""

    def __getattr__(self, name: str) -> Any:
        async def refuse(*args: object, **kwargs: object) -> NoReturn:
            raise LookupError(f"nobody answers {name}")

        return refuse


class TimeOfThen(SystemClock):
    def now(self) -> datetime:
        return moment_now() or super().now()


def every_kind() -> list[Delivery]:
    """Samples, commands, and of each event the first two examples that GitHub's users publish."""
    seen: dict[str, int] = {}
    examples = []
    for line in OCTOKIT.read_text("utf-8").splitlines() if OCTOKIT.exists() else ():
        told = json.loads(line)
        seen[told["event"]] = seen.get(told["event"], 0) + 1
        if seen[told["event"]] <= 2:
            name = f"{told['event']}-{seen[told['event']]}"
            examples.append(opened(told["event"], told["payload"], name))
    return [*samples(), *issues(15), *commands(), *examples]


@pytest.fixture
async def then() -> Recorded:
    """Everything was live: stores that others filled, a moody model, people with rights."""
    clock, deliveries = SystemClock(), every_kind()
    async with everything(SETTINGS, deliveries, clock) as services:
        return await work(SETTINGS, deliveries, services, clock)


async def test_every_record_is_written_again_as_it_was_and_nobody_is_asked(
    then: Recorded,
) -> None:
    nobody = (Contexts, ApprovalDesk, Explanations, Restarts, Permissions, RulesOfRepositories)
    services: dict[type, object] = {kind: Nobody() for kind in nobody}

    async with models(SETTINGS, stores_in_memory(SETTINGS, SystemClock())) as ai:
        services[Ai] = ai.recalled()
        with recalling(then.by_process) as unrecorded:
            now = await work(SETTINGS, then.deliveries, services, TimeOfThen())

    assert unrecorded == {}
    assert then.asked >= {
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
    for before, after in zip(then.comparable, now.comparable, strict=True):
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
