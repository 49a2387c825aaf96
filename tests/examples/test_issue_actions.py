"""The issue actions of the triage package under each planner, with a model over HTTP.

Utility does what is worth most: the model judges.  GOAP takes the cheapest way to an assessment:
the rules, and nobody is asked.  Under the supervisor a model picks, and preconditions hold for
what it picks as for anything else.
"""

from typing import Any

import pytest
from reactor_triage import COMPONENTS

from reactor import (
    AgentInvocation,
    Package,
    Platform,
    Process,
    Reminders,
    Retriaged,
    Scope,
    Status,
    UtilityInvocation,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryFirsts
from reactor.adapters.memory_changed_files import NoFilesToAsk
from reactor.adapters.memory_conversations import MemoryConversations
from reactor.adapters.memory_timers import MemoryTimers
from reactor.ai import Ai
from reactor.ai.without import without_models
from reactor.community import ChangedFiles, CommunityStore, Conversations, IssueAssessment
from reactor.github.effects import EFFECT_TYPES
from reactor.github.facts import FACT_TYPES, facts_of
from reactor.testing import event, issue, ran
from tests.fixtures.models import answers
from tests.fixtures.models.answers import Answer
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine

READ = {"kind": "fault", "urgency": 0.4, "sentiment": 0.5, "labels": ["bug"], "missing": []}
SAVE, BY_MODEL, BY_RULES = (
    f"triage.{name}"
    for name in ("save_new_issue", "react_to_new_issue_by_model", "react_to_new_issue")
)
URGENT = "triage.heavy_hitter_issue"


def platform(ai: Ai) -> Platform:
    return Platform(
        packages=[Package(name="triage", components=COMPONENTS)],
        services={
            CommunityStore: CommunityStore(MemoryFirsts()),
            Reminders: Reminders(MemoryTimers(ManualClock())),
            ChangedFiles: NoFilesToAsk(),
            Conversations: MemoryConversations(),
            Ai: ai,
        },
        types=(*FACT_TYPES, *EFFECT_TYPES, Retriaged),
    )


def opened() -> list[object]:
    written = issue("Brakes fail", body="On ice.")
    return [value for _, value in facts_of(event("issues.opened", issue=written))]


async def by_utility(ai: Ai) -> Process:
    invocation = UtilityInvocation.on(platform(ai)).with_scope(Scope.from_packages("triage"))
    return await invocation.terminate_when_stuck().run_async(*opened())


async def towards_an_assessment(planner: str, ai: Ai) -> Process:
    invocation = AgentInvocation.on(platform(ai)).returning(IssueAssessment).with_planner(planner)
    return await invocation.with_scope(Scope.from_packages("triage")).run_async(*opened())


def judged(process: Process) -> IssueAssessment:
    found = process.board.last(IssueAssessment)
    assert found is not None
    return found


async def test_under_utility_the_model_judges_and_what_follows_depends_on_what_it_says(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    stub_models.script(answers.text("It is a fault."), answers.fenced({**READ, "urgency": 0.9}))

    process = await by_utility(stub_ai)

    assert ran(process)[:2] == [SAVE, BY_MODEL]
    assert URGENT in ran(process)
    assert judged(process).urgency == 0.9
    assert process.head.usage["model_calls"] == 2


async def test_an_issue_that_the_model_finds_less_urgent_escalates_nothing(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    stub_models.script(answers.value(READ))

    process = await by_utility(stub_ai)

    assert ran(process)[:2] == [SAVE, BY_MODEL]
    assert URGENT not in ran(process)


async def test_while_the_provider_is_away_the_rules_judge(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    stub_models.answering = lambda asked: answers.failure(503, retry_after="60")

    process = await by_utility(stub_ai)

    assert ran(process)[:3] == [SAVE, BY_MODEL, BY_RULES]
    assert judged(process).missing  # which the model never said


async def test_goap_takes_the_cheapest_way_and_asks_nobody(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    process = await towards_an_assessment("goap", stub_ai)

    assert process.status is Status.COMPLETED
    assert ran(process) == [SAVE, BY_RULES]
    assert stub_models.requests == []


async def test_without_a_model_goap_does_the_same() -> None:
    process = await towards_an_assessment("goap", without_models())

    assert process.status is Status.COMPLETED
    assert ran(process) == [SAVE, BY_RULES]


async def test_under_the_supervisor_a_model_picks_and_preconditions_hold(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    offered: list[set[str]] = []

    def answer(request: dict[str, Any]) -> Answer:
        if not request.get("tools"):
            return answers.value(READ)
        offered.append({tool["function"]["name"] for tool in request["tools"]})
        eager = ("heavy_hitter_issue", "react_to_new_issue_by_model", "save_new_issue")
        return answers.tool_calls(**{name: {} for name in eager})

    stub_models.answering = answer

    process = await towards_an_assessment("supervisor", stub_ai)

    assert process.status is Status.COMPLETED
    work = [name for name in ran(process) if name.startswith("triage.")]
    assert work == [SAVE, BY_MODEL]
    assert judged(process).urgency == READ["urgency"]
    assert all("heavy_hitter_issue" not in names for names in offered)
    assert "react_to_new_issue_by_model" not in offered[0]
