"""The runner over a real Redis ends as it does in memory, crashes or not."""

from dataclasses import dataclass, replace

import pytest
from redis.asyncio import Redis

from reactor import Answer as Answer_
from reactor import (
    Effect,
    Package,
    Platform,
    ProcessHead,
    Runner,
    Start,
    Status,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.ports import Boards, Commit, Lease, Stored
from reactor.runner import commit_every_tick
from reactor.weighing import in_full

pytestmark = pytest.mark.redis


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Answer:
    text: str


class PostComment(Effect):
    text: str


@component(effects=(PostComment,))
class Team:
    @action(value=0.9, output="reply")
    async def answer(self, issue: Issue) -> Answer:
        return Answer(issue.title)

    @action(pre=["reply.text == 'why'"], value=0.5)
    async def comment(self, answer: Answer) -> PostComment:
        return PostComment(text=answer.text)

    @action(value=0.1)
    async def break_down(self, answer: Answer) -> bool:
        raise ValueError("never works")


START = Start(
    process_id="p-1",
    delivery="github.com/d-1",
    reaction="triage",
    subject="github.com/1#7",
    facts=[("event", Issue("why"))],
    host="github.com",
    cause="c-1",
)


class Crash(Exception):
    """The worker died."""


class CrashingBoards(RedisBoards):
    """Redis, where the answer to one commit is lost."""

    crash_at = 0

    async def commit(self, lease: Lease, commit: Commit) -> None:
        await super().commit(lease, commit)
        self.crash_at -= 1
        if self.crash_at == 0:
            raise Crash


def platform() -> Platform:
    return Platform(packages=[Package(name="team", components=(Team,))])


async def run(boards: Boards, installed: Platform, owner: str) -> Stored:
    runner = Runner(
        platform=installed,
        boards=boards,
        clock=ManualClock(),
        owner=owner,
        must_commit=commit_every_tick,
    )
    await runner.run(START)
    stored = await boards.read("p-1")
    assert stored is not None
    return stored


@pytest.mark.parametrize("crash_at", [1, 2, 3, 4, 0])
async def test_a_process_ends_the_same_in_redis_after_a_crash_as_in_memory(
    redis_client: Redis, redis_prefix: str, crash_at: int
) -> None:
    installed = platform()
    codec = Codec(installed.catalog)
    in_memory = MemoryBoards(codec, ManualClock())
    in_redis = RedisBoards(redis_client, codec, prefix=redis_prefix)
    expected = await run(in_memory, installed, "worker-1")

    if crash_at:
        crashing = CrashingBoards(redis_client, codec, prefix=redis_prefix)
        crashing.crash_at = crash_at
        with pytest.raises(Crash):
            await run(crashing, installed, "worker-1")
    found = await run(in_redis, installed, "worker-2")

    assert found.head == expected.head
    assert found.changes == expected.changes
    assert found.history == expected.history
    assert found.effects == expected.effects
    assert list(in_full(await in_redis.journal("p-1"))) == list(
        in_full(await in_memory.journal("p-1"))
    )


@component
class Judge:
    @action(value=0.9)
    async def ask(self, issue: Issue) -> Answer:
        return wait_for.form(Answer, title=f"What about {issue.title}?", text="Be frank.")

    @action(value=0.5)
    async def act(self, answer: Answer) -> bool:
        return answer.text == "fine"


class House:
    """Two ways to store the same process, and a new worker for whatever comes."""

    def __init__(self, boards: Boards, installed: Platform) -> None:
        self.boards, self.installed, self.workers = boards, installed, 0

    async def run(self, start: Start) -> ProcessHead:
        self.workers += 1
        runner = Runner(
            platform=self.installed,
            boards=self.boards,
            clock=ManualClock(),
            owner=f"worker-{self.workers}",
        )
        return (await runner.run(start)).head

    async def play(self) -> list[ProcessHead]:
        waiting = await self.run(START)
        answer = Answer_(id="a-1", form_id=waiting.forms[0].id, by="ann", value={"text": "fine"})
        told = replace(START, answer=answer)
        paused = await self.run(replace(START, wish="pause"))
        heard = await self.run(told)
        again = await self.run(told)
        resumed = await self.run(replace(START, wish="resume"))
        killed = await self.run(replace(START, wish="kill"))
        return [waiting, paused, heard, again, resumed, killed]


async def test_a_process_waits_rests_and_ends_in_redis_as_in_memory(
    redis_client: Redis, redis_prefix: str
) -> None:
    installed = Platform(packages=[Package(name="team", components=(Judge,))])
    codec = Codec(installed.catalog)
    in_memory = House(MemoryBoards(codec, ManualClock()), installed)
    in_redis = House(RedisBoards(redis_client, codec, prefix=redis_prefix), installed)

    expected, found = await in_memory.play(), await in_redis.play()

    assert [head.status for head in expected] == [
        Status.WAITING,
        Status.PAUSED,
        Status.PAUSED,
        Status.PAUSED,
        Status.STUCK,
        Status.KILLED,
    ]
    assert found == expected
    stored = await in_redis.boards.read("p-1")
    assert stored is not None
    assert [run.outcome for run in stored.history] == ["waiting", "answered", "done"]
    assert await in_redis.boards.journal("p-1") == await in_memory.boards.journal("p-1")
