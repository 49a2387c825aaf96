"""An explanation on a terminal."""

import io
from pathlib import Path

from rich.console import Console

from reactor.cli.receiving import read_delivery
from reactor.cli.render import show
from reactor.settings import Settings
from reactor.wiring.memory import receive

SAMPLE = Path(__file__).parents[2] / "reactor" / "samples" / "issues.opened.json"


async def test_it_is_told_which_model_was_asked_and_what_that_cost() -> None:
    told, _ = await receive(Settings(), read_delivery(SAMPLE, "issues", "d-1"))
    (process,) = told["processes"]
    process["usage"] = {"model_calls": 1, "tokens": 120, "cost_usd": 0.000027}
    process["ticks"][1]["models"] = ["small"]
    written = io.StringIO()

    show(told, Console(file=written, width=200))

    lines = written.getvalue().splitlines()
    assert "spent: 1 call of models, 120 tokens, 0.000027 USD" in lines
    (second,) = (line for line in lines if line.startswith("tick 2:"))
    assert "triage.react_to_new_issue (asked small) -> IssueAssessment" in second
