"""Actions that take an `Ai`: planned only where a model can be asked, and paid by their process."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from reactor import (
    Not,
    Package,
    Platform,
    Process,
    UtilityInvocation,
    action,
    component,
    estimate,
)
from reactor.adapters.clock import ManualClock
from reactor.ai import Ai
from reactor.ai.prices import Price
from reactor.ai.without import without_models
from reactor.settings import LlmSettings, Settings
from reactor.testing import FakeAi, Workbench, event, issue, ran
from reactor.wiring.models import models, stores_in_memory
from tests.fixtures.models import answers
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine


class Judgement(BaseModel):
    model_config = ConfigDict(frozen=True)

    comment: str
    urgency: float = Field(ge=0, le=1)


class Text(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str


JUDGED = {"comment": "It is broken.", "urgency": 0.9}


@component(name="judge")
class Judge:
    """Judges a text by a model where there is one, else by rules."""

    @action(value=0.9, cost=0.2)
    async def by_model(self, text: Text, ai: Ai) -> Judgement:
        return await ai.create_object(f"Judge this: {text.text}", Judgement)

    @action(value=0.3, cost=0.1)
    async def by_rules(self, text: Text) -> Judgement:
        return Judgement(comment="By rules.", urgency=0.1)

    @action(value=0.1, pre=[Not("llm")])
    async def say_that_it_was_rules(self, text: Text) -> None: ...


@component(name="frugal")
class Frugal:
    """Asks a model for what is worth its price."""

    @estimate(0.2)
    def price(self, text: Text, ai: Ai) -> float:
        return min(1.0, ai.price_usd(text.text) * 10)

    @action(value=0.5, cost=price)
    async def by_model(self, text: Text, ai: Ai) -> Judgement:
        return await ai.create_object(text.text, Judgement)

    @action(value=0.3, cost=0.1)
    async def by_rules(self, text: Text) -> Judgement:
        return Judgement(comment="By rules.", urgency=0.1)


def platform(ai: Ai) -> Platform:
    return Platform(packages=[Package(name="team", components=(Judge,))], services={Ai: ai})


async def run(ai: Ai) -> Process:
    return await UtilityInvocation.on(platform(ai)).terminate_when_stuck().run_async(Text(text="x"))


ModelsOf = Callable[..., AbstractAsyncContextManager[Ai]]


@pytest.fixture
def models_of(stub_models: StubModels) -> ModelsOf:
    """The models of some settings, as a worker has them; `small` is the stub."""

    @asynccontextmanager
    async def of(**llm: Any) -> AsyncIterator[Ai]:
        small = {
            "model": "openai/gpt-4o-mini",
            "api_base": stub_models.url,
            "api_key": "sk-of-the-test",
            "usd_per_million_input": 100,  # so that a call of the stub is a cent
        }
        settings = Settings(llm=LlmSettings.model_validate({"models": {"small": small}, **llm}))
        async with models(settings, stores_in_memory(settings, ManualClock())) as ai:
            yield ai

    return of


async def test_a_model_judges_and_its_process_pays(
    models_of: ModelsOf, stub_models: StubModels
) -> None:
    stub_models.script(answers.text("I would say 0.9."), answers.fenced(JUDGED))

    async with models_of() as ai:
        process = await run(ai)

    assert ran(process) == ["judge.by_model"]
    assert process.board.last(Judgement) == Judgement(**JUDGED)
    usage = process.head.usage
    assert (usage["model_calls"], usage["prompt_tokens"], usage["tokens"]) == (2, 200, 240)
    assert usage["cost_usd"] == pytest.approx(0.02)


@pytest.mark.parametrize(
    "ai", [without_models(), FakeAi()], ids=["nothing is set up", "nothing is scripted"]
)
async def test_without_a_model_rules_do_the_work_and_nothing_has_failed(ai: Ai) -> None:
    process = await run(ai)

    assert ran(process) == ["judge.by_rules", "judge.say_that_it_was_rules"]
    assert process.head.failure == ""
    assert "no model is set up" in str(process.decisions[0]) or isinstance(ai, FakeAi)


async def test_with_a_key_that_is_refused_rules_do_the_work_and_the_next_process_does_not_ask(
    models_of: ModelsOf, stub_models: StubModels
) -> None:
    stub_models.answering = lambda asked: answers.failure(401)

    async with models_of() as ai:
        first = await run(ai)
        second = await run(ai)

    assert ran(first)[:2] == ["judge.by_model", "judge.by_rules"]
    assert first.board.last(Judgement) == Judgement(comment="By rules.", urgency=0.1)
    assert ran(second) == ["judge.by_rules", "judge.say_that_it_was_rules"]
    assert len(stub_models.requests) == 1


async def test_once_the_budget_of_the_day_is_spent_rules_do_the_work(
    models_of: ModelsOf, stub_models: StubModels
) -> None:
    stub_models.answering = lambda asked: answers.value(JUDGED)

    async with models_of(budget={"per_day": 0.015}, keep_answers_s=0) as ai:
        done = [ran(await run(ai))[0] for _ in range(4)]

    assert done == ["judge.by_model"] * 2 + ["judge.by_rules"] * 2
    assert len(stub_models.requests) == 2


async def test_one_process_spends_no_more_than_its_own(
    models_of: ModelsOf, stub_models: StubModels
) -> None:
    @component(name="talker")
    class Talker:
        @action(value=0.9, can_rerun=True)
        async def talk(self, ai: Ai) -> None:
            await ai.generate_text("Say something.")

    stub_models.answering = lambda asked: answers.text("Something.")

    async with models_of(budget={"per_process": 0.025}, keep_answers_s=0) as ai:
        talking = Platform(packages=[Package(name="team", components=(Talker,))], services={Ai: ai})
        process = await UtilityInvocation.on(talking).terminate_when_stuck().run_async()

    assert ran(process) == ["talker.talk"] * 3
    assert "the budget of 0.025 USD" in str(process.journal[-1].data)


async def test_the_same_question_is_asked_once(
    models_of: ModelsOf, stub_models: StubModels
) -> None:
    stub_models.script(answers.broken(JUDGED), answers.value(JUDGED))

    async with models_of() as ai:
        first, second = await run(ai), await run(ai)

    assert first.board.last(Judgement) == second.board.last(Judgement)
    assert len(stub_models.requests) == 2
    assert second.head.usage == {}


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({"model": "openai/gpt-4o"}, 2),
        ({"schemas": "never"}, 2),
        ({"usd_per_million_input": 1}, 1),
        ({"api_key": "sk-another"}, 1),
    ],
    ids=["another model", "told in words", "another price", "another key"],
)
async def test_an_answer_that_was_kept_is_that_of_the_very_model(
    stub_models: StubModels, change: dict[str, Any], asked: int
) -> None:
    stub_models.answering = lambda asked: answers.value(JUDGED)
    small = {
        "model": "openai/gpt-4o-mini",
        "api_base": stub_models.url,
        "api_key": "sk-of-the-test",
    }
    stores = stores_in_memory(Settings(), ManualClock())

    for each in (small, small | change):
        settings = Settings(llm=LlmSettings.model_validate({"models": {"small": each}}))
        async with models(settings, stores) as ai:
            await run(ai)

    assert len(stub_models.requests) == asked


async def test_a_component_author_tests_with_answers_of_their_own() -> None:
    @component(name="greeter")
    class Greeter:
        @action(value=0.5)
        async def judge(self, ai: Ai) -> Judgement:
            return await ai.create_object("Judge this.", Judgement)

    ai = FakeAi(Judgement(**JUDGED))

    process = await Workbench(Greeter, ai=ai).run(event("issues.opened", issue=issue()))

    assert ran(process) == ["greeter.judge"]
    assert ai.prompts == ("Judge this.",)
    assert process.head.usage["model_calls"] == 1


@pytest.mark.parametrize(
    ("usd_per_token", "chosen"), [(0.0, "frugal.by_model"), (0.001, "frugal.by_rules")]
)
async def test_what_a_model_will_cost_counts_in_the_plan(usd_per_token: float, chosen: str) -> None:
    ai = FakeAi(Judgement(**JUDGED), price=Price(usd_per_token))
    there = Platform(packages=[Package(name="team", components=(Frugal,))], services={Ai: ai})
    wanted = Text(text="x" * 300)

    process = await UtilityInvocation.on(there).terminate_when_stuck().run_async(wanted)

    assert ran(process)[0] == chosen


async def test_the_price_is_that_of_the_model_that_will_be_asked_and_nothing_is_imported_for_it() -> (
    None
):
    said = {"model": "openai/unheard-of", "usd_per_million_input": 3.0}
    known = {"a": said, "b": {"model": "openai/gpt-4o-mini"}, "c": {"model": "nobody/knows"}}
    settings = Settings(llm=LlmSettings.model_validate({"models": known, "max_tokens": 100}))

    async with models(settings, stores_in_memory(settings, ManualClock())) as ai:
        free, listed, own = (ai.with_llm(name).price_usd("x" * 3000) for name in "cba")
        shorter = ai.with_llm("b").price_usd("x" * 3000, answer_tokens=0)

    assert free == 0
    assert own == pytest.approx(0.003, rel=0.2)
    assert 0 < shorter < listed < own
