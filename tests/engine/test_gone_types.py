"""A package was replaced while a process waited: a type that its board holds is nobody's now."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from redis.asyncio import Redis

from reactor import (
    Answer,
    Confirmation,
    Platform,
    Runner,
    Start,
    Status,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.blackboard import Put, UnknownValue
from reactor.codec import Codec
from reactor.ports import Stored
from reactor.runner import Ran
from reactor.waiting import AnswerRefused

PlatformOf = Callable[..., Platform]

pytestmark = pytest.mark.redis


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Suspicion:
    """What the newer version has no more."""

    of: str


@dataclass(frozen=True)
class Verdict:
    by: str


@component(name="team")
class Older:
    @action(value=0.9)
    async def suspect(self, issue: Issue) -> Suspicion:
        return Suspicion(issue.title)

    @action(value=0.5)
    async def ask(self, suspicion: Suspicion) -> Confirmation:
        return wait_for.confirm(None, "Is it?")

    @action(value=0.4)
    async def judge(self, confirmation: Confirmation, suspicion: Suspicion) -> Verdict:
        return Verdict("the old way")


@component(name="team")
class Newer:
    @action(value=0.4)
    async def judge(self, confirmation: Confirmation) -> Verdict:
        return Verdict("the new way")


@component(name="team")
class Asking:
    @action(value=0.9)
    async def ask(self, issue: Issue) -> Suspicion:
        return wait_for.form(Suspicion, title="What is it?")


START = Start(
    process_id="p-1",
    delivery="github.com/d-1",
    reaction="triage",
    subject="github.com/1#7",
    facts=[("event", Issue("why"))],
)


class World:
    """One Redis, and the packages as they are installed."""

    def __init__(self, client: Redis, prefix: str, platform_of: PlatformOf) -> None:
        self._client, self._prefix, self._platform_of = client, prefix, platform_of

    def _boards(self, platform: Platform) -> RedisBoards:
        return RedisBoards(self._client, Codec(platform.catalog), prefix=self._prefix)

    async def run(self, installed: type, start: Start, *types: type) -> tuple[Ran, Stored]:
        platform = self._platform_of(installed, types=[Issue, *types])
        boards = self._boards(platform)
        with Runner(platform=platform, boards=boards, clock=ManualClock(), owner="w") as runner:
            ran = await runner.run(start)
        stored = await boards.read(start.process_id)
        assert stored is not None
        return ran, stored


@pytest.fixture
def world(redis_client: Redis, redis_prefix: str, platform_of: PlatformOf) -> World:
    return World(redis_client, redis_prefix, platform_of)


async def test_the_process_goes_on_without_it_and_it_is_kept_as_it_was(world: World) -> None:
    waiting, _ = await world.run(Older, START)
    assert waiting.head.status is Status.WAITING
    answer = Answer(id="a-1", form_id=waiting.head.forms[0].id, by="ann", approved=True)

    ran, stored = await world.run(Newer, replace(START, answer=answer))

    assert ran.head.status is Status.STUCK
    values = [change.entry.value for change in stored.changes if isinstance(change, Put)]
    assert values[-1] == Verdict("the new way")
    (unknown,) = [value for value in values if isinstance(value, UnknownValue)]
    assert unknown.type_name.endswith("Suspicion")
    assert "why" in unknown.raw


async def test_an_answer_of_such_a_type_is_refused_by_its_name_and_the_form_stays_open(
    world: World,
) -> None:
    waiting, _ = await world.run(Asking, START)
    answer = Answer(id="a-1", form_id=waiting.head.forms[0].id, by="ann", value={"of": "x"})

    with pytest.raises(AnswerRefused, match="Suspicion") as refused:
        await world.run(Newer, replace(START, answer=answer))

    assert refused.value.is_open
