"""The lock: everything that is asked for, pinned and hashed, from wherever the reader installs."""

import re
import tomllib
from pathlib import Path

from tools.lock import asked_for, distribution


def pins(root: Path) -> dict[str, str]:
    """Each locked distribution with its block of lines."""
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=[a-z0-9])", text.partition("\n\n")[0])
    return {distribution(block): block for block in blocks if "==" in block}


def test_everything_that_a_pyproject_asks_for_is_locked(root: Path, members: list[Path]) -> None:
    projects = [
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        for folder in (root, *members)
    ]
    ours = {distribution(project["project"]["name"]) for project in projects}
    wanted = {distribution(need) for project in projects for need in asked_for(project)}

    assert sorted(wanted - ours - pins(root).keys()) == []


def test_every_pin_has_a_hash(root: Path) -> None:
    locked = pins(root)

    assert len(locked) > 50
    assert [name for name, block in locked.items() if "--hash=sha256:" not in block] == []


def test_the_lock_names_no_place_to_download_from(root: Path) -> None:
    text = (root / "requirements.lock").read_text(encoding="utf-8")

    places = re.compile(r"://|--index|--find-links|\s@\s")

    assert [line for line in text.splitlines() if places.search(line)] == []
