"""What is written for a new component, looked at as its team would."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from reactor.scaffold import ComponentName, Created, FolderTaken, create, named, place_of
from reactor.scaffold.names import LONGEST
from tests.architecture.repository import ROOT

NAMES = ["a", "label-bugs", "n" * LONGEST]
BIN = Path(sys.executable).parent


@pytest.fixture(params=[True, False], ids=["in a workspace", "elsewhere"])
def in_workspace(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=NAMES, ids=["short", "usual", "long"])
def made(request: pytest.FixtureRequest, tmp_path: Path, in_workspace: bool) -> Created:
    return create(named(request.param), tmp_path, in_workspace=in_workspace)


def test_it_is_a_distribution_with_an_entry_point(made: Created) -> None:
    name = ComponentName(made.folder.name)
    project = tomllib.loads((made.folder / "pyproject.toml").read_text(encoding="utf-8"))

    points = project["project"]["entry-points"]["reactor.components"]
    assert points == {name.name: f"{name.package}:COMPONENTS"}
    assert project["project"]["name"] == name.distribution
    assert ("pytest" in project["tool"]) is not made.in_workspace  # there it is the root's


@pytest.mark.parametrize("text", NAMES, ids=["short", "usual", "long"])
def test_in_a_checkout_it_is_written_as_the_house_writes(text: str, tmp_path: Path) -> None:
    create(named(text), tmp_path / "components", in_workspace=True)

    for words in (("check",), ("format", "--check", "--diff")):
        looked = subprocess.run(
            [BIN / "ruff", *words, "--config", ROOT / "pyproject.toml", "--no-cache", "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

        assert looked.returncode == 0, looked.stdout + looked.stderr


def test_its_tests_pass_where_reactor_is_installed(tmp_path: Path) -> None:
    made = create(named("probe-crashes"), tmp_path, in_workspace=False)

    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"],
        cwd=made.folder,
        env={"PATH": str(BIN)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "4 passed" in tested.stdout, tested.stdout + tested.stderr


def test_what_is_there_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "label-bugs").mkdir()

    with pytest.raises(FolderTaken, match="stays as it is"):
        create(named("label-bugs"), tmp_path, in_workspace=False)

    assert list((tmp_path / "label-bugs").iterdir()) == []


def test_in_a_checkout_it_goes_to_the_other_components(tmp_path: Path) -> None:
    (tmp_path / "components").mkdir()
    (tmp_path / "reactor" / "scaffold").mkdir(parents=True)

    assert place_of(None, tmp_path) == (tmp_path / "components", True)
    assert place_of(tmp_path / "components", Path("/")) == (tmp_path / "components", True)
    assert place_of(tmp_path / "elsewhere", tmp_path) == (tmp_path / "elsewhere", False)


def test_a_folder_of_components_that_is_no_checkout_is_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "components").mkdir()

    assert place_of(None, tmp_path) == (tmp_path, False)
