"""A component of somebody else's: from the template, as a wheel, beside the others.

Run by the Python of an environment in which the wheels are installed, in a folder of its own; the
argument is a Python that has what builds wheels.  Exits with 1 and a sentence where something is
not as it should be.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

NAME = "probe-crashes"
ACTION = "probe_crashes.sort_issue"
LOWER = "hello.mark_as_new"  # of another package
BIN = Path(sys.executable).parent


class Probe:
    """The folder of the component, and the environment that it is installed in."""

    def __init__(self, builder: str) -> None:
        self._builder = builder
        self.folder = Path(NAME)

    def reactor(self, *words: str, expected: int = 0) -> str:
        """What a command of the installed Reactor says."""
        return _ran(BIN / "reactor", *words, expected=expected)

    def install(self) -> None:
        """Build the wheel anew, and install it and nothing else."""
        built = ("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
        _ran(self._builder, "-m", *built, "--wheel-dir", "probe", f"./{self.folder}")
        newest = max(Path("probe").glob("*.whl"))
        _ran(BIN / "pip", "install", "--quiet", "--no-deps", "--upgrade", newest)

    def change(self, file: str, old: str, new: str) -> None:
        """Edit a file of the component."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        _hold(old in text, f"{path} has no {old!r}")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def process(self) -> dict[str, Any]:
        """What comes of the sample of the template."""
        sample = str(self.folder / "samples" / "issues.opened.json")
        told = json.loads(self.reactor("receive", "-e", "issues", "-p", sample, "--json"))
        process: dict[str, Any] = told["processes"][0]
        return process


def main(builder: str) -> None:
    """All of it, in order."""
    probe = Probe(builder)
    made = probe.reactor("new", "component", NAME)
    _hold(f"made {NAME}" in made, made)
    probe.install()

    listed = json.loads(probe.reactor("components", "--json"))["packages"]
    found = {package["name"]: package["distribution"] for package in listed}
    _hold(found.get(NAME) == f"reactor-{NAME}", f"it is not discovered: {found}")
    probe.reactor("components", "check", NAME, "--strict")
    tested = _ran(BIN / "pytest", "-q", "-p", "no:cacheprovider", probe.folder / "tests")
    _hold("4 passed" in tested, tested)
    print(f"probe: {NAME} is discovered, has no fault, and its 4 tests pass")

    tick = next(tick for tick in probe.process()["ticks"] if tick["chosen"] == ACTION)
    worth = {each["action"]: each["net_value"] for each in tick["candidates"]}
    _hold(worth[ACTION] > worth[LOWER], f"it does not win: {worth}")
    print(f"probe: {ACTION} {worth[ACTION]:+.2f} wins over {LOWER} {worth[LOWER]:+.2f}")

    probe.change("pyproject.toml", 'version = "0.1.0"', 'version = "0.1.1"')
    probe.change(
        f"reactor_{NAME.replace('-', '_')}/component.py",
        "effects=(AddLabels, PostComment)",
        "effects=(AddLabels,)",
    )
    probe.install()
    refused = probe.reactor("components", "check", NAME, expected=1)
    _hold("PostComment" in refused and NAME in refused, refused)
    done = [tick["chosen"] for tick in probe.process()["ticks"]]
    _hold(LOWER in done and ACTION not in done, f"the others do not go on: {done}")
    print(f"probe: its undeclared effect is refused by name: {refused.splitlines()[0]}")


def _ran(*command: str | Path, expected: int = 0) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    said = ended.stdout + ended.stderr
    words = " ".join(map(str, command))
    _hold(ended.returncode == expected, f"{words} ended with {ended.returncode}:\n{said}")
    return ended.stdout


def _hold(condition: bool, otherwise: str) -> None:  # noqa: FBT001 - as `assert` would
    if not condition:
        print(f"probe: {otherwise}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
