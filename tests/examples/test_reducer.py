"""A reducer: gather what a signal is about, sum it up, and leave alone what is not worth it.

Under the hybrid planner the process does what is worth most, one action after the other, and
ends as soon as its goal holds: what nets less than nothing is never run.
"""

from dataclasses import dataclass

from reactor import (
    Package,
    Platform,
    Process,
    Status,
    UtilityInvocation,
    achieves_goal,
    action,
    component,
)


@dataclass(frozen=True)
class Signal:
    topic: str


@dataclass(frozen=True)
class News:
    headline: str


@dataclass(frozen=True)
class Profile:
    name: str


@dataclass(frozen=True)
class Assessment:
    score: float


@dataclass(frozen=True)
class AttentionCandidate:
    topic: str
    score: float


@component
class Reducer:
    @action(cost=0.1, value=0.9)
    def search_news(self, signal: Signal) -> News:
        return News(f"{signal.topic} grows")

    @action(cost=0.2, value=0.9)
    def look_up_profile(self, signal: Signal) -> Profile:
        return Profile(signal.topic)

    @action(cost=0.3, value=0.9)
    def ask_archive(self, signal: Signal) -> None:
        """Research that comes to nothing is no failure."""

    @action(cost=0.1, value=0.3)
    def assess(self, signal: Signal, news: News | None, profile: Profile | None) -> Assessment:
        return Assessment(0.4 * (news is not None) + 0.4 * (profile is not None))

    @achieves_goal("It is known whether the signal deserves attention.")
    @action(cost=0.1, value=0.35)
    def wrap_up(self, signal: Signal, assessment: Assessment) -> AttentionCandidate:
        return AttentionCandidate(signal.topic, assessment.score)

    @action(cost=0.9, value=0.1)
    def commission_study(self, signal: Signal) -> None:
        """Far too dear."""


def run(planner: str) -> Process:
    platform = Platform(packages=[Package(name="radar", components=(Reducer,))])
    invocation = UtilityInvocation.on(platform).with_planner(planner).terminate_when_stuck()
    return invocation.run(Signal("solar"))


def steps(process: Process) -> list[str]:
    return [run.action.removeprefix("reducer.") for run in process.history]


def test_research_comes_first_then_the_sum_and_nothing_after_the_goal() -> None:
    process = run("hybrid")

    assert steps(process) == ["search_news", "look_up_profile", "ask_archive", "assess", "wrap_up"]
    assert process.status is Status.COMPLETED
    assert process.head.goal == "reducer.wrap_up"
    assert process.board.last(AttentionCandidate) == AttentionCandidate("solar", 0.8)


def test_the_leftover_was_on_offer_all_the_time_and_netted_less_than_nothing() -> None:
    process = run("hybrid")

    for decision in process.decisions:
        candidates = {found["action"]: found["net_value"] for found in decision["candidates"]}  # type: ignore[attr-defined]  # see TickData
        assert candidates["reducer.commission_study"] == -0.8


def test_under_utility_the_leftover_is_run_as_well() -> None:
    process = run("utility")

    assert steps(process)[-1] == "commission_study"
