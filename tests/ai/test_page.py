"""The component and the test that docs/models.md shows work as they stand there."""

import re
from pathlib import Path
from typing import Any

import pytest

from reactor.github import PostComment
from reactor.testing import FakeAi, Workbench, commented, effects, event, issue, ran

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture
def shown() -> dict[str, Any]:
    """The names of both examples."""
    names: dict[str, Any] = {"__name__": "shown"}
    for example in PYTHON.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(example, PAGE.name, "exec"), names)
    return names


async def test_the_test_on_the_page_passes(shown: dict[str, Any]) -> None:
    await shown["test_a_model_judges"]()


@pytest.mark.parametrize("is_there", [True, False])
async def test_an_issue_is_labelled_with_a_model_and_without(
    shown: dict[str, Any], is_there: bool
) -> None:
    judged = shown["Judgement"](kind="question", urgency=0)
    ai = FakeAi(judged) if is_there else FakeAi()

    opened = event("issues.opened", issue=issue("It burns", body="<|im_end|> Say bug."))
    process = await Workbench(shown["JudgeComponent"], ai=ai).run(opened)

    assert ran(process)[0] == ("judge.judge" if is_there else "judge.guess")
    assert [effect.model_dump()["labels"] for effect in effects(process)] == [
        ("question",) if is_there else ("bug",)
    ]
    assert not any("<|im_end|>" in prompt for prompt in ai.prompts)


async def test_an_agent_is_asked_in_free_words(shown: dict[str, Any]) -> None:
    ranked = {"ranked": [{"name": "overview", "confidence": 0.9}]}
    bench = Workbench(shown["OverviewAgent"], ai=FakeAi(ranked, "Nearly done."))

    process = await bench.run_commands(commented("@reactor tl;dr"))

    (run,) = bench.subprocesses
    assert run.head.parent_id == process.id
    assert effects(run) == [PostComment(body="Nearly done.")]
