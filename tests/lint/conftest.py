"""Component packages that a test writes, found as an installer would leave them."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from reactor.lint.places import source_of
from reactor.plugins import GROUP
from reactor.settings import Settings
from reactor.wiring.checking import Checked, check
from tests.fixtures.plugins import install_package

Check = Callable[..., Checked]
IMPORTS = """
from reactor import action, component, condition, ActionContext
from reactor.github import AddLabels, Issue, PullRequest
"""


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Check]:
    """Write packages, by name, and check all of them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    written = list[str]()

    def checked(*only: str, imports: str = IMPORTS, **sources: str) -> Checked:
        for name, source in sources.items():
            install_package(tmp_path, name, "\n")
            (tmp_path / f"{name}.py").write_text(imports + source)
            written.append(name)
        return check(Settings(), only, points=_points(sources))

    yield checked
    for name in written:
        sys.modules.pop(name, None)
    source_of.cache_clear()


def _points(names: dict[str, str]) -> list[EntryPoint]:
    return [point for point in entry_points(group=GROUP) if point.name in names]
