"""Language models as the settings have them, made ready to be asked.

Nothing of LiteLLM is imported here: that happens with the first question.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog

from reactor.adapters.jinja_templates import JinjaTemplates
from reactor.adapters.litellm_models import LitellmModels, Provided
from reactor.adapters.litellm_prices import prices_of
from reactor.adapters.memory_models import MemoryAnswers, MemoryPurses
from reactor.ai import Ai, Choices, Defaults, Runtime
from reactor.ai.answers import Answers, NoAnswers
from reactor.ai.budget import Limits, Purses
from reactor.ai.calling import Called, Caller
from reactor.ai.circuit import Circuits
from reactor.ai.prices import FREE
from reactor.ports import Clock
from reactor.settings import LlmSettings, ModelSettings, Settings

Observer = Callable[[Called], None]
_DEFAULT = "default"  # the name that the model of the environment has


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStores:
    """What calls of models are kept in."""

    clock: Clock
    purses: Purses
    answers: Answers


def stores_in_memory(settings: Settings, clock: Clock) -> ModelStores:
    """For one process at a time, or none."""
    keep = timedelta(seconds=settings.llm.keep_answers_s)
    answers = MemoryAnswers(clock, keep=keep) if keep else NoAnswers()
    return ModelStores(clock=clock, purses=MemoryPurses(clock), answers=answers)


@asynccontextmanager
async def models(
    settings: Settings, stores: ModelStores, *observers: Observer
) -> AsyncIterator[Ai]:
    """What components ask, for as long as the context lasts."""
    llm = settings.llm
    each = {name: _provided(model) for name, model in llm.models.items()}
    prices = await asyncio.to_thread(prices_of, each)
    provided = LitellmModels(each)
    caller = Caller(
        models=provided,
        circuits=Circuits(stores.clock.monotonic_s),
        purses=stores.purses,
        limits=Limits(
            per_process=llm.budget.per_process,
            per_repository_day=llm.budget.per_repository_day,
            per_day=llm.budget.per_day,
        ),
        price_of=lambda name: prices.get(name, FREE),
        observers=(_log, *observers),
    )
    try:
        yield Ai(
            Runtime(
                caller=caller,
                choices=_choices(llm),
                answers=stores.answers,
                templates=JinjaTemplates(llm.prompts),
                defaults=Defaults(
                    timeout_s=llm.timeout_s,
                    attempts=llm.attempts,
                    max_tokens=llm.max_tokens,
                    temperature=llm.temperature,
                ),
            )
        )
    finally:
        await asyncio.to_thread(provided.close)


def _provided(model: ModelSettings) -> Provided:
    return Provided(
        model=model.model,
        api_base=model.api_base,
        api_key=model.api_key.get_secret_value() if model.api_key else None,
        schema=model.schemas,
        usd_per_million_input=model.usd_per_million_input,
        usd_per_million_output=model.usd_per_million_output,
    )


def _choices(llm: LlmSettings) -> Choices:
    default = llm.default or (_DEFAULT if _DEFAULT in llm.models else "")
    fallbacks = {name: model.fallbacks for name, model in llm.models.items()}
    behind = {name: _behind(model) for name, model in llm.models.items()}
    return Choices(models=fallbacks, default=default, roles=llm.roles, behind=behind)


def _behind(model: ModelSettings) -> str:
    """What its answers depend on: the key and the price are none of that."""
    return model.model_dump_json(include={"model", "api_base", "schemas"})


def _log(called: Called) -> None:
    structlog.get_logger("reactor.models").info(
        "model_called",
        model=called.model,
        outcome=called.outcome,
        prompt_tokens=called.usage.prompt_tokens,
        completion_tokens=called.usage.completion_tokens,
        cost_usd=round(called.usage.cost_usd, 6),
    )
