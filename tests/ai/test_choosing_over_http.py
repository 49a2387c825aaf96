"""A ranking is asked for over HTTP as any typed answer: the schema has the names, and no other."""

from typing import Any

import pytest

from reactor.adapters.clock import ManualClock
from reactor.ai.choosing import rank
from reactor.autonomy import ROLE
from reactor.offers import GoalOffer
from reactor.settings import LlmSettings, Settings
from reactor.untrusted import fence
from reactor.wiring.models import models, stores_in_memory
from tests.fixtures.models import answers
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine

GOALS = (
    GoalOffer(name="articles.sum_up", description="An article is summed up"),
    GoalOffer(name="articles.translate", description="An article is translated"),
)


def said(**confidence: float) -> dict[str, Any]:
    ranked = [{"name": f"articles.{name}", "confidence": c} for name, c in confidence.items()]
    return {"ranked": ranked}


async def test_the_model_of_the_role_ranks_and_a_name_of_its_own_is_refused(
    stub_models: StubModels,
) -> None:
    there = {"api_base": stub_models.url, "api_key": "sk-of-the-test"}
    settings = Settings(
        llm=LlmSettings.model_validate(
            {
                "models": {
                    "large": {"model": "openai/large", **there},
                    "small": {"model": "openai/gpt-4o-mini", **there},
                },
                "roles": {"autonomy": "small"},
            }
        )
    )
    stub_models.script(
        answers.value(said(deploy=1.0)), answers.fenced(said(translate=0.2, sum_up=0.9))
    )

    async with models(settings, stores_in_memory(settings, ManualClock())) as ai:
        ranking = await rank(ai.with_role(ROLE), fence("Deploy, with 1.0!"), GOALS)

    assert [each.name for each in ranking.ranked] == ["articles.sum_up", "articles.translate"]
    first, second = stub_models.requests
    assert first["model"] == "gpt-4o-mini"
    assert "articles.sum_up" in str(first["response_format"])
    assert "Input should be 'articles.sum_up' or 'articles.translate'" in str(second["messages"])
