"""What the guards look at: our modules, our distributions, our pages."""

from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, Module


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def members() -> list[Path]:
    """The folders of the component distributions."""
    return sorted(project.parent for project in ROOT.glob("components/*/pyproject.toml"))


@pytest.fixture(scope="session")
def shipped() -> list[Module]:
    """Every module that goes into a wheel."""
    packages = [ROOT / "reactor", ROOT / "streams", *sorted(ROOT.glob("components/*/reactor_*"))]
    files = (path for package in packages for path in sorted(package.rglob("*.py")))
    return [Module(path) for path in files]


@pytest.fixture(scope="session")
def written() -> list[Module]:
    """Every module of the repository, tests and tools included."""
    parts = ("reactor", "streams", "components", "tests", "tools", "benchmarks")
    files = (path for part in parts for path in sorted((ROOT / part).rglob("*.py")))
    return [Module(path) for path in files]


@pytest.fixture(scope="session")
def pages() -> list[Path]:
    """Every page that people read."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    return sorted([*found, *ROOT.glob("components/*/*.md")])
