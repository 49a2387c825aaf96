"""Write requirements.lock: one pinned, hashed set for everything that `make install` installs.

Takes what the root and every component ask for (dependencies, extras, groups but `browser` and
`compare`, build backends), leaves out our own distributions, and lets `uv pip compile` resolve the
rest for all platforms and Python versions at once.  Pins that are in the lock already are kept; `--upgrade`
takes the newest of everything, `--upgrade-package NAME` of one.  No index address is written.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
OLDEST_PYTHON = "3.11"
NOT_INSTALLED = frozenset({"browser", "compare"})  # for those who ask for them


class NoUv(Exception):
    """`uv` resolves for several platforms at once, which pip cannot."""

    def __str__(self) -> str:
        return (
            "uv is not on PATH; install it (`.venv/bin/pip install uv` will do), then `make lock`"
        )


def asked_for(project: Mapping[str, object]) -> Iterator[str]:
    """Every requirement of one pyproject.toml, its build backend's and its groups' included."""
    metadata = _table(project, "project")
    yield from _strings(metadata.get("dependencies"))
    for extra in _table(metadata, "optional-dependencies").values():
        yield from _strings(extra)
    for name, group in _table(project, "dependency-groups").items():
        if name not in NOT_INSTALLED:
            yield from _strings(group)
    yield from _strings(_table(project, "build-system").get("requires"))


def distribution(requirement: str) -> str:
    """The normalised name that a requirement starts with."""
    name = re.split(r"[\s\[<>=!~;@(]", requirement.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def find_uv() -> str:
    """The uv on PATH, else the one of `.venv`.  Raises `NoUv`."""
    found = shutil.which("uv") or shutil.which("uv", path=str(ROOT / ".venv" / "bin"))
    if found is None:
        raise NoUv
    return found


def main(arguments: list[str]) -> int:
    """Resolve and write the lock; the exit code is uv's."""
    files = [ROOT / "pyproject.toml", *sorted(ROOT.glob("components/*/pyproject.toml"))]
    projects = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    ours = {distribution(str(_table(project, "project").get("name"))) for project in projects}
    wanted = {need for project in projects for need in asked_for(project)}
    outside = sorted(need for need in wanted if distribution(need) not in ours)
    command = [
        find_uv(), "pip", "compile", "-", "--output-file", str(LOCK), "--quiet",
        "--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes",
        "--no-annotate", "--custom-compile-command", "make lock", *arguments,
    ]  # fmt: skip
    return subprocess.run(command, input="\n".join(outside), text=True, check=False).returncode


def _table(parent: Mapping[str, object], key: str) -> dict[str, object]:
    child = parent.get(key, {})
    return child if isinstance(child, dict) else {}


def _strings(items: object) -> list[str]:
    return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except NoUv as error:
        sys.exit(str(error))
