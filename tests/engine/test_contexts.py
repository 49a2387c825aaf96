"""Facts that outlive a process: later ones begin with them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pytest

from reactor import (
    ActionContext,
    Platform,
    Process,
    ProcessOptions,
    RetryPolicy,
    Runner,
    Start,
    Status,
    UtilityInvocation,
    action,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.codec import Codec
from reactor.encoded import Encoded
from reactor.errors import InfrastructureError
from reactor.ports import Contexts
from reactor.reaction import Reaction

PlatformOf = Callable[..., Platform]
REPOSITORY = ProcessOptions(context_id="github.com/1296269")


@dataclass(frozen=True)
class Visitor:
    login: str


@dataclass(frozen=True)
class Mood:
    name: str


@component
class Host:
    """Remembers the mood of the last visitor."""

    @action(value=0.9)
    async def remember(self, visitor: Visitor, context: ActionContext) -> None:
        await context.save(Mood(f"as {visitor.login} is"))

    @action(value=0.5)
    async def recall(self, mood: Mood, context: ActionContext) -> str:
        return mood.name


class Away(MemoryContexts):
    """Contexts on a server that does not answer, if told so."""

    is_down = False

    async def save(self, context_id: str, facts: Mapping[str, Encoded]) -> None:
        if self.is_down:
            raise InfrastructureError("redis", "it is switched off")
        await super().save(context_id, facts)


@pytest.fixture
def contexts() -> Away:
    return Away()


@pytest.fixture
def platform(platform_of: PlatformOf, contexts: Away) -> Platform:
    return platform_of(Host, services={Contexts: contexts})


async def visit(platform: Platform, login: str, options: ProcessOptions = REPOSITORY) -> Process:
    invocation = UtilityInvocation.on(platform).with_process_options(options)
    return await invocation.run_async(Visitor(login))


def outcomes(process: Process) -> dict[str, str]:
    return {run.action.partition(".")[2]: run.outcome for run in process.history}


async def test_what_one_process_saved_the_next_one_begins_with(platform: Platform) -> None:
    first = await visit(platform, "ann")
    second = await visit(platform, "bob")

    assert "recall" not in outcomes(first)
    assert outcomes(second)["recall"] == "done"
    assert [entry.value for entry in second.board.entries][:2] == [
        Mood("as ann is"),
        Visitor("bob"),
    ]


async def test_the_newest_of_one_name_is_kept(platform: Platform, contexts: Away) -> None:
    for login in ("ann", "bob"):
        await visit(platform, login)

    kept = await contexts.load("github.com/1296269")
    assert platform.catalog.decode(*kept["mood"]) == Mood("as bob is")


async def test_another_context_knows_nothing_of_it(platform: Platform) -> None:
    await visit(platform, "ann")

    elsewhere = await visit(platform, "bob", ProcessOptions(context_id="github.com/7"))

    assert "recall" not in outcomes(elsewhere)


async def test_without_a_context_saving_fails_and_says_what_to_set(platform: Platform) -> None:
    process = await visit(platform, "ann", ProcessOptions())

    (run,) = [run for run in process.history if run.action == "host.remember"]
    assert run.outcome == "failed"
    assert run.permanent
    assert "set `context_id`" in run.error


async def test_what_can_not_be_kept_is_a_failure_of_the_action(
    platform_of: PlatformOf, contexts: Away
) -> None:
    @component
    class Careless:
        @action(retry=RetryPolicy(attempts=1))
        async def remember(self, visitor: Visitor, context: ActionContext) -> None:
            await context.save(object())

    platform = platform_of(Careless, services={Contexts: contexts})

    process = await visit(platform, "ann")

    assert process.status is Status.FAILED
    assert "not in the catalog" in process.head.failure
    assert await contexts.load("github.com/1296269") == {}


async def test_while_the_server_is_away_nothing_is_taken_for_a_failure(
    platform: Platform, contexts: Away
) -> None:
    contexts.is_down = True

    with pytest.raises(InfrastructureError):
        await visit(platform, "ann")


async def test_a_runner_recalls_once_also_when_the_process_goes_on_later(
    platform: Platform, clock: ManualClock
) -> None:
    boards = MemoryBoards(Codec(platform.catalog), clock)
    runner = Runner(platform=platform, boards=boards, clock=clock, owner="w")
    start = Start(
        process_id="p-1",
        delivery="github.com/d-1",
        reaction="host",
        subject="github.com/1296269#7",
        facts=[("it", Visitor("ann"))],
        options=REPOSITORY,
    )
    await visit(platform, "zoe")
    await runner.run(start)
    await visit(platform, "bob")

    await runner.run(replace(start, wake=True))

    stored = await boards.read("p-1")
    assert stored is not None
    moods = [c for c in stored.changes if "Mood" in repr(c)]
    assert len(moods) == 1


def test_a_reaction_names_the_context_by_what_it_is_about() -> None:
    contexts = {
        kind: Reaction(name="r", on=("*",), context=kind)
        .process_options(subject="github.com/1296269#7")
        .context_id
        for kind in ("subject", "repository", None)
    }

    assert contexts == {
        "subject": "github.com/1296269#7",
        "repository": "github.com/1296269",
        None: None,
    }
