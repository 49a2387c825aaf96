"""An executor over the fake GitHub, called in a thread as the sender does."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest

from reactor import AlreadyDone, Attempt, Effect
from reactor.adapters.github.accounts import Account
from reactor.adapters.github.connection import Pace, Unpaced, Wire
from reactor.adapters.github.executor import GitHubExecutor
from reactor.adapters.github.installations import Installations, MemoryInstallations
from reactor.github.hosts import Login
from tests.fixtures.github.fake import APP_ID, ISSUE, REPOSITORY, REPOSITORY_ID, TOKEN, FakeGitHub

KEY = "c" * 32
HOST = "github.com"


@dataclass
class Desk:
    """Where effects are handed in, as one account."""

    fake: FakeGitHub
    login: Login
    store: MemoryInstallations = field(default_factory=MemoryInstallations)
    pace: Pace = field(default_factory=Unpaced)
    monotonic_s: Callable[[], float] = monotonic
    timeout_s: float = 10.0
    host: str = HOST
    url: str = ""

    def open(self) -> None:
        """On the loop."""
        self.installations = Installations(self.store, self.monotonic_s)
        wire = Wire(
            host=self.host,
            api_url=self.url or self.fake.url,
            timeout_s=self.timeout_s,
            pace=self.pace,
        )
        self.account = Account(
            login=self.login,
            wire=wire,
            installations=self.installations,
            monotonic_s=self.monotonic_s,
        )
        self.executor = GitHubExecutor({self.host: self.account})

    def attempt(self, **told: object) -> Attempt:
        """A first one on the issue, unless told otherwise."""
        number = told.pop("issue", ISSUE)
        name = told.pop("repository", REPOSITORY)
        at = f"#{number}" if number is not None else ""
        usual: dict[str, object] = {
            "key": KEY,
            "host": self.host,
            "subject": f"{self.host}/{REPOSITORY_ID}{at}",
            "subject_name": f"{name}{at}",
            "delivery": f"{self.host}/d-1",
            "cause": "c",
            "happened_at": datetime.now(UTC) + timedelta(seconds=1),  # noqa: TID251 - the fake's time
        }
        return Attempt(**{**usual, **told})  # type: ignore[arg-type]

    async def send(self, effect: Effect, **told: object) -> object:
        """What the executor gives or raises."""
        attempt = self.attempt(**told)
        return await asyncio.to_thread(self.executor.send, effect, attempt)  # type: ignore[arg-type]

    async def again(self, effect: Effect, **told: object) -> object:
        """A try after one whose answer was lost."""
        return await self.send(effect, number=2, may_be_done=True, **told)


@pytest.fixture
def as_app(app_key: object) -> Login:
    return Login(app_id=APP_ID, private_key=app_key.private_pem)  # type: ignore[attr-defined]


@pytest.fixture
async def desk(fake_github: FakeGitHub, as_app: Login) -> AsyncIterator[Desk]:
    """As the app."""
    desk = Desk(fake_github, as_app)
    desk.open()
    yield desk
    desk.executor.close()


@pytest.fixture
async def by_token(fake_github: FakeGitHub) -> AsyncIterator[Desk]:
    """As a machine user with a token."""
    desk = Desk(fake_github, Login(token=TOKEN))
    desk.open()
    yield desk
    desk.executor.close()


def was_there(result: object) -> bool:
    """Whether the executor looked, and found the change."""
    return isinstance(result, AlreadyDone)
