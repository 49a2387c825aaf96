"""A process that is about to be stuck may be helped, so and so often."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from reactor import (
    ActionContext,
    InfrastructureError,
    Platform,
    Process,
    ProcessOptions,
    Status,
    UtilityInvocation,
    action,
    component,
)

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]


@dataclass(frozen=True)
class Clue:
    number: int


@dataclass(frozen=True)
class Report:
    number: int


@component
class Team:
    @action(trigger=Clue, can_rerun=True)
    async def look_into(self, clue: Clue) -> Report:
        return Report(clue.number)


@dataclass
class Helper:
    """Adds a clue each time, and says whether that helps."""

    helps: bool = True
    asked: int = 0
    seen: list[int] = field(default_factory=list)

    async def rescue(self, context: ActionContext) -> bool:
        self.asked += 1
        self.seen.append(len(context.board.all(Report)))
        context.add(Clue(self.asked))
        context.add_usage("tokens", 10)
        return self.helps


async def run(platform: Platform, options: ProcessOptions) -> Process:
    return await UtilityInvocation.on(platform).with_process_options(options).run_async()


async def test_the_facts_of_a_handler_let_a_process_go_on(
    platform_of: PlatformOf, ran: Ran
) -> None:
    helper = Helper()

    process = await run(platform_of(Team), ProcessOptions(on_stuck=helper, max_rescues=2))

    assert ran(process) == ["look_into", "look_into"]
    assert process.board.all(Report) == [Report(1), Report(2)]
    assert helper.seen == [0, 1]
    assert process.status is Status.STUCK
    assert process.head.rescues == 2
    assert process.head.usage == {"tokens": 20}
    kinds = [record.kind for record in process.journal]
    assert kinds == ["seeded", "rescued", "tick", "rescued", "tick", "ended"]


async def test_a_handler_that_changes_nothing_is_not_asked_for_ever(
    platform_of: PlatformOf,
) -> None:
    class Hopeful(Helper):
        async def rescue(self, context: ActionContext) -> bool:
            self.asked += 1
            return True

    helper = Hopeful()

    process = await run(platform_of(Team), ProcessOptions(on_stuck=helper))

    assert (process.status, helper.asked) == (Status.STUCK, 3)


async def test_what_a_handler_wrote_counts_only_if_it_says_so(platform_of: PlatformOf) -> None:
    helper = Helper(helps=False)

    process = await run(platform_of(Team), ProcessOptions(on_stuck=helper))

    assert process.status is Status.STUCK
    assert not process.board.has(Clue)
    assert helper.asked == 1


@pytest.mark.parametrize("error", [ValueError("no idea"), TimeoutError()])
async def test_a_handler_that_fails_leaves_the_process_stuck(
    platform_of: PlatformOf, error: Exception
) -> None:
    class Broken(Helper):
        async def rescue(self, context: ActionContext) -> bool:
            raise error

    process = await run(platform_of(Team), ProcessOptions(on_stuck=Broken()))

    assert process.status is Status.STUCK
    assert process.head.failure == ""


async def test_what_can_not_be_kept_is_no_help(platform_of: PlatformOf) -> None:
    class Sloppy(Helper):
        async def rescue(self, context: ActionContext) -> bool:
            context.add(object())
            return True

    process = await run(platform_of(Team), ProcessOptions(on_stuck=Sloppy()))

    assert process.status is Status.STUCK
    assert process.board.entries == ()


async def test_trouble_with_a_server_in_a_handler_is_waited_out(platform_of: PlatformOf) -> None:
    class Away(Helper):
        async def rescue(self, context: ActionContext) -> bool:
            raise InfrastructureError("redis", "a moment")

    with pytest.raises(InfrastructureError):
        await run(platform_of(Team), ProcessOptions(on_stuck=Away()))


async def test_being_stuck_may_be_the_normal_end_and_then_nobody_helps(
    platform_of: PlatformOf,
) -> None:
    helper = Helper()
    options = ProcessOptions(on_stuck=helper, terminate_when_stuck=True)

    process = await run(platform_of(Team), options)

    assert (process.status, helper.asked) == (Status.TERMINATED, 0)
