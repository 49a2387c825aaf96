"""A team's package: complete by itself, and tied to Reactor by its public names alone."""

import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, Module

MEMBERS = sorted(project.parent for project in ROOT.glob("components/*/pyproject.toml"))

# What a component may import of us.  Everything below these names is ours to move.
PUBLIC = {"reactor", "reactor.ai", "reactor.community", "reactor.github", "reactor.testing"}


def package_of(member: Path) -> str:
    """What it is imported as."""
    return f"reactor_{member.name.replace('-', '_')}"


each_member = pytest.mark.parametrize("member", MEMBERS, ids=[m.name for m in MEMBERS])


def modules_of(member: Path) -> list[Module]:
    return [Module(path) for path in sorted(member.rglob("*.py"))]


@each_member
def test_a_component_knows_only_the_public_names_of_reactor(member: Path) -> None:
    inside = [
        f"{module} imports {name}"
        for module in modules_of(member)
        for name in sorted(module.imported)
        if name.partition(".")[0] in {"reactor", "streams", "tests", "tools"} - {member.name}
        and name not in PUBLIC
    ]

    assert inside == []


@each_member
def test_a_component_knows_no_other_component(member: Path) -> None:
    others = {package_of(other) for other in MEMBERS} - {package_of(member)}
    known = [
        f"{module} imports {name}"
        for module in modules_of(member)
        for name in sorted(module.imported)
        if name.partition(".")[0] in others
    ]

    assert known == []


@each_member
def test_a_component_is_a_distribution_of_its_own(member: Path) -> None:
    text = (member / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]

    assert project["name"] == f"reactor-{member.name}"
    assert list(project["entry-points"]["reactor.components"]) == [member.name]
    assert (member / package_of(member) / "__init__.py").exists()
    assert (member / package_of(member) / "py.typed").exists()
    for part in ("README.md", "CHANGELOG.md", "tests"):
        assert (member / part).exists(), part


@each_member
def test_an_installed_component_is_found_by_its_entry_point(member: Path) -> None:
    found = entry_points(group="reactor.components", name=member.name)

    assert [point.dist.name for point in found if point.dist] == [f"reactor-{member.name}"]


def test_reactor_itself_names_no_team(root: Path) -> None:
    teams = {package_of(member) for member in MEMBERS}
    ours = [Module(p) for part in ("reactor", "streams") for p in (root / part).rglob("*.py")]

    naming = [str(m) for m in ours if teams & {name.partition(".")[0] for name in m.imported}]

    assert naming == []
