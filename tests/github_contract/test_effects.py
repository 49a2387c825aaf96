"""Every kind of effect asks GitHub only for what GitHub's description of its API takes."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import pytest

from reactor import Attempt, Effect, EffectRefused
from reactor.adapters.github.accounts import Account
from reactor.adapters.github.connection import Wire
from reactor.adapters.github.executor import GitHubExecutor
from reactor.adapters.github.installations import Installations, MemoryInstallations
from reactor.github.effects import EFFECT_TYPES
from reactor.github.hosts import Login
from reactor.github.marker import marked
from tests.fixtures.github.fake import (
    APP_ID,
    BOT,
    ISSUE,
    PULL,
    REPOSITORY,
    REPOSITORY_ID,
    TOKEN,
    AppKey,
    FakeGitHub,
)
from tests.fixtures.github.seed import plant_issue
from tests.fixtures.github.world import Comment
from tests.github_contract.cases import CASES, COMMENT, LINE_COMMENT, OTHER_ISSUE, Case
from tests.github_contract.watched import Watched

pytestmark = [pytest.mark.prism, pytest.mark.timeout(300)]

HOST = "github.com"


def test_every_kind_of_effect_has_a_case() -> None:
    assert {type(case.effect) for case in CASES} == set(EFFECT_TYPES)


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_an_effect_is_asked_for_as_described(described: Watched, case: Case) -> None:
    async with _sending(described.url, Login(token=TOKEN, account="octocat")) as send:
        with suppress(EffectRefused):  # an example does not say that it was done as we wished
            await send(case.effect, case.number)

    assert described.requests
    assert (case.request in described.requests) == case.is_in_examples
    assert described.violations == []


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_an_effect_is_made_and_looked_for_as_described(
    compared: Watched, as_before: FakeGitHub, key: AppKey, case: Case
) -> None:
    login = Login(app_id=APP_ID, private_key=key.private_pem)

    async with _sending(compared.url, login) as send:
        for effect in case.before:
            await send(effect, case.number)
        await send(case.effect, case.number)
        with _allowed_to_be_refused(case):
            await send(case.effect, case.number, may_be_done=True)

    assert any(re.fullmatch(_pattern(case), asked) for asked in compared.requests)
    assert compared.violations == []


@pytest.fixture
def as_before(fake: FakeGitHub) -> FakeGitHub:
    """With comments of ours, and an issue that another can be a duplicate of."""
    repository, world = fake.repository(), fake.world
    plant_issue(world, repository, {"number": OTHER_ISSUE, "title": "The same"})
    world.label(repository, "bug")
    repository.issues[ISSUE].labels.append("bug")
    body = marked("Thanks.", key="b" * 32, delivery=f"{HOST}/d-0")
    ours: dict[str, Any] = {
        "user": world.user(BOT, type="Bot"),
        "body": body,
        "app": "reactor-test",
    }
    ours |= {"created_at": world.now(), "updated_at": world.now()}
    repository.comments[COMMENT] = Comment(id=COMMENT, issue=ISSUE, **ours)
    repository.review_comments[LINE_COMMENT] = Comment(
        id=LINE_COMMENT, issue=PULL, path="src/main.py", line=1, **ours
    )
    return fake


Send = Callable[..., Awaitable[object]]


@asynccontextmanager
async def _sending(url: str, login: Login) -> AsyncIterator[Send]:
    """The executor over this server, in threads as the sender has it."""
    account = Account(
        login=login,
        wire=Wire(host=HOST, api_url=url, timeout_s=60),
        installations=Installations(MemoryInstallations(), monotonic),
        monotonic_s=monotonic,
    )
    executor = GitHubExecutor({HOST: account})

    async def send(effect: Effect, number: int, **told: Any) -> object:
        attempt = Attempt(
            key="c" * 32,
            host=HOST,
            subject=f"{HOST}/{REPOSITORY_ID}#{number}",
            subject_name=f"{REPOSITORY}#{number}",
            delivery=f"{HOST}/d-1",
            cause="c",
            happened_at=datetime.now(UTC),  # noqa: TID251 - by the fake's clock
            **told,
        )
        return await asyncio.to_thread(executor.send, effect, attempt)  # type: ignore[arg-type]

    try:
        yield send
    finally:
        executor.close()


def _allowed_to_be_refused(case: Case) -> AbstractContextManager[object]:
    """Nobody can tell afterwards whether something was dispatched."""
    return suppress(EffectRefused) if case.write.endswith("dispatches") else nullcontext()


def _pattern(case: Case) -> str:
    return re.escape(case.request).replace(r"\{\}", "[0-9]+")
