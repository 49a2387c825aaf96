"""What is said of a decision, for people."""

from pathlib import Path

import pytest

from reactor.cli.receiving import read_delivery
from reactor.explain import ToldDelivery
from reactor.sentences import six_lines, spent_sentence
from reactor.settings import Settings
from reactor.wiring.memory import receive

SAMPLE = Path(__file__).parents[1] / "reactor" / "samples" / "issues.opened.urgent.json"


@pytest.fixture
async def told() -> ToldDelivery:
    """An urgent issue, decided by the components of this repository."""
    document, _ = await receive(Settings(), read_delivery(SAMPLE, "issues", "d-1"))
    return document


async def test_what_was_read_from_a_file_never_was_on_a_topic(told: ToldDelivery) -> None:
    assert six_lines(told)[1] == "topic       none: read from a file, no server involved"


@pytest.mark.parametrize(
    ("topic", "line"),
    [("reactor.deliveries[2]@17", "reactor.deliveries[2]@17"), (None, "not known")],
)
async def test_where_a_delivery_lies_is_said_or_that_it_is_not_known(
    told: ToldDelivery, topic: str | None, line: str
) -> None:
    told["topic"] = topic

    assert six_lines(told)[1].startswith(f"topic       {line}")
    assert "file" not in six_lines(told)[1]


async def test_what_models_have_cost_is_said_where_one_was_asked(told: ToldDelivery) -> None:
    (process,) = told["processes"]
    by_rules = spent_sentence(process)

    process["usage"] = {"model_calls": 2, "tokens": 4200, "cost_usd": 0.0123}

    assert by_rules == ""
    assert spent_sentence(process) == "2 calls of models, 4,200 tokens, 0.012300 USD"
