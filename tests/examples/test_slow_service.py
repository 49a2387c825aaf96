"""Why is the service slow?  An API that is away is planned around, and nothing is done twice.

The deployments' API answers 503.  The action is tried again, as 5xx may pass, then left out; the
plan goes through the logs, and the metrics that were collected before are not collected again.
"""

from dataclasses import dataclass
from typing import Protocol

import pytest

from reactor import (
    AgentInvocation,
    Package,
    Platform,
    Process,
    RetryPolicy,
    Status,
    achieves_goal,
    action,
    agent,
)


@dataclass(frozen=True)
class Complaint:
    service: str


@dataclass(frozen=True)
class MetricsSnapshot:
    p99_ms: float
    since: int  # hour


@dataclass(frozen=True)
class DeployEvidence:
    version: str
    source: str


@dataclass(frozen=True)
class Diagnosis:
    text: str


@dataclass(frozen=True)
class Answer:
    text: str


class ServiceUnavailable(Exception):
    status_code = 503  # the engine knows a client's errors by this


class DeployApi(Protocol):
    def before(self, hour: int) -> str:
        """The version that was deployed last before that hour."""
        ...


AT_ONCE = RetryPolicy(attempts=2, first_delay_s=0.0)


@agent("Says why a service is slow.")
class SlowServiceAgent:
    def __init__(self, deploys: DeployApi) -> None:
        self._deploys = deploys

    @action(cost=0.12)
    def collect_metrics(self, complaint: Complaint) -> MetricsSnapshot:
        return MetricsSnapshot(p99_ms=2300.0, since=14)

    @action(cost=0.14, retry=AT_ONCE)
    def query_recent_deploy(self, metrics: MetricsSnapshot) -> DeployEvidence:
        """Which version came before the service grew slow."""
        return DeployEvidence(self._deploys.before(metrics.since), "api")

    @action(cost=0.3)
    def query_log_for_deploy(self, metrics: MetricsSnapshot) -> DeployEvidence:
        """The same, from what the service itself has logged."""
        return DeployEvidence("v41", "log")

    @action(cost=0.16)
    def analyse_correlation(self, metrics: MetricsSnapshot, deploy: DeployEvidence) -> Diagnosis:
        return Diagnosis(f"{metrics.p99_ms:g} ms since {deploy.version}")

    @achieves_goal("It is known why.")
    @action(cost=0.1)
    def answer(self, diagnosis: Diagnosis) -> Answer:
        return Answer(diagnosis.text)


class Api:
    def __init__(self, *, is_up: bool) -> None:
        self.asked = 0
        self._is_up = is_up

    def before(self, hour: int) -> str:
        self.asked += 1
        if not self._is_up:
            raise ServiceUnavailable("try later")
        return "v42"


def run(api: Api) -> Process:
    package = Package(name="slow", components=(SlowServiceAgent,))
    platform = Platform(packages=[package], services={DeployApi: api})
    return AgentInvocation.on(platform).returning(Answer).run(Complaint("checkout"))


def steps(process: Process) -> list[str]:
    return [run.action.removeprefix("slow_service.") for run in process.history]


def test_the_api_is_asked_where_it_answers() -> None:
    process = run(Api(is_up=True))

    assert steps(process) == [
        "collect_metrics",
        "query_recent_deploy",
        "analyse_correlation",
        "answer",
    ]
    assert process.decisions[0]["net_value"] == pytest.approx(-0.52)


def test_an_api_that_is_away_is_planned_around() -> None:
    api = Api(is_up=False)

    process = run(api)

    assert steps(process) == [
        "collect_metrics",
        "query_recent_deploy",
        "query_log_for_deploy",
        "analyse_correlation",
        "answer",
    ]
    assert (process.history[1].outcome, process.history[1].attempts) == ("failed", 2)
    assert api.asked == 2
    assert process.status is Status.COMPLETED
    assert process.board.last(Answer) == Answer("2300 ms since v41")


def test_the_way_through_the_logs_would_have_cost_more() -> None:
    process = run(Api(is_up=False))

    # 0.68 for the whole of it, of which collecting metrics, 0.12, was spent before
    assert process.decisions[2]["net_value"] == pytest.approx(0.12 - 0.68)


def test_metrics_are_not_collected_again() -> None:
    process = run(Api(is_up=False))

    assert steps(process).count("collect_metrics") == 1
