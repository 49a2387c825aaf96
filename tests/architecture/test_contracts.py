"""The import contracts of pyproject.toml catch what they are there to catch."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# (what is broken, the module that breaks it, the import that does)
BREACHES = [
    ("Layers", "reactor/delivery.py", "import reactor.blackboard"),
    ("Layers", "reactor/ports.py", "import reactor.worker"),
    ("Each client library", "reactor/worker.py", "import redis.asyncio"),
    ("Each client library", "reactor/effect.py", "import httpx"),
    ("Each client library", "reactor/web/__init__.py", "import aiokafka"),
    ("Each client library", "streams/codec.py", "import redis"),
    ("Only the composition root knows streams", "reactor/worker.py", "import streams.codec"),
    ("Streams know deliveries and topics", "streams/codec.py", "import reactor.blackboard"),
    ("The engine knows no product", "reactor/ports.py", "import reactor.github.models"),
    ("Planners are pure", "reactor/plan/utility.py", "import reactor.blackboard"),
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


@pytest.mark.parametrize(("contract", "module", "breach"), BREACHES)
def test_a_breach_is_caught(copied: Path, contract: str, module: str, breach: str) -> None:
    path = copied / module
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{breach}\n", encoding="utf-8")

    said = report(copied)

    assert contract in said.partition("Broken contracts")[2]


def test_a_module_that_nobody_placed_is_caught(copied: Path) -> None:
    (copied / "reactor" / "newcomer.py").write_text('"""New."""\n', encoding="utf-8")

    said = report(copied)

    assert "not listed as layers" in said
    assert "reactor.newcomer" in said
