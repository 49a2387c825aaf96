"""Market research: the same actions under GOAP and under utility, without a change to them.

GOAP plans from the report backwards and does nothing else.  Utility does whatever is worth most
at each moment, and arrives at the same report.
"""

from dataclasses import dataclass

import pytest

from reactor import (
    AgentInvocation,
    Package,
    Platform,
    Status,
    UtilityInvocation,
    achieves_goal,
    action,
    component,
)


@dataclass(frozen=True)
class MarketDataRequest:
    topic: str


@dataclass(frozen=True)
class CompetitorAnalysisRequest:
    topic: str


@dataclass(frozen=True)
class ReportRequest:
    title: str


@dataclass(frozen=True)
class MarketData:
    revenues: tuple[int, ...]
    market_share: float


@dataclass(frozen=True)
class CompetitorAnalysis:
    strengths: tuple[str, ...]


@dataclass(frozen=True)
class FinalReport:
    title: str
    sections: tuple[str, ...]


@component
class MarketResearch:
    @action(cost=0.2, value=0.5)
    def gather_market_data(self, request: MarketDataRequest) -> MarketData:
        return MarketData(revenues=(10, 12), market_share=0.3)

    @action(cost=0.2, value=0.4)
    def analyze_competitors(self, request: CompetitorAnalysisRequest) -> CompetitorAnalysis:
        return CompetitorAnalysis(strengths=("price",))

    @action(cost=0.1, value=0.2)
    def archive_request(self, request: ReportRequest) -> None:
        """Useful, but no part of a report."""

    @achieves_goal("A report is there.", value=0.8)
    @action(cost=0.3, value=0.3)
    def compile_report(
        self, request: ReportRequest, market: MarketData, competitors: CompetitorAnalysis
    ) -> FinalReport:
        return FinalReport(
            request.title,
            (f"share {market.market_share:g}", f"they win by {', '.join(competitors.strengths)}"),
        )


PLATFORM = Platform(packages=[Package(name="research", components=(MarketResearch,))])
REQUESTS = (MarketDataRequest("tea"), CompetitorAnalysisRequest("tea"), ReportRequest("Tea"))
REPORT = FinalReport("Tea", ("share 0.3", "they win by price"))


def test_goap_does_what_the_report_needs_and_nothing_else() -> None:
    process = AgentInvocation.on(PLATFORM).returning(FinalReport).run(*REQUESTS)

    steps = [run.action.partition(".")[2] for run in process.history]
    assert sorted(steps[:2]) == ["analyze_competitors", "gather_market_data"]
    assert steps[2:] == ["compile_report"]
    assert process.board.last(FinalReport) == REPORT


def test_utility_does_everything_worth_doing_and_arrives_at_the_same_report() -> None:
    process = UtilityInvocation.on(PLATFORM).run(*REQUESTS)

    steps = [run.action.partition(".")[2] for run in process.history]
    assert steps[:2] == ["gather_market_data", "analyze_competitors"]
    assert sorted(steps[2:]) == ["archive_request", "compile_report"]
    assert process.status is Status.COMPLETED
    assert process.board.last(FinalReport) == REPORT


@pytest.mark.parametrize("missing", range(len(REQUESTS)))
def test_without_one_of_the_requests_there_is_no_report(missing: int) -> None:
    requests = [request for number, request in enumerate(REQUESTS) if number != missing]

    process = AgentInvocation.on(PLATFORM).returning(FinalReport).run(*requests)

    assert process.status is Status.STUCK
    assert process.history == ()
