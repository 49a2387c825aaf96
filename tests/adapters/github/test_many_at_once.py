"""Five hundred changes at once: none is lost or made twice, and GitHub never says that it is enough.

Two workers on one Redis, the fake's limits and our pace a hundred times faster.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor import Effect, EffectRecord, Package, Platform, ProcessHead
from reactor.adapters.clock import SystemClock
from reactor.adapters.github.accounts import Account
from reactor.adapters.github.connection import Wire
from reactor.adapters.github.executor import GitHubExecutor
from reactor.adapters.github.installations import Installations, MemoryInstallations
from reactor.adapters.github.pacing import TurnTaker
from reactor.adapters.redis_ledger import RedisLedger
from reactor.adapters.redis_pace import RedisPace
from reactor.codec import Codec
from reactor.execution import Executor
from reactor.github import AddLabels, PostComment
from reactor.github.hosts import Login
from reactor.ledger import Caps
from reactor.pace import Rates
from reactor.sending import Sender
from reactor.trying import Tries
from tests.contract.samples import head as a_head
from tests.fixtures.github.fake import REPOSITORY, REPOSITORY_ID, TOKEN, FakeGitHub

pytestmark = [pytest.mark.long, pytest.mark.redis, pytest.mark.timeout(240)]

ISSUES = range(1, 501)
ASKING = 501  # an issue where a person asks for something meanwhile
FASTER = 100
PLENTY = Caps(per_event=9999, per_day=9999, per_subject=9999, window=timedelta(minutes=10))
AT_ONCE = 8  # of one worker
ASKED = "asked for"  # begins the keys of what a person asked for


@dataclass
class Workers:
    """What they share, and their senders."""

    fake: FakeGitHub
    redis: Redis
    prefix: str
    clock: SystemClock
    senders: list[Sender]

    async def wish(self, number: int, effect: Effect, key: str) -> None:
        """Of a process of some worker."""
        subject = f"github.com/{REPOSITORY_ID}#{number}"
        wished = EffectRecord(
            key=key,
            effect=effect,
            subject=subject,
            action="triage.label",
            mode="live",
            state="intended",
        )
        sender = self.senders[number % len(self.senders)]
        await sender.take(_head(number), [wished])

    def written(self, *, at: str) -> int:
        """How many requests for a change there were, whose path ends with this."""
        return sum(each.path.endswith(at) for each in self.fake.writes())

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():  # noqa: ASYNC110 - a server in threads tells nobody
            await asyncio.sleep(0.02)


def _head(number: int) -> ProcessHead:
    return a_head(
        "p1",
        delivery=f"github.com/d-{number}",
        subject=f"github.com/{REPOSITORY_ID}#{number}",
        subject_name=f"{REPOSITORY}#{number}",
        host="github.com",
    )


@asynccontextmanager
async def worker(workers: Workers, owner: str) -> AsyncIterator[Sender]:
    """One with everything of its own but Redis and GitHub."""
    clock = workers.clock
    rates = Rates(factor=FASTER)
    turns = TurnTaker(RedisPace(workers.redis, rates, prefix=workers.prefix))
    account = Account(
        login=Login(token=TOKEN, account="the-bot"),
        wire=Wire(host="github.com", api_url=workers.fake.url, pool=AT_ONCE, pace=turns),
        installations=Installations(MemoryInstallations(), clock.monotonic_s),
        monotonic_s=clock.monotonic_s,
    )
    github = GitHubExecutor({"github.com": account})
    platform = Platform(packages=[Package(name="reactor-github", components=(github,))])
    with Executor(threads=AT_ONCE) as executor:
        sender = Sender(
            ledger=RedisLedger(workers.redis, Codec(platform.catalog), prefix=workers.prefix),
            tries=Tries(
                platform=platform,
                executor=executor,
                now=clock.now,
                monotonic_s=clock.monotonic_s,
                pause=lambda failures: timedelta(seconds=1),
            ),
            caps=PLENTY,
            clock=clock,
            owner=owner,
            concurrency=AT_ONCE,
            look_every=timedelta(seconds=0.1),
            asked_for=lambda head, record: record.key.startswith(ASKED),
        )
        running = asyncio.create_task(sender.run())
        try:
            yield sender
        finally:
            await sender.drain(timedelta(seconds=5))
            await running
            github.close()


@pytest.fixture
async def workers(
    fake_github: FakeGitHub, redis_client: Redis, redis_prefix: str
) -> AsyncIterator[Workers]:
    issues = [{"number": number, "title": f"Issue {number}"} for number in (*ISSUES, ASKING)]
    repository = {
        "full_name": REPOSITORY,
        "id": REPOSITORY_ID,
        "labels": ["bug"],
        "roles": {"the-bot": "write"},
        "issues": issues,
    }
    fake_github.seed({"repositories": [repository]})
    fake_github.limit(scale=FASTER)
    workers = Workers(fake_github, redis_client, redis_prefix, SystemClock(), [])
    async with AsyncExitStack() as stack:
        for owner in ("a", "b"):
            workers.senders.append(await stack.enter_async_context(worker(workers, owner)))
        yield workers


async def label_all(workers: Workers) -> None:
    async with asyncio.TaskGroup() as group:
        for number in ISSUES:
            group.create_task(workers.wish(number, AddLabels(labels=("bug",)), f"{number:032x}"))


async def comment_at_once(workers: Workers) -> int:
    """How many labels came before what a person asked for meanwhile."""
    before = workers.written(at="/labels")
    await workers.wish(ASKING, PostComment(body="At your service."), ASKED)
    await workers.until(lambda: workers.written(at="/comments") == 1)
    return workers.written(at="/labels") - before


async def all_labelled(workers: Workers) -> None:
    """Each once, and GitHub has refused nothing."""
    await workers.until(lambda: workers.written(at="/labels") >= len(ISSUES))

    meter = workers.fake.meter
    assert (meter.secondary_hits, meter.primary_hits) == (0, 0)
    paths = [each.path for each in workers.fake.writes() if each.path.endswith("/labels")]
    assert len(paths) == len(set(paths)) == len(ISSUES)
    state = workers.fake.state()["issues"]
    assert [state[str(number)]["labels"] for number in ISSUES] == [["bug"]] * len(ISSUES)


async def test_they_are_paced_none_is_lost_no_limit_is_hit_and_people_are_answered_first(
    workers: Workers,
) -> None:
    await label_all(workers)
    await workers.until(lambda: workers.written(at="/labels") >= 50)

    labelled_meanwhile = await comment_at_once(workers)

    assert labelled_meanwhile <= 4 * AT_ONCE
    await all_labelled(workers)


async def test_when_the_hour_is_used_up_the_others_wait_for_the_next_and_people_do_not(
    workers: Workers,
) -> None:
    workers.fake.limit(scale=FASTER, an_hour=300)
    await label_all(workers)
    await workers.until(lambda: workers.written(at="/labels") >= 270)  # a tenth is kept

    labelled_meanwhile = await comment_at_once(workers)

    assert labelled_meanwhile == 0
    await all_labelled(workers)
