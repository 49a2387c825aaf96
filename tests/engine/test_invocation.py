"""Running something once, in memory."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from reactor import (
    EmptyScope,
    Platform,
    ProcessOptions,
    Scope,
    UtilityInvocation,
    action,
    component,
)
from reactor.invocation import RunningLoop
from reactor.plan import UnknownPlanner

PlatformOf = Callable[..., Platform]


@dataclass(frozen=True)
class Issue:
    title: str


@component
class Team:
    @action
    def look(self, issue: Issue) -> None: ...


def test_an_invocation_runs_to_the_end_and_can_be_looked_at(platform_of: PlatformOf) -> None:
    invocation = (
        UtilityInvocation.on(platform_of(Team, name="house"))
        .with_scope(Scope.from_components("team"))
        .with_process_options(ProcessOptions(max_actions=3))
        .terminate_when_stuck()
    )

    process = invocation.run(Issue("x"))

    assert process.status.value == "TERMINATED"
    assert process.head.agent == "house"
    assert [tick["chosen"] for tick in process.decisions] == ["team.look"]
    assert process.board.last(Issue) == Issue("x")


def test_an_agent_name_can_be_given(platform_of: PlatformOf) -> None:
    process = UtilityInvocation.on(platform_of(Team)).with_agent_name("triage").run(Issue("x"))

    assert process.head.agent == "triage"


def test_each_step_of_the_chain_leaves_the_one_before_as_it_was(platform_of: PlatformOf) -> None:
    base = UtilityInvocation.on(platform_of(Team))

    base.terminate_when_stuck()

    assert base.run(Issue("x")).status.value == "STUCK"


async def test_run_in_async_code_says_what_to_write_instead(platform_of: PlatformOf) -> None:
    with pytest.raises(RunningLoop, match="run_async"):
        UtilityInvocation.on(platform_of(Team)).run(Issue("x"))


def test_a_scope_of_nothing_and_an_unknown_planner_are_errors(platform_of: PlatformOf) -> None:
    base = UtilityInvocation.on(platform_of(Team))

    with pytest.raises(EmptyScope, match=r"packages\(nobody\) selects no action.*: team"):
        base.with_scope(Scope.from_packages("nobody")).run()
    with pytest.raises(UnknownPlanner, match="there is no planner 'best'"):
        base.with_planner("best").run()


def test_the_machine_has_a_clock_where_nobody_provides_one() -> None:
    from reactor import Package

    platform = Platform(packages=[Package(name="team", components=(Team,))])

    process = UtilityInvocation.on(platform).run(Issue("x"))

    assert process.head.created_at.utcoffset() is not None
    assert process.head.created_at <= process.history[0].started_at <= process.head.updated_at
