"""Failures: what is tried again, what is planned around, what is barred, what ends a process."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from reactor import (
    ActionContext,
    InfrastructureError,
    PassingError,
    Platform,
    Process,
    ProcessOptions,
    RetryPolicy,
    Status,
    UtilityInvocation,
    action,
    component,
)
from reactor.failure import http_status, in_one_line, kind_of
from reactor.history import History
from reactor.status import Run
from reactor.weighing import in_full

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]

AT_ONCE = RetryPolicy(attempts=3, first_delay_s=0.0)


@dataclass(frozen=True)
class Metrics: ...


@dataclass(frozen=True)
class Evidence:
    source: str


class HttpError(Exception):
    """As clients raise them: with the status as an attribute."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


async def test_a_passing_error_is_tried_again(platform_of: PlatformOf) -> None:
    tries: list[int] = []

    @component
    class Team:
        @action(retry=AT_ONCE)
        async def fetch(self) -> Metrics:
            tries.append(1)
            if len(tries) < 3:
                raise ConnectionError("reset")
            return Metrics()

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert [(run.outcome, run.attempts) for run in process.history] == [("done", 3)]
    assert process.board.has(Metrics)


async def test_what_is_not_idempotent_is_not_repeated_unless_it_says_so(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action(idempotent=False)
        async def pay(self) -> Metrics:
            raise ConnectionError("reset")

        @action(idempotent=False, retry=AT_ONCE)
        async def pay_with_key(self) -> Evidence:
            raise ConnectionError("reset")

    options = ProcessOptions(max_failures=1)
    invocation = UtilityInvocation.on(platform_of(Team)).with_process_options(options)

    process = await invocation.run_async()

    assert {run.action: run.attempts for run in process.history} == {
        "team.pay": 1,
        "team.pay_with_key": 3,
    }


async def test_a_failed_action_is_planned_around_and_its_inputs_are_not_made_again(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Operations:
        @action(value=0.9)
        async def collect_metrics(self) -> Metrics:
            return Metrics()

        @action(value=0.8, retry=AT_ONCE)
        async def query_deploy(self, metrics: Metrics) -> Evidence:
            raise HttpError(503)

        @action(value=0.3)
        async def query_log(self, metrics: Metrics) -> Evidence:
            return Evidence("log")

    process = await UtilityInvocation.on(platform_of(Operations)).run_async()

    assert ran(process) == ["collect_metrics", "query_deploy", "query_log"]
    assert process.status is Status.STUCK
    assert process.board.last(Evidence) == Evidence("log")
    not_runnable: Any = process.decisions[2]["not_runnable"]
    left_out = next(e for e in not_runnable if e["action"] == "operations.query_deploy")["unmet"]
    assert left_out == [
        {
            "condition": "excluded(operations.query_deploy)",
            "needs": "false",
            "is": "true",
            "reason": "left out, as it has just failed: HttpError: HTTP 503",
        }
    ]


async def test_a_failed_action_sits_out_one_planning_only(
    platform_of: PlatformOf, ran: Ran
) -> None:
    tries: list[int] = []

    @component
    class Team:
        @action(value=0.9)
        async def straight(self) -> Metrics:
            tries.append(1)
            if len(tries) == 1:
                raise RuntimeError("hiccup")
            return Metrics()

        @action(value=0.5)
        async def detour(self) -> None: ...

        @action(value=0.4)
        async def later(self) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert ran(process) == ["straight", "detour", "straight", "later"]


async def test_where_nothing_else_is_left_it_is_tried_once_more_until_it_is_barred(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action
        async def shaky(self) -> Metrics:
            raise RuntimeError("again")

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert ran(process) == ["shaky", "shaky", "shaky"]
    assert process.status is Status.FAILED
    assert process.head.failure == "team.shaky: RuntimeError: again"
    told: Any = list(in_full(process.journal))[-1].data["not_runnable"]
    assert told[0]["unmet"][0]["reason"] == (
        "barred, as it has failed 3 times; last: RuntimeError: again"
    )


async def test_an_error_that_can_not_pass_bars_at_once(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @action(value=0.9, retry=AT_ONCE)
        async def wrong(self) -> Metrics:
            raise ValueError("never right")

        @action(value=0.1)
        async def other(self) -> None: ...

    process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert ran(process) == ["wrong", "other"]
    assert process.history[0].attempts == 1
    assert process.status is Status.FAILED
    assert process.head.failure == "team.wrong: ValueError: never right"


async def test_a_failure_that_another_action_made_up_for_is_no_failure_of_the_process(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action(value=0.9)
        async def first_choice(self) -> Evidence:
            raise ValueError("no")

        @action(value=0.1)
        async def second_choice(self) -> Evidence:
            return Evidence("second")

    process = await UtilityInvocation.on(platform_of(Team)).terminate_when_stuck().run_async()

    assert process.status is Status.TERMINATED
    assert process.head.failure == ""


async def test_failures_can_end_a_process_at_once(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @action(value=0.9)
        async def fails(self) -> Metrics:
            raise RuntimeError("no")

        @action
        async def other(self) -> None: ...

    options = ProcessOptions(on_failure="stop")
    invocation = UtilityInvocation.on(platform_of(Team)).with_process_options(options)

    process = await invocation.run_async()

    assert ran(process) == ["fails"]
    assert process.status is Status.FAILED


async def test_what_a_failed_action_had_written_stays(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action(retry=AT_ONCE)
        async def write(self, context: ActionContext) -> Metrics:
            context.add(Evidence("half done"))
            raise PassingError("lost the connection")

    options = ProcessOptions(max_failures=1)
    platform = platform_of(Team, types=(Evidence,))
    invocation = UtilityInvocation.on(platform).with_process_options(options)

    process = await invocation.run_async()

    assert process.history[0].attempts == 3
    assert process.board.all(Evidence) == [Evidence("half done")]  # of the last try, once


async def test_trouble_with_a_server_is_no_failure_of_the_action(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action(retry=AT_ONCE)
        async def claim(self) -> Metrics:
            raise InfrastructureError("redis", "refused the connection")

    with pytest.raises(InfrastructureError):
        await UtilityInvocation.on(platform_of(Team)).run_async()


def chained(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


class Response:
    status_code = 502


class WithResponse(Exception):
    response = Response()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConnectionResetError(), "passing"),
        (TimeoutError(), "passing"),
        (PassingError(), "passing"),
        (HttpError(429), "passing"),
        (HttpError(500), "passing"),
        (HttpError(404), "permanent"),
        (WithResponse(), "passing"),
        (chained(Exception("client"), OSError()), "unclear"),
        (chained(Exception("client"), ConnectionRefusedError()), "passing"),
        (chained(ValueError("client"), ConnectionRefusedError()), "permanent"),
        (TypeError(), "permanent"),
        (KeyError(), "permanent"),
        (AssertionError(), "permanent"),
        (NotImplementedError(), "permanent"),
        (RuntimeError(), "unclear"),
        (OSError(), "unclear"),
    ],
)
def test_errors_are_sorted_by_whether_they_can_pass(error: Exception, kind: str) -> None:
    assert kind_of(error) == kind


def test_a_policy_may_name_further_errors_that_can_pass() -> None:
    assert kind_of(KeyError(), passing=(KeyError,)) == "passing"


def test_a_status_that_is_no_http_error_says_nothing() -> None:
    odd = HttpError(200)

    assert http_status(odd) is None
    assert kind_of(odd) == "unclear"


def test_an_error_is_told_on_one_line_of_bounded_length() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert in_one_line(ValueError("two\nlines")) == "ValueError: two lines"
    assert len(in_one_line(ValueError("x" * 10_000))) == 500
    assert in_one_line(Silent()) == "Silent: (its message could not be made)"


def test_a_cause_that_causes_itself_does_not_go_round_forever() -> None:
    one, two = Exception("one"), Exception("two")
    one.__cause__, two.__cause__ = two, one

    assert kind_of(one) == "unclear"


def test_what_follows_from_a_history_follows_from_its_runs_alone(clock: Any) -> None:
    def run(action: str, outcome: Any, *, epoch: int = 0, consumed: int = 0) -> Run:
        return Run(
            action=action,
            started_at=clock.now(),
            duration_s=0.0,
            outcome=outcome,
            error="E: x" if outcome == "failed" else "",
            epoch=epoch,
            consumed=consumed,
        )

    history = History(
        [
            run("a", "done", consumed=4),
            run("b", "failed"),
            run("c", "nothing"),
            run("d", "done", epoch=1),
            run("b", "failed"),
        ]
    )

    assert history.ran(0) == {"a", "c"}
    assert history.ran(1) == {"d"}
    assert history.has_consumed("a", 4)
    assert not history.has_consumed("b", 0)
    assert list(history.left_out) == ["b"]
    assert list(history.barred(2)) == ["b"]
    assert history.barred(3) == {}
