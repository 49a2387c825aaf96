"""Decisions in a file beside the test, by the plug-in of pytest."""

import subprocess
import sys
import textwrap
from pathlib import Path

TEST = """
    import pytest
    from reactor import action, component
    from reactor.github import AddLabels, Issue
    from reactor.testing import Workbench, event, issue

    @component(effects=(AddLabels,))
    class Sorter:
        @action(value=0.5)
        async def label(self, issue: Issue) -> AddLabels:
            return AddLabels(labels=("bug",))

        @action(value=0.25)
        async def look(self, issue: Issue) -> None: ...

    @pytest.mark.parametrize("title", ["Crash", "A/B?"])
    async def test_sorted(golden, title):
        golden(await Workbench(Sorter).run(event("issues.opened", issue=issue(title))))
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Pytest in a folder of its own, with what is installed here."""
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\nasyncio_mode = "auto"\n')
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_files_are_written_when_asked_for_and_compared_from_then_on(tmp_path: Path) -> None:
    test = tmp_path / "test_sorter.py"
    test.write_text(textwrap.dedent(TEST))

    missing = run(tmp_path)
    written = run(tmp_path, "--update-golden")
    same = run(tmp_path)
    test.write_text(test.read_text().replace("value=0.25", "value=0.75"))
    other = run(tmp_path)

    assert "pytest --update-golden writes it" in missing.stdout
    assert written.returncode == 0, written.stdout
    names = sorted(path.name for path in (tmp_path / "golden").iterdir())
    assert names == ["test_sorted_A_B.json", "test_sorted_Crash.json"]
    assert same.returncode == 0, same.stdout
    assert "decided otherwise than" in other.stdout
    assert '-      "action": "sorter.label",' in other.stdout
    assert '+      "action": "sorter.look",' in other.stdout


def test_the_plug_in_costs_nothing_where_nobody_asks(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        textwrap.dedent("""
            import sys

            def test_nothing_is_loaded():
                assert "pydantic" not in sys.modules
                assert "reactor.testing" not in sys.modules
        """)
    )

    assert run(tmp_path, "-p", "no:hypothesispytest").returncode == 0
