"""Requests of a worker are paced as the settings say, by one budget in Redis."""

import asyncio
import secrets
from collections.abc import AsyncIterator

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from reactor import Attempt, EffectDelayed
from reactor.adapters.clock import SystemClock
from reactor.github import AddLabels
from reactor.pace import Rates
from reactor.settings import Settings
from reactor.web.pace_metrics import PaceMetrics
from reactor.wiring.github import GitHubParts, github_parts
from reactor.wiring.pacing import rates_of
from reactor.wiring.redis import RedisParts, redis_parts
from tests.fixtures.github.fake import ISSUE, REPOSITORY, REPOSITORY_ID, TOKEN, FakeGitHub
from tests.fixtures.github.faults import secondary_limit

SUBJECT = f"github.com/{REPOSITORY_ID}#{ISSUE}"
ATTEMPT = Attempt(
    key="c" * 32,
    host="github.com",
    subject=SUBJECT,
    subject_name=f"{REPOSITORY}#{ISSUE}",
    delivery="github.com/d-1",
    cause="c",
)


@pytest.fixture
def settings(redis_url: str, fake_github: FakeGitHub) -> Settings:
    return Settings.model_validate(
        {
            "redis": {"url": redis_url, "prefix": f"pace-{secrets.token_hex(6)}"},
            "github": {
                "token": TOKEN,
                "api_url": fake_github.url,
                "bot_login": "the-bot",
                "pace": {"writes_a_second": 0.001},
            },
        }
    )


@pytest.fixture
async def redis(settings: Settings) -> AsyncIterator[RedisParts]:
    async with redis_parts(settings) as parts:
        yield parts


async def label(parts: GitHubParts) -> None:
    executor = parts.package.components[0]
    await asyncio.to_thread(executor.send, AddLabels(labels=("bug",)), ATTEMPT)  # type: ignore[attr-defined]


def test_by_default_the_figures_are_those_that_github_publishes() -> None:
    assert rates_of(Settings().github) == Rates()


@pytest.mark.redis
async def test_two_workers_share_what_one_account_may_do(
    settings: Settings, redis: RedisParts, fake_github: FakeGitHub
) -> None:
    async with (
        github_parts(settings, redis, clock=SystemClock()) as one,
        github_parts(settings, redis, clock=SystemClock()) as other,
    ):
        for _ in range(4):
            await label(one)
            await label(other)
        await label(one)

        for each in (one, other):
            with pytest.raises(EffectDelayed, match="one after the other"):
                await label(each)

    assert len(fake_github.writes()) == 9


@pytest.mark.redis
async def test_a_limit_that_was_hit_is_logged_and_counted(
    settings: Settings, redis: RedisParts, fake_github: FakeGitHub
) -> None:
    registry = CollectorRegistry()
    fake_github.fail(secondary_limit(120))

    with capture_logs() as logged:
        async with github_parts(settings, redis, clock=SystemClock()) as parts:
            assert parts.turns is not None
            parts.turns.observers += (PaceMetrics(registry),)
            for _ in range(2):
                with pytest.raises(EffectDelayed):
                    await label(parts)

    assert [(line["event"], line["host"], line["account"], line["stop_s"]) for line in logged] == [
        ("github_limit_hit", "github.com", "token", 120.0)
    ]
    turns = {
        turn: registry.get_sample_value(
            "reactor_github_requests_total", {"host": "github.com", "kind": "write", "turn": turn}
        )
        for turn in ("went", "stopped")
    }
    assert turns == {"went": 1, "stopped": 1}
    hits = registry.get_sample_value("reactor_github_limits_hit_total", {"host": "github.com"})
    assert hits == 1
    left = {"host": "github.com", "account": "token"}
    assert registry.get_sample_value("reactor_github_remaining_requests", left) == 5000
