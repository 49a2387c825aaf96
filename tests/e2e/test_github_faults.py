"""Every kind of effect on GitHub under every fault that it may meet: made exactly once.

For each kind and each fault there is a repository of its own, and an installation, since limits
count for those.  All are asked for at once; what is there in the end is held against the repository
in which nothing went wrong, with everything that GitHub saw happen on the way.
"""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import pytest

from reactor import Attempt, Effect
from reactor.adapters.github.accounts import Account
from reactor.adapters.github.connection import Wire
from reactor.adapters.github.executor import GitHubExecutor
from reactor.adapters.github.installations import Installations, MemoryInstallations
from reactor.adapters.redis_ledger import RedisLedger
from reactor.github.hosts import Login
from reactor.ledger import Fate
from reactor.testing import delivery, issue, pull_request, repository
from reactor.topic import DeliveryLog
from reactor.wiring.redis import redis_parts
from reactor.wiring.sending import make_ledger
from tests.adapters.github.wishes import WISHES
from tests.fixtures.github.fake import (
    APP_ID,
    PULL,
    AppKey,
    FakeGitHub,
    usual_seed,
)
from tests.fixtures.github.faults import Fault, secondary_limit
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.live_github import by_app, config_of, live, without_marker
from tests.fixtures.scribe import asking_for, install_scribe
from tests.fixtures.site import Site, until
from tests.fixtures.slow_site import deliveries

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(560),
]

HOST = "github.com"
WORKERS = 2
PLENTY = 1_000_000  # requests: the limits are not what is tested here
SETTINGS: Mapping[str, Any] = {
    "github": {"pace": {"factor": 1000}},
    "effects": {"concurrency": 16},
}
FIRST_ID = 2_000_000  # of repositories, and of installations
CHANGES = "POST|PUT|PATCH|DELETE"
VARY = frozenset({"id", "external_id", "started_at", "completed_at"})


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """What goes wrong with the requests for a change in a repository, and how it is to end."""

    name: str
    faults: tuple[Fault, ...] = ()  # for any path
    is_made: bool = True  # the change is there in the end

    def faults_in(self, full_name: str) -> Iterable[Fault]:
        """But for those of its file of settings."""
        path = rf"/repos/{full_name}/(?!contents/).*"
        return (replace(each, path=path) for each in self.faults)


def _change(kind: str, **told: Any) -> Fault:
    return Fault(kind=kind, method=CHANGES, **told)  # type: ignore[arg-type]


