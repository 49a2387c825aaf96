"""Prices of models, read from the list that LiteLLM brings, without importing it."""

import subprocess
import sys

import pytest

from reactor.adapters.litellm_models import Provided
from reactor.adapters.litellm_prices import prices_of
from reactor.ai.prices import Price


def test_what_the_settings_say_counts() -> None:
    said = Provided(model="openai/gpt-4o-mini", usd_per_million_input=3.0)

    assert prices_of({"small": said}) == {"small": Price(3e-06, 0.0)}


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o-mini", "gpt-4o-mini", "anthropic/claude-sonnet-latest"]
)
def test_else_the_list_does_with_the_provider_named_or_not_and_by_another_name(model: str) -> None:
    found = prices_of({"small": Provided(model=model)})["small"]

    assert 0 < found.prompt < found.answer < 0.001


def test_a_model_that_nobody_knows_has_no_price() -> None:
    assert prices_of({"mine": Provided(model="openai/of-my-own")}) == {}


def test_a_price_that_is_known_needs_no_litellm() -> None:
    code = (
        "import sys; from reactor.adapters.litellm_models import Provided;"
        "from reactor.adapters.litellm_prices import prices_of;"
        "assert prices_of({'a': Provided(model='openai/gpt-4o-mini')});"
        "print('litellm' in sys.modules)"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "False"


def test_a_prompt_is_not_thought_too_cheap() -> None:
    price = Price(prompt=1.0, answer=10.0)

    assert price.at_most(300, 2) == 121.0
    assert price.at_most(0, None) == 10_001.0
    assert price.at_most(15_000, 0) >= price.of(3000, 0)  # of as many words
