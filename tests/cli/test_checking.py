"""`reactor components check` on what is installed here."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from reactor.cli.checking import UnknownPackage
from reactor.wiring.checking import NotInstalled
from tests.fixtures.plugins import install_package

Run = Callable[..., Result]

BROKEN = """
from reactor import action, component
from reactor.github import Issue

@component
class Broken:
    @action(pre=["isue.title != ''"])
    async def go(self, issue: Issue) -> None: ...

COMPONENTS = (Broken,)
"""


def test_the_components_of_this_repository_have_neither_faults_nor_warnings(run: Run) -> None:
    result = run("components", "check", "--strict")

    assert result.exit_code == 0, result.stdout
    last = result.stdout.splitlines()[-1]
    assert last.startswith("components check: packages=5 errors=0 warnings=0 notes=")


def test_notes_on_all_packages_are_told_where_they_are_wanted(run: Run) -> None:
    few, all_of_them = run("components", "check"), run("components", "check", "--notes")

    count = len(all_of_them.stdout.splitlines()) - 1
    assert count > 0
    assert few.stdout == (
        f"components check: packages=5 errors=0 warnings=0 notes={count} (--notes shows them)\n"
    )


def test_what_comes_with_a_comment_is_not_called_out_of_reach(run: Run) -> None:
    result = run("components", "check", "reactor-commanding", "--strict")

    assert result.exit_code == 0, result.stdout


def test_a_fault_is_told_with_its_line_and_exit_code_1(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_package(tmp_path, "broken", BROKEN)
    monkeypatch.syspath_prepend(str(tmp_path))

    result = run("components", "check", "broken")
    told = json.loads(run("components", "check", "broken", "--json").stdout)

    assert result.exit_code == 1
    fault, last = result.stdout.splitlines()
    assert fault.startswith("broken.py:7: error [fault] broken: broken.go has a bad precondition")
    assert last == "components check: packages=1 errors=1 warnings=0 notes=0"
    assert told["findings"][0]["spot"] == {"file": "broken.py", "line": 7}


def test_a_page_for_each_package_is_written_into_a_folder(run: Run, tmp_path: Path) -> None:
    result = run("components", "docs", "--out", "pages")

    assert result.exit_code == 0
    page = (tmp_path / "pages" / "triage.md").read_text(encoding="utf-8")
    assert "### triage.label_issue" in page
    assert "| `urgent_at` | `float` | `0.7` |" in page
    assert "[triage](triage.md)" in (tmp_path / "pages" / "index.md").read_text(encoding="utf-8")


def test_one_page_is_printed_and_a_package_that_is_not_there_is_an_error(run: Run) -> None:
    printed, unknown = run("components", "docs", "hello"), run("components", "docs", "hallo")

    assert printed.stdout.startswith("# hello\n")
    assert isinstance(unknown.exception, UnknownPackage)
    assert "there are: commands, community, duplicates, hello" in str(unknown.exception)


def test_a_package_that_is_not_there_is_not_called_free_of_faults(run: Run) -> None:
    unknown = run("components", "check", "hallo")

    assert isinstance(unknown.exception, NotInstalled)
    assert str(unknown.exception) == ("no package 'hallo' is installed here; did you mean 'hello'?")
