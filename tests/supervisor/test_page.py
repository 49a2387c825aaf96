"""The example of docs/models.md in which a model decides works as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest

from reactor import Package, Platform
from reactor.ai import Ai
from reactor.testing import FakeAi

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture
def shown() -> dict[str, Any]:
    """The names of the example."""
    examples = PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    (example,) = (found for found in examples if "@request_type" in found)
    names: dict[str, Any] = {"__name__": "shown"}
    exec(compile(example, PAGE.name, "exec"), names)
    return names


def test_a_model_looks_things_up_and_the_question_is_answered(shown: dict[str, Any]) -> None:
    ai = FakeAi(FakeAi.calls(look_up={"words": "tea"}), FakeAi.calls("summarise"))
    package = Package(name="handbook", components=(shown["Desk"],))
    platform = Platform(packages=[package], services={Ai: ai})

    summary = shown["answer"](platform, shown["Question"]("How is tea made?"))

    assert summary == shown["Summary"]("Nothing about tea.")
    assert "Look something up in the handbook." in ai.requests[0].tools[0].description
