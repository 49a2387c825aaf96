"""The import contracts of pyproject.toml catch what they are there to catch."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Each breaks a contract: the module, and what it must not import.
BREACHES = [
    ("reactor.delivery", "reactor.blackboard"),
    ("reactor.ports", "reactor.worker"),
    ("reactor.worker", "reactor.github.models"),
    ("reactor.options", "redis"),
    ("reactor.effect", "httpx"),
    ("reactor.web.app", "aiokafka"),
    ("streams.record", "redis"),
    ("reactor.scope", "streams.record"),
    ("streams.record", "reactor.blackboard"),
    ("reactor.adapters.memory", "reactor.platform"),
    ("reactor.github.facts", "reactor.runner"),
    ("reactor.plan.utility", "reactor.blackboard"),
]


def report(folder: Path) -> str:
    """What import-linter says of the packages in `folder`."""
    linter = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    run = subprocess.run(linter, cwd=folder, capture_output=True, text=True, check=False)
    return " ".join(run.stdout.split())


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """The packages and the contracts, in a folder where they may be broken."""
    for package in ("reactor", "streams"):
        shutil.copytree(
            root / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(root / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_are_kept(copied: Path) -> None:
    assert " 0 broken." in report(copied)


def test_every_breach_is_caught(copied: Path) -> None:
    for module, imported in BREACHES:
        path = copied.joinpath(*module.split(".")).with_suffix(".py")
        path.write_text(f"{path.read_text('utf-8')}\nimport {imported}\n", encoding="utf-8")

    said = report(copied)

    broken = said.partition("Broken contracts")[2]
    assert [breach for breach in BREACHES if " -> ".join(breach) not in broken] == []
    assert " 0 kept, " in said


def test_a_module_that_nobody_placed_is_caught(copied: Path) -> None:
    (copied / "reactor" / "newcomer.py").write_text('"""New."""\n', encoding="utf-8")

    said = report(copied)

    assert "not listed as layers" in said
    assert "reactor.newcomer" in said
