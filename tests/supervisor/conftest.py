"""A market that is researched by whatever a model picks."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from reactor import Package, Platform, Start, achieves_goal, action, component, request_type
from reactor.ai import Ai


@request_type
@dataclass(frozen=True)
class MarketDataRequest:
    topic: str
    years: int = 1


@request_type
@dataclass(frozen=True)
class ReportRequest:
    title: str


@dataclass(frozen=True)
class Licence:
    holder: str


@dataclass(frozen=True)
class MarketData:
    topic: str


@dataclass(frozen=True)
class Secrets:
    text: str


@dataclass(frozen=True)
class FinalReport:
    title: str
    topics: tuple[str, ...]


@component(name="research")
class Research:
    @action(can_rerun=True, unique_output=False, description="Look for figures.")
    async def gather_market_data(self, request: MarketDataRequest) -> MarketData:
        return MarketData(f"{request.topic} {request.years}")

    @action(pre=["report_request.title != 'Nothing'"])
    async def read_secrets(self, licence: Licence, request: ReportRequest) -> Secrets:
        return Secrets(licence.holder)

    @achieves_goal("A report is there.")
    @action(pre=["report_request.title != 'Nothing'"])
    async def compile_report(self, request: ReportRequest, data: list[MarketData]) -> FinalReport:
        return FinalReport(request.title, tuple(each.topic for each in data))


PlatformOf = Callable[..., Platform]

START = Start(
    process_id="p-1",
    delivery="github.com/d-1",
    reaction="report",
    subject="github.com/1#7",
    facts=[("it", MarketDataRequest("tea"))],
    planner="supervisor",
)


@pytest.fixture
def platform_of() -> PlatformOf:
    """A platform of these components, or of the researchers, with the model."""

    def make(ai: Ai, *components: object) -> Platform:
        package = Package(name="team", components=components or (Research,))
        return Platform(packages=[package], services={Ai: ai})

    return make
