"""The command that the page on components declares works as it stands there."""

import re
from pathlib import Path

import pytest

from reactor import Effect, Role
from reactor.github import PostComment, React
from reactor.testing import Workbench, commented, effects

PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def mannered(root: Path) -> type:
    """The component of the page."""
    page = (root / "docs" / "components.md").read_text(encoding="utf-8")
    (example,) = [code for code in PYTHON.findall(page) if "class ThankCommand" in code]
    names: dict[str, object] = {"__name__": "shown_command"}
    exec(compile(example, "components.md", "exec"), names)
    found = names["ManneredComponent"]
    assert isinstance(found, type)
    return found


async def asked(component: type, text: str, *, role: Role = Role.TRIAGE) -> list[Effect]:
    return effects(await Workbench(component).run_commands(commented(text), role=role))


async def test_it_does_what_is_asked(mannered: type) -> None:
    heard, thanked, done = await asked(mannered, "/thank @other the answer")

    assert isinstance(thanked, PostComment)
    assert thanked.body == "Thank you, other, for the answer!"
    assert [each.content for each in (heard, done) if isinstance(each, React)] == ["eyes", "+1"]


async def test_it_declines_with_its_reason(mannered: type) -> None:
    *_, explained = await asked(mannered, "/thank octocat")

    assert explained == PostComment(body="- `nobody is thanked by themselves`")
