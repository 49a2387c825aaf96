"""Triage with a model over HTTP: what it pays, and what is done when nothing is left to pay with."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

import pytest
import reactor_triage
from reactor_triage.reading import IssueReading, Kind

from reactor.adapters.clock import ManualClock
from reactor.ai import Ai
from reactor.settings import LlmSettings, Settings
from reactor.testing import FakeAi, Workbench, event, issue, ran
from reactor.wiring.models import models, stores_in_memory
from tests.fixtures.models import answers
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine

JUDGED = IssueReading(kind=Kind.FAULT, urgency=0.2, sentiment=0.5, labels=("bug",))
BY_MODEL, BY_RULES = "triage.react_to_new_issue_by_model", "triage.react_to_new_issue"

BenchOf = Callable[..., AbstractAsyncContextManager[Workbench]]


@pytest.fixture
def bench_of(stub_models: StubModels) -> BenchOf:
    """A bench with the models of some settings; a call of the stub is a cent."""
    stub_models.answering = lambda asked: answers.value(JUDGED.model_dump(mode="json"))

    @asynccontextmanager
    async def of(**llm: Any) -> AsyncIterator[Workbench]:
        small = {
            "model": "openai/gpt-4o-mini",
            "api_base": stub_models.url,
            "api_key": "sk-of-the-test",
            "usd_per_million_input": 100,
        }
        settings = Settings(llm=LlmSettings.model_validate({"models": {"small": small}, **llm}))
        async with models(settings, stores_in_memory(settings, ManualClock())) as ai:
            yield Workbench(reactor_triage.TriageComponent, ai=as_fake(ai))

    return of


def as_fake(ai: Ai) -> FakeAi:
    """A bench takes any; only its signature says otherwise."""
    return cast("FakeAi", ai)


async def who_judged(bench: Workbench, number: int) -> list[str]:
    process = await bench.run(
        event("issues.opened", id=f"d-{number}", issue=issue(f"Brake {number}", number=number))
    )
    return [action for action in ran(process) if action in (BY_MODEL, BY_RULES)]


async def test_once_the_budget_of_the_day_is_spent_rules_judge(
    bench_of: BenchOf, stub_models: StubModels
) -> None:
    async with bench_of(budget={"per_day": 0.015}) as bench:
        judged = [await who_judged(bench, number) for number in (1, 2, 3)]

    assert judged == [[BY_MODEL], [BY_MODEL], [BY_RULES]]
    assert len(stub_models.requests) == 2


async def test_without_a_budget_that_lets_it_ask_rules_judge_from_the_start(
    bench_of: BenchOf, stub_models: StubModels
) -> None:
    async with bench_of(budget={"per_process": 0}) as bench:
        judged = await who_judged(bench, 1)

    assert judged == [BY_RULES]
    assert stub_models.requests == []


async def test_the_role_triage_says_which_model_is_asked(
    bench_of: BenchOf, stub_models: StubModels
) -> None:
    large = {"model": "openai/gpt-4o", "api_base": stub_models.url, "api_key": "sk-of-the-test"}

    async with bench_of(
        models={"small": large | {"model": "openai/gpt-4o-mini"}, "large": large},
        default="small",
        roles={"triage": "large"},
    ) as bench:
        await who_judged(bench, 1)

    (request,) = stub_models.requests
    assert request["model"] == "gpt-4o"


async def test_a_provider_that_takes_schemas_is_given_that_of_the_answer(
    bench_of: BenchOf, stub_models: StubModels
) -> None:
    async with bench_of() as bench:
        await who_judged(bench, 1)

    (request,) = stub_models.requests
    schema = request["response_format"]["json_schema"]["schema"]
    assert {"kind", "urgency", "sentiment"} == set(schema["required"])
    assert set(schema["$defs"]["Kind"]["enum"]) == set(Kind)
