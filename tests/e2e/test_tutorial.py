"""The tutorial, followed word for word by a script: it gives what the page shows."""

import fnmatch
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from reactor.children import free_port
from tests.fixtures.site import site_environ

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ENDING = "trap 'kill %1 2>/dev/null || true; wait' EXIT\n"
SENT = re.compile(r"reactor send .*--delivery (\S+)")

# What a reader waits for without being told: that it says so, and that it is done.
READY = 'until curl --silent --fail --output /dev/null "$GATEWAY/readyz"; do sleep 0.2; done'
SETTLED = 'until curl --silent "$GATEWAY/api/deliveries/ID" | grep -q settled; do sleep 0.2; done'


def followed(page: str) -> str:
    """The page as a script: commands are run, files written, and what is printed is marked.

    Each group of commands prints `== N` first, so that it can be told whose output is whose.
    """
    lines = ["set -eu"]
    for number, (language, text) in enumerate(BLOCK.findall(page)):
        if language == "python":
            path = text.partition("\n")[0].removeprefix("# ")
            lines.append(f"cat > {path} <<'END_OF_FILE'\n{text}END_OF_FILE")
        elif language == "console":
            lines.append(f"echo '== {number}'")
            for command in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
                lines.append(command)
                if command.endswith("&"):
                    lines.append(READY)
                lines += [SETTLED.replace("ID", id) for id in SENT.findall(command)]
    return "\n".join(lines) + "\n"


def shown(page: str) -> dict[int, list[str]]:
    """What the page shows of the output of each group of commands."""
    blocks = BLOCK.findall(page)
    return {
        number - 1: text.splitlines()
        for number, (language, text) in enumerate(blocks)
        if language == "text"
    }


def is_shown(printed: str, lines: list[str]) -> bool:
    """Whether the lines come in this order; `...` stands for anything, also for whole lines."""
    left = iter(" ".join(line.split()) for line in printed.splitlines())
    patterns = [
        re.sub(r"\s*\.\.\.\s*", "*", re.sub(r"([\[?])", r"[\1]", " ".join(line.split())))
        for line in lines
        if line != "..."
    ]
    return all(any(fnmatch.fnmatchcase(line, pattern) for line in left) for pattern in patterns)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment beside that of the test run, with all that is installed there."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    packages = sysconfig.get_path("purelib")
    site = next((venv / "lib").glob("python*/site-packages"))
    (site / "_tested.pth").write_text(f"import site; site.addsitedir({packages!r})\n")
    for name in ("reactor", "pytest"):
        script = venv / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{venv}/bin/python" -m {name} "$@"\n')
        script.chmod(0o755)
    offline = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1"}  # 0: the option is "no-", so off
    path = f"{venv / 'bin'}{os.pathsep}{site_environ()['PATH']}"
    return {**site_environ(PATH=path), **offline, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def test_it_gives_what_it_shows(environment: dict[str, str], tmp_path: Path) -> None:
    port, console = free_port(), free_port()
    page = PAGE.read_text(encoding="utf-8")
    script = followed(page.replace("8080", str(port)).replace("8081", str(console)))
    (tmp_path / "work").mkdir()

    ended = subprocess.run(
        [
            "bash",
            "-m",
            "-c",
            f"{ENDING}GATEWAY=http://127.0.0.1:{port}\n{script}",
        ],
        cwd=tmp_path / "work",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    (tmp_path / "printed").write_text(ended.stdout)
    printed = dict(
        re.findall(r"^== (\d+)\n(.*?)(?=^== |\Z)", ended.stdout, re.DOTALL | re.MULTILINE)
    )
    for number, lines in shown(page).items():
        assert is_shown(printed[str(number)], lines), f"{lines}\nwas:\n{printed[str(number)]}"


def test_a_page_that_shows_something_else_would_be_found() -> None:
    assert is_shown(
        "a\nmade x: 10 files\n  y\n4 passed in 0.2s", ["made x: ...", "4 passed in ..."]
    )
    assert not is_shown("made x: 10 files", ["made y: ..."])
    assert not is_shown("4 passed\nmade x", ["made x", "4 passed"])
