"""`reactor new component`, as somebody who begins uses it."""

import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import Result

from reactor.cli.creating import CannotWrite
from reactor.plugins import load
from reactor.scaffold import FolderTaken, NameTaken
from reactor.testing import Workbench, event, ran

Run = Callable[..., Result]


def test_what_is_made_and_what_to_do_now_is_told(run: Run, tmp_path: Path) -> None:
    result = run("new", "component", "label-bugs")

    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "made label-bugs: 10 files"
    told = {Path(line.strip()) for line in lines[1 : lines.index("now:")]}
    there = {
        path.relative_to(tmp_path / "label-bugs")
        for path in (tmp_path / "label-bugs").rglob("*")
        if path.is_file()
    }
    assert told == there
    assert "  cd label-bugs" in lines


async def test_its_sample_is_one_that_its_rule_is_about(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("new", "component", "probe-sample")
    monkeypatch.syspath_prepend(str(tmp_path / "probe-sample"))
    point = EntryPoint("probe-sample", "reactor_probe_sample:COMPONENTS", "reactor.components")
    sample = tmp_path / "probe-sample" / "samples" / "issues.opened.json"

    packages, faults = load([point], {})
    payload = json.loads(sample.read_text(encoding="utf-8"))
    opened = event(f"issues.{payload.pop('action')}", **payload)
    process = await Workbench(*packages).run(opened)

    assert faults == []
    assert ran(process) == ["probe_sample.sort_issue"]


def test_it_goes_into_the_folder_that_is_named(run: Run, tmp_path: Path) -> None:
    result = run("new", "component", "label-bugs", "--into", "teams/ours")

    assert result.exit_code == 0, result.output
    assert (tmp_path / "teams" / "ours" / "label-bugs" / "pyproject.toml").exists()


def test_what_is_there_already_or_cannot_be_written_is_an_error(run: Run, tmp_path: Path) -> None:
    run("new", "component", "label-bugs")
    (tmp_path / "file").write_text("no folder")

    again = run("new", "component", "label-bugs")
    nowhere = run("new", "component", "label-bugs", "--into", "/proc/nowhere")
    taken = run("new", "component", "hello")

    assert isinstance(again.exception, FolderTaken)
    assert isinstance(nowhere.exception, CannotWrite)
    assert isinstance(taken.exception, NameTaken)
