"""Models as a worker has them: what one spends, another has not, and what one was told, another is."""

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from pydantic import BaseModel

from reactor.adapters.clock import SystemClock
from reactor.ai import Ai, BudgetSpent
from reactor.ai.calling import Called
from reactor.settings import LlmSettings, Settings, load
from reactor.wiring.model_stores import stores_in_redis
from reactor.wiring.models import models, stores_in_memory
from reactor.wiring.redis import redis_parts
from tests.fixtures.models import answers
from tests.fixtures.models.server import StubModels

pytestmark = [
    pytest.mark.redis,
    pytest.mark.timeout(300),  # importing LiteLLM takes long on a busy machine
]


class Judgement(BaseModel):
    comment: str


@pytest.fixture
def settings(redis_url: str, stub_models: StubModels) -> Settings:
    settings = load(
        None,
        {
            "REDIS_URL": redis_url,
            "REACTOR_REDIS_PREFIX": f"models-{secrets.token_hex(6)}",
            "REACTOR_LLM_MODEL": "openai/gpt-4o-mini",
            "REACTOR_LLM_API_BASE": stub_models.url,
            "REACTOR_LLM_API_KEY": "sk-of-the-test",
        },
    )
    priced = settings.llm.models["default"].model_copy(update={"usd_per_million_input": 100.0})
    budget = settings.llm.budget.model_copy(update={"per_day": 0.015})
    llm = settings.llm.model_copy(update={"models": {"default": priced}, "budget": budget})
    return settings.model_copy(update={"llm": llm})


@pytest.fixture
async def workers(settings: Settings) -> AsyncIterator[tuple[Ai, Ai]]:
    """The models of two workers."""
    async with AsyncExitStack() as stack:
        clock = SystemClock()
        redis = await stack.enter_async_context(redis_parts(settings))
        stores = stores_in_redis(settings, redis, clock)
        one = await stack.enter_async_context(models(settings, stores))
        other = await stack.enter_async_context(models(settings, stores))
        yield one, other


async def test_what_one_worker_has_spent_the_other_can_not(
    workers: tuple[Ai, Ai], stub_models: StubModels
) -> None:
    one, other = workers
    stub_models.answering = lambda asked: answers.text("So it is.")

    await one.generate_text("Is it so?")  # a cent
    await other.generate_text("And now?")  # another
    with pytest.raises(BudgetSpent, match=r"0\.015 USD for models in a day"):
        await one.generate_text("And then?")

    assert len(stub_models.requests) == 2


async def test_what_one_worker_was_told_the_other_need_not_ask(
    workers: tuple[Ai, Ai], stub_models: StubModels
) -> None:
    one, other = workers
    stub_models.script(answers.value({"comment": "x"}))

    first = await one.create_object("Judge this.", Judgement)
    second = await other.create_object("Judge this.", Judgement)

    assert first == second
    assert len(stub_models.requests) == 1


async def test_each_call_is_told_to_whoever_counts(
    settings: Settings, stub_models: StubModels
) -> None:
    counted: list[Called] = []
    stub_models.script(answers.failure(500), answers.text("So it is."))

    async with redis_parts(settings) as redis:
        stores = stores_in_redis(settings, redis, SystemClock())
        async with models(settings, stores, counted.append) as ai:
            await ai.generate_text("Is it so?")

    assert [called.outcome for called in counted] == ["unavailable", "stop"]
    assert counted[-1].usage.cost_usd == pytest.approx(0.01)


@pytest.mark.parametrize(("model", "is_listed"), [("gpt-4o-mini", True), ("of-mine", False)])
async def test_a_call_has_cost_what_the_list_says_where_the_operator_says_nothing(
    stub_models: StubModels, model: str, is_listed: bool
) -> None:
    counted: list[Called] = []
    there = {"model": f"openai/{model}", "api_base": stub_models.url, "api_key": "k"}
    settings = Settings(llm=LlmSettings.model_validate({"models": {"small": there}}))
    stub_models.script(answers.text("So it is."))

    async with models(settings, stores_in_memory(settings, SystemClock()), counted.append) as ai:
        await ai.generate_text("Is it so?")

    (called,) = counted
    assert called.usage.cost_usd < 0.001
    assert (called.usage.cost_usd > 0) is is_listed
