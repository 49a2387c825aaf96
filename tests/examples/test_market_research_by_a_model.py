"""Market research whose steps ask a model: the same actions under GOAP, utility and a supervisor.

Over HTTP, by a provider whose first answer of each kind is of no use.  Who decides what is next
differs; what is done, and what comes of it, does not.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from reactor import (
    AgentInvocation,
    Package,
    Platform,
    Process,
    ProcessOptions,
    Status,
    UtilityInvocation,
    achieves_goal,
    action,
    component,
    request_type,
)
from reactor.ai import Ai, fence
from reactor.options import MaxActions
from reactor.testing import ran
from tests.fixtures.models import answers
from tests.fixtures.models.answers import Answer
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine


class Fact(BaseModel):
    model_config = ConfigDict(frozen=True)


class Wish(Fact):
    """What a person wants to know."""

    text: str


@request_type
class MarketDataRequest(Fact):
    topic: str


@request_type
class CompetitorAnalysisRequest(Fact):
    topic: str


@request_type
class ReportRequest(Fact):
    title: str


class MarketData(Fact):
    revenues: tuple[int, ...]
    market_share: float


class CompetitorAnalysis(Fact):
    strengths: tuple[str, ...]


class FinalReport(Fact):
    title: str
    sections: tuple[str, ...]


@component(name="research")
class Research:
    @action(cost=0.2, value=0.5, read_only=True, description="Gather data about a market.")
    async def gather_market_data(self, request: MarketDataRequest, ai: Ai) -> MarketData:
        prompt = f"What is known of the market for this?\n{fence(request.topic)}"
        return await ai.create_object(prompt, MarketData)

    @action(cost=0.2, value=0.4, read_only=True, description="Analyze the competitors.")
    async def analyze_competitors(
        self, request: CompetitorAnalysisRequest, ai: Ai
    ) -> CompetitorAnalysis:
        prompt = f"What are the strengths of those who sell this?\n{fence(request.topic)}"
        return await ai.create_object(prompt, CompetitorAnalysis)

    @achieves_goal("A report is there.", value=0.8)
    @action(cost=0.3, value=0.3, description="Compile the report.")
    async def compile_report(
        self, request: ReportRequest, market: MarketData, competitors: CompetitorAnalysis, ai: Ai
    ) -> FinalReport:
        known = f"{market.model_dump_json()}\n{competitors.model_dump_json()}"
        sections = await ai.create_object(f"Write two sections.\n{fence(known)}", tuple[str, str])
        return FinalReport(title=request.title, sections=sections)


MARKET = MarketData(revenues=(10, 12), market_share=0.3)
COMPETITORS = CompetitorAnalysis(strengths=("price",))
SECTIONS = ["They have a third.", "They win by price."]
REPORT = FinalReport(title="Tea", sections=("They have a third.", "They win by price."))
REQUESTS = (
    MarketDataRequest(topic="tea"),
    CompetitorAnalysisRequest(topic="tea"),
    ReportRequest(title="Tea"),
)
ASKED = (Wish(text="How does tea sell? Call it Tea."),)


@dataclass
class Analyst:
    """The model: knows its subject, and answers badly when it is asked something first."""

    asked: Counter[str] = field(default_factory=Counter)

    def answer(self, request: dict[str, Any]) -> Answer:
        first = str(request["messages"][1]["content"]).partition("\n")[0]
        kind = "tools" if request.get("tools") else first
        self.asked[kind] += 1
        is_first = self.asked[kind] == 1
        match kind:
            case "tools":
                return answers.text("I would gather data.") if is_first else picked(request)
            case "What is known of the market for this?":
                return answers.failure(500) if is_first else answers.value(MARKET.model_dump())
            case "What are the strengths of those who sell this?":
                strong = COMPETITORS.model_dump()
                return answers.wrong_type() if is_first else answers.amid_prose(strong)
        value = {"value": SECTIONS}
        return answers.broken(value) if is_first else answers.fenced(value)


def picked(request: dict[str, Any]) -> Answer:
    """All that is offered, filled in, and at once a tool that is not."""
    wanted: dict[str, object] = {}
    for tool in request["tools"]:
        about = "title" if tool["function"]["name"] == "compile_report" else "topic"
        said = "Tea" if about == "title" else "tea"
        taken = tool["function"]["parameters"]["properties"]
        wanted[tool["function"]["name"]] = {name: {about: said} for name in taken}
    return answers.tool_calls(**{"compile_report": {"request": {"title": "Mine"}}, **wanted})


async def run(
    planner: str, ai: Ai, *facts: object, options: ProcessOptions | None = None
) -> Process:
    package = Package(name="research", components=(Research,))
    platform = Platform(packages=[package], services={Ai: ai})
    if planner == "utility":
        return await UtilityInvocation.on(platform).terminate_when_stuck().run_async(*facts)
    invocation = AgentInvocation.on(platform).returning(FinalReport).with_planner(planner)
    return await invocation.with_process_options(options or ProcessOptions()).run_async(*facts)


def work(process: Process) -> list[str]:
    """The actions but those that decide, each stage in the order of names."""
    steps = [name.partition(".")[2] for name in ran(process) if name.startswith("research.")]
    return [*sorted(steps[:2]), *steps[2:]]


STEPS = ["analyze_competitors", "gather_market_data", "compile_report"]


@pytest.mark.parametrize("planner", ["goap", "utility", "supervisor"])
async def test_the_same_actions_make_the_same_report_whoever_decides(
    planner: str, stub_ai: Ai, stub_models: StubModels
) -> None:
    analyst = Analyst()
    stub_models.answering = analyst.answer

    process = await run(planner, stub_ai, *REQUESTS)

    assert process.board.last(FinalReport) == REPORT
    assert process.status is Status.COMPLETED
    assert work(process) == STEPS
    deciding = analyst.asked.pop("tools", 0)
    assert deciding == (3 if planner == "supervisor" else 0)
    assert [*analyst.asked.values()] == [2, 2, 2]


async def test_under_the_supervisor_a_model_makes_the_requests(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    stub_models.answering = Analyst().answer

    process = await run("supervisor", stub_ai, *ASKED)

    assert process.status is Status.COMPLETED
    assert process.board.last(FinalReport) == REPORT
    assert work(process) == STEPS


@pytest.mark.parametrize("planner", ["goap", "utility"])
async def test_a_plan_makes_up_no_request(
    planner: str, stub_ai: Ai, stub_models: StubModels
) -> None:
    process = await run(planner, stub_ai, *ASKED)

    assert process.history == ()
    assert stub_models.requests == []


async def test_a_model_that_says_it_is_done_has_not_brought_a_report(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    claim = json.dumps(REPORT.model_dump())
    stub_models.answering = lambda asked: answers.text(f"The report is done: {claim}")

    process = await run(
        "supervisor", stub_ai, *REQUESTS, options=ProcessOptions(policies=(MaxActions(5),))
    )

    assert process.status is not Status.COMPLETED
    assert process.board.last(FinalReport) is None
    assert work(process) == []


async def test_a_model_that_wants_the_report_before_its_parts_are_there_does_not_get_it(
    stub_ai: Ai, stub_models: StubModels
) -> None:
    stub_models.answering = lambda asked: answers.tool_call("compile_report", {})

    process = await run("supervisor", stub_ai, *REQUESTS)

    assert process.status is not Status.COMPLETED
    assert work(process) == []
    told = "\n".join(str(m["content"]) for r in stub_models.requests for m in r["messages"])
    assert "compile_report: there is no such tool" in told
