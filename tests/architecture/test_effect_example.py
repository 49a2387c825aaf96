"""The kind of effect that the page on components adds works as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest

from reactor import AlreadyDone, EffectDelayed, EffectRefused
from reactor.testing import Workbench, attempt, effects, event, issue

PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture
def shown(root: Path) -> dict[str, Any]:
    """The names of the example."""
    page = (root / "docs" / "components.md").read_text(encoding="utf-8")
    (example,) = (found for found in PYTHON.findall(page) if "@executes" in found)
    names: dict[str, Any] = {"__name__": "shown"}
    exec(compile(example, "components.md", "exec"), names)
    return names


async def test_its_action_asks_for_the_effect_and_sends_nothing(shown: dict[str, Any]) -> None:
    bench = Workbench(shown["OnCallComponent"])

    process = await bench.run(event("issues.opened", issue=issue("Outage in Oslo")))

    assert effects(process) == [shown["Page"](text="Outage in Oslo")]
    assert effects(process)[0].describe() == "page whoever is on call: Outage in Oslo"
    assert bench.platform.executor_of(shown["Page"]) is not None


async def test_its_executor_writes_once_and_finds_what_an_earlier_try_has_written(
    shown: dict[str, Any],
) -> None:
    on_call, page = shown["OnCallComponent"](), shown["Page"](text="Outage in Oslo")

    first = await on_call.page(page, attempt("k-1"))
    second = await on_call.page(page, attempt("k-1", number=2, may_be_done=True))
    other = await on_call.page(page, attempt("k-2", number=2, may_be_done=True))

    assert first == other == "Outage in Oslo"
    assert second == AlreadyDone("Outage in Oslo")
    assert list(on_call.pager.pages) == ["k-1", "k-2"]


async def test_it_refuses_for_good_and_delays_for_a_while(shown: dict[str, Any]) -> None:
    on_call, kind = shown["OnCallComponent"](), shown["Page"]

    with pytest.raises(EffectRefused):
        await on_call.page(kind(text=" "), attempt())
    on_call.is_quiet = True
    with pytest.raises(EffectDelayed):
        await on_call.page(kind(text="Outage"), attempt())
