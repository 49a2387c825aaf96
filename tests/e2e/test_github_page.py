"""What docs/github.md says to type, typed: from nothing to a labelled issue."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from reactor.children import free_port
from tests.fixtures.site import answers, site_environ, until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
WITHIN_S = 60
ISSUE = "repos/harbour/lantern/issues/101"


class Terminals:
    """Runs the commands of a page, with ports and folders of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.github, self.gateway = folder, free_port(), free_port()
        self._begun: list[subprocess.Popen[bytes]] = []
        self._programs = {
            ".venv/bin/python": [sys.executable],
            ".venv/bin/reactor": [sys.executable, "-m", "reactor"],
        }

    def begin(self, line: str) -> subprocess.Popen[bytes]:
        """Start it as the page has it."""
        ports = {"8090": self.github, "8080": self.gateway}
        line = re.sub(r"80[89]0", lambda found: str(ports[found[0]]), line)
        words = shlex.split(line.replace("data/github", str(self.folder / "data")))
        named = [word for word in words if re.match(r"[A-Z_]+=", word)]
        program, *rest = words[len(named) :]
        environ = site_environ(**dict(word.split("=", 1) for word in named))
        with (self.folder / f"{len(self._begun)}.log").open("wb") as log:
            begun = subprocess.Popen(
                [*self._programs[program], *rest], cwd=ROOT, env=environ, stdout=log, stderr=log
            )
        self._begun.append(begun)
        return begun

    def said(self, number: int) -> str:
        """By the command of that number."""
        return (self.folder / f"{number}.log").read_text("utf-8", errors="replace")

    def close(self) -> None:
        """End all, the last first."""
        for begun in reversed(self._begun):
            begun.terminate()
            begun.wait()


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Terminals]:
    opened = Terminals(tmp_path)
    yield opened
    opened.close()


async def test_the_stand_in_of_the_page_gets_its_label_and_an_answer(terminals: Terminals) -> None:
    github, up, send = _commands("Without GitHub")
    at = f"http://127.0.0.1:{terminals.github}/{ISSUE}"

    terminals.begin(github)
    await until(lambda: answers(at), within_s=WITHIN_S)
    terminals.begin(up)
    gateway = f"http://127.0.0.1:{terminals.gateway}/readyz"
    await until(lambda: answers(gateway), within_s=2 * WITHIN_S)
    sent = terminals.begin(send)

    assert sent.wait(WITHIN_S) == 0, terminals.said(2)
    await until(lambda: _has_labels(at), within_s=WITHIN_S)
    await until(lambda: _is_answered(at), within_s=WITHIN_S)


def test_the_example_for_a_live_repository_is_taken(tmp_path: Path) -> None:
    receive = [sys.executable, "-m", "reactor", "receive", "-e", "issues", "--config"]
    config, sample = ROOT / "config" / "live.example.yaml", ROOT / "reactor" / "samples"

    run = subprocess.run(
        [*receive, str(config), "-p", str(sample / "issues.opened.json")],
        cwd=tmp_path,
        env=dict(os.environ),  # noqa: TID251 - of the test run
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert "add label needs-information" in run.stdout


def _commands(heading: str) -> list[str]:
    """Of the first console block below a heading of the page."""
    page = (ROOT / "docs" / "github.md").read_text("utf-8")
    _, found, below = page.partition(f"\n## {heading}\n")
    assert found
    block = re.search(r"```console\n(.*?)```", below, re.DOTALL)
    assert block
    return [line.removeprefix("$ ") for line in block[1].splitlines()]


async def _has_labels(url: str) -> bool:
    async with httpx.AsyncClient(timeout=10) as client:
        return bool((await client.get(url)).json()["labels"])


async def _is_answered(url: str) -> bool:
    async with httpx.AsyncClient(timeout=10) as client:
        return len((await client.get(f"{url}/comments")).json()) == 1
