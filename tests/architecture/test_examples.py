"""The components that the pages show work as they stand there."""

import re
from pathlib import Path

from reactor.effect import Effect
from reactor.testing import Workbench, effects, event, issue

PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


def shown_components(page: Path) -> list[type]:
    """The component classes of the first example on a page."""
    example = PYTHON.findall(page.read_text(encoding="utf-8"))[0]
    names: dict[str, object] = {"__name__": "shown"}
    exec(compile(example, page.name, "exec"), names)
    found = names["COMPONENTS"]
    assert isinstance(found, tuple)
    return list(found)


async def asked_for(page: Path, *, title: str, body: str) -> list[Effect]:
    opened = event("issues.opened", issue=issue(title, body=body))
    return effects(await Workbench(*shown_components(page)).run(opened))


async def test_the_component_of_the_readme_labels_a_crash_and_nothing_else(root: Path) -> None:
    page = root / "README.md"

    crash = await asked_for(page, title="Crash on start", body="")
    other = await asked_for(page, title="Nicer colours", body="")

    assert [effect.model_dump()["labels"] for effect in crash] == [("bug",)]
    assert other == []


async def test_the_component_of_the_page_on_components_labels_by_place(root: Path) -> None:
    page = root / "docs" / "components.md"

    ours = await asked_for(page, title="Slow", body="I looked into streams/ and")
    other = await asked_for(page, title="Slow", body="")

    assert [effect.model_dump()["labels"] for effect in ours] == [("streams",)]
    assert [effect.model_dump()["labels"] for effect in other] == [("unsorted",)]
