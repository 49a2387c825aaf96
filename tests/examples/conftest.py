"""Models for the examples: a stub of a provider, asked over HTTP through LiteLLM."""

from collections.abc import AsyncIterator

import pytest

from reactor.adapters.clock import ManualClock
from reactor.ai import Ai
from reactor.settings import LlmSettings, Settings
from reactor.wiring.models import models, stores_in_memory
from tests.fixtures.models.server import StubModels


@pytest.fixture
async def stub_ai(stub_models: StubModels) -> AsyncIterator[Ai]:
    """What actions are given, as in a worker whose one model is the stub."""
    small = {"model": "openai/gpt-4o-mini", "api_base": stub_models.url, "api_key": "sk-of-a-test"}
    settings = Settings(llm=LlmSettings.model_validate({"models": {"small": small}}))
    async with models(settings, stores_in_memory(settings, ManualClock())) as ai:
        yield ai