STEADY = Trouble(name="steady")
KILLED = (
    Trouble(name="killed-before", faults=(_change("hang"),)),
    Trouble(name="killed-after", faults=(_change("hang_after"),)),
)
TROUBLES = (
    *KILLED,
    Trouble(name="bad-gateway-before", faults=(_change("before"),)),
    Trouble(name="bad-gateway-after", faults=(_change("after"),)),
    Trouble(name="dropped-before", faults=(_change("drop"),)),
    Trouble(name="dropped-after", faults=(_change("drop_after"),)),
    Trouble(name="after-and-not-to-be-seen", faults=(_change("after"), Fault(method="GET"))),
    Trouble(name="slow", faults=(_change("slow", delay_s=1.5),)),
    Trouble(name="secondary-limit", faults=(secondary_limit(method=CHANGES),)),
    Trouble(
        name="too-many-requests",
        faults=(_change("before", status=429, headers={"Retry-After": "1"}),),
    ),
    Trouble(name="deleted", faults=(_change("before", status=410, times=99),), is_made=False),
    Trouble(
        name="not-there",
        faults=(_change("before", status=404, message="Not Found", times=99),),
        is_made=False,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One kind in one trouble, in its own repository."""

    id: int
    kind: type[Effect]
    trouble: Trouble
    effect: Effect
    untouched: Any  # what is there before

    @property
    def full_name(self) -> str:
        """Of its repository."""
        return _name(self.kind, self.trouble)

    @property
    def number(self) -> int:
        """Of the issue or pull request."""
        return WISHES[self.kind].number

    def __str__(self) -> str:
        return f"{self.kind.__name__} {self.trouble.name}"

    def is_right(self, fate: Fate, there: Any, expected: Mapping[type[Effect], Any]) -> bool:
        """Whether it has ended as it should."""
        made = expected[self.kind]
        if "no way to look" in fate.reason and not WISHES[self.kind].can_be_looked_up:
            return there in (made, self.untouched)
        if self.trouble.is_made:
            return (fate.state, there) == ("done", made)
        return (fate.state, there) == ("refused", self.untouched)


def _name(kind: type[Effect], trouble: Trouble) -> str:
    return f"{kind.__name__.lower()}-{trouble.name}/hello"


@dataclass
class Storm:
    """Workers, what they read and write, and who kills them."""

    site: Site
    fake: FakeGitHub
    log: DeliveryLog
    seen: Outside
    ledger: RedisLedger
    executor: GitHubExecutor
    cases: list[Case] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    lives: int = 0

    def prepare(self, trouble: Trouble) -> None:
        """A repository for each kind; nothing has gone wrong so far."""
        for kind, wish in WISHES.items():
            id, name = FIRST_ID + len(self.cases), _name(kind, trouble)
            (usual,) = usual_seed()["repositories"]
            owner = name.partition("/")[0]
            self.fake.seed(
                {
                    "repositories": [usual | {"full_name": name, "id": id}],
                    "installations": [{"id": id, "account": owner}],
                }
            )
            given = [self._send(effect, id, name, wish.number) for effect in wish.before]
            effect = wish.ready(given[0].get("id", 0) if given else 0)
            untouched = self.there(name)
            made = Case(id=id, kind=kind, trouble=trouble, effect=effect, untouched=untouched)
            self.cases.append(made)

    async def begin(self, *troubles: Trouble) -> list[Case]:
        """Their cases; the workers know these places, and from now on something goes wrong."""
        for trouble in troubles:
            await asyncio.to_thread(self.prepare, trouble)
        cases = [case for case in self.cases if case.trouble in troubles]
        for case in cases:
            await self.deliver(case, "known")
        await until(lambda: self._all_known(cases), within_s=120, every_s=0.5)
        for case in cases:
            self.fake.fail(*case.trouble.faults_in(case.full_name))
        return cases

    async def _all_known(self, cases: Iterable[Case]) -> bool:
        for case in cases:
            found = await self.seen.processes(f"{HOST}/known-{case.id}")
            if not (found and found[0].head.status.is_final):
                return False
        return True

    def _send(self, effect: Effect, id: int, name: str, number: int) -> Any:
        subject = f"{HOST}/{id}#{number}"
        attempt = Attempt(
            key=f"{abs(hash(effect)):032x}",
            host=HOST,
            subject=subject,
            subject_name=f"{name}#{number}",
            delivery=f"{HOST}/before",
            cause="before",
            happened_at=_soon(),
        )
        return self.executor.send(effect, attempt)  # type: ignore[arg-type]

    def there(self, full_name: str) -> Any:
        """What is in a repository, and what happened there, without what differs each time."""
        with self.fake.api.lock:
            happened = {
                str(number): [(each.event, each.actor.login) for each in issue.happenings]
                for number, issue in self.fake.repository(full_name).issues.items()
            }
        return _settled(self.fake.state(full_name)), happened

    async def ask(self, case: Case) -> None:
        """Deliver what makes the component wish for it."""
        await self.deliver(case, "d", case.effect)

    async def deliver(self, case: Case, name: str, *effects: Effect) -> None:
        """Something is opened whose text asks for these."""
        is_pull = case.number == PULL
        make = pull_request if is_pull else issue
        body, at = asking_for(*effects), _soon().isoformat()
        subject = make("Please", number=case.number, body=body, updated_at=at)
        await self.log.append(
            delivery(
                "pull_request.opened" if is_pull else "issues.opened",
                id=f"{name}-{case.id}",
                repository=repository(case.full_name, id=case.id),
                installation={"id": case.id},
                **{"pull_request" if is_pull else "issue": subject},
            )
        )

    async def fate(self, case: Case) -> Fate | None:
        """Where its effect stands; None: it is not even known."""
        for stored in await self.seen.processes(f"{HOST}/d-{case.id}"):
            keys = [each.key for each in stored.effects]
            fates = await self.ledger.fates(stored.head.subject, keys)
            for fate in fates.values():
                return fate
        return None

    async def fates(self, cases: Iterable[Case], *, within_s: float) -> dict[int, Fate]:
        """Of all of them by their ids, once they are at an end."""
        left, found = list(cases), {}

        async def all_ended() -> bool:
            for case in list(left):
                fate = await self.fate(case)
                if fate is not None and fate.state in ("done", "refused", "given_up"):
                    found[case.id] = fate
                    left.remove(case)
            return not left

        try:
            await until(all_ended, within_s=within_s, every_s=0.5)
        except AssertionError:
            told = [(str(case), await self.fate(case)) for case in left]
            raise AssertionError(f"not at an end: {told}") from None
        return found

    async def start_workers(self) -> None:
        """As many as there are to be."""
        names = [f"worker-{self.lives + number}" for number in range(WORKERS)]
        self.lives += WORKERS
        config = str(config_of(self.site))
        self.workers = [self.site.start_worker(name, "--config", config) for name in names]
        await until(lambda: all(map(self.site.is_ready, names)), within_s=90)

    async def kill_those_that_hang(self) -> None:
        """Again and again: whoever waits for an answer, and all who are at work beside it."""
        killed_for = before = 0
        while True:
            await asyncio.sleep(1)
            hung = sum((each.fault or "").startswith("hang") for each in self.fake.requests())
            if hung == before and hung > killed_for:  # no more have come to hang meanwhile
                killed_for = hung
                for worker in self.workers:
                    worker.kill()
                    worker.wait()
                await self.start_workers()
            before = hung


def _soon() -> datetime:
    """Not before what the fake has just seen."""
    return datetime.now(UTC) + timedelta(seconds=1)  # noqa: TID251 - by the fake's clock


def _settled(told: Any) -> Any:
    match told:
        case str():
            return without_marker(told)
        case Mapping():
            return {name: _settled(value) for name, value in told.items() if name not in VARY}
        case list():
            return [_settled(value) for value in told]
    return told


@asynccontextmanager
async def _executor(fake: FakeGitHub, key: AppKey) -> AsyncIterator[GitHubExecutor]:
    """For what is there before."""
    account = Account(
        login=Login(app_id=APP_ID, private_key=key.private_pem),
        wire=Wire(host=HOST, api_url=fake.url),
        installations=Installations(MemoryInstallations(), monotonic),
        monotonic_s=monotonic,
    )
    executor = GitHubExecutor({HOST: account})
    try:
        yield executor
    finally:
        executor.close()


@pytest.fixture
async def storm(site: Site, fake_github: FakeGitHub, app_key: AppKey) -> AsyncIterator[Storm]:
    fake_github.limit(
        an_hour=PLENTY,
        points_a_minute=PLENTY,
        content_a_minute=PLENTY,
        content_an_hour=PLENTY,
    )
    environ = {**by_app(fake_github, app_key.private_pem), **install_scribe(site.folder)}
    reaction = {"name": "scribe", "on": "*", "scope": ["scribe"], "effects": "live"}
    live(site, environ, reactions=[reaction], **SETTINGS)
    async with AsyncExitStack() as stack:
        log = await stack.enter_async_context(deliveries(site))
        seen = await stack.enter_async_context(outside(site))
        redis = await stack.enter_async_context(redis_parts(seen.settings))
        ledger = make_ledger(seen.settings, redis, seen.platform)
        executor = await stack.enter_async_context(_executor(fake_github, app_key))
        yield Storm(site, fake_github, log, seen, ledger, executor)


async def test_every_kind_is_made_once_whatever_goes_wrong(storm: Storm) -> None:
    """What nobody can look up afterwards is made at most once, and told where it is unsure."""
    await storm.start_workers()
    steady = await storm.begin(STEADY)
    for case in steady:
        await storm.ask(case)
    await storm.fates(steady, within_s=120)
    expected = {case.kind: storm.there(case.full_name) for case in steady}

    troubled = await storm.begin(*TROUBLES)
    async with asyncio.TaskGroup() as group:
        killing = group.create_task(storm.kill_those_that_hang())
        for case in troubled:
            await storm.ask(case)
        fates = await storm.fates(troubled, within_s=240)
        killing.cancel()

    assert storm.lives > WORKERS
    wrong = [
        f"{case}: {fates[case.id]}\n  {there}\n  expected: {expected[case.kind]}"
        for case in troubled
        if not case.is_right(fates[case.id], there := storm.there(case.full_name), expected)
    ]
    assert not wrong, "\n".join(wrong)
    for case in steady:
        assert (
            WISHES[case.kind].seen(storm.fake.state(case.full_name)) == WISHES[case.kind].expected
        )
