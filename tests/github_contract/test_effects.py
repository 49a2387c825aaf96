"""Every kind of effect asks GitHub only for what GitHub's description of its API takes."""

import re
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import pytest

from reactor import EffectRefused
from reactor.github.effects import EFFECT_TYPES
from reactor.github.hosts import Login
from reactor.github.marker import marked
from tests.fixtures.github.fake import (
    APP_ID,
    BOT,
    ISSUE,
    PULL,
    TOKEN,
    AppKey,
    FakeGitHub,
)
from tests.fixtures.github.seed import plant_issue
from tests.fixtures.github.sending import HOST, sending
from tests.fixtures.github.world import Comment
from tests.github_contract.cases import CASES, COMMENT, LINE_COMMENT, OTHER_ISSUE, Case
from tests.github_contract.watched import Watched

pytestmark = [pytest.mark.prism, pytest.mark.timeout(300)]


def test_every_kind_of_effect_has_a_case() -> None:
    assert {type(case.effect) for case in CASES} == set(EFFECT_TYPES)


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_an_effect_is_asked_for_as_described(described: Watched, case: Case) -> None:
    async with sending(described.url, Login(token=TOKEN, account="octocat")) as send:
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

    async with sending(compared.url, login) as send:
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


def _allowed_to_be_refused(case: Case) -> AbstractContextManager[object]:
    """Nobody can tell afterwards whether something was dispatched."""
    return suppress(EffectRefused) if case.write.endswith("dispatches") else nullcontext()


def _pattern(case: Case) -> str:
    return re.escape(case.request).replace(r"\{\}", "[0-9]+")
