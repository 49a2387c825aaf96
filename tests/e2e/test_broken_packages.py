"""Four packages that are broken, each in its own way: all are named, and harm nobody else."""

import html
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from reactor.children import free_port
from tests.fixtures.plugins import install_package
from tests.fixtures.site import SAMPLES, Site, answers, post, terminate, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

SAMPLE = SAMPLES / "issues.opened.urgent.json"

BREAKS_AT_IMPORT = "import nowhere_to_be_found\n"

BLOCKS = """
    import time

    from reactor import action, component
    from reactor.github import Issue

    @component
    class Blocks:
        @action(value=0.95)
        async def hold_up(self, issue: Issue) -> None:
            "Ask somebody, and let everybody wait for it."
            wait = getattr(time, "sleep")  # so that no lint sees it
            wait(5)

    COMPONENTS = (Blocks,)
"""

GIVES_GARBAGE = """
    from reactor import action, component
    from reactor.github import AddLabels, Issue

    @component(effects=(AddLabels,))
    class Garbage:
        @action(value=0.93)
        async def label(self, issue: Issue) -> AddLabels:
            "Label it, it says."
            return {"labels": ["garbage"]}

    COMPONENTS = (Garbage,)
"""

CLAIMS = """
    from reactor import action, component
    from reactor.github import AddLabels, Issue

    @component(name="triage", effects=(AddLabels,))
    class Claims:
        @action(value=0.99)
        async def label_issue(self, issue: Issue) -> AddLabels:
            "What another package does under this name."
            return AddLabels(labels=("claimed",))

    COMPONENTS = (Claims,)
"""

BROKEN = {
    "breaks_at_import": BREAKS_AT_IMPORT,
    "blocks": BLOCKS,
    "gives_garbage": GIVES_GARBAGE,
    "claims": CLAIMS,
}
THEIRS = frozenset({"blocks.hold_up", "garbage.label"})


def start(site: Site, name: str, data: Path, *words: str) -> subprocess.Popen[bytes]:
    """`reactor up` of the site."""
    at = ("--host", "127.0.0.1", "--port", str(site.port), "--data", str(data))
    return site.start(name, "up", *at, *words)


def run(site: Site, *words: str) -> tuple[int, str]:
    """A command to its end: its exit code and what it printed."""
    ended = subprocess.run(
        [sys.executable, "-m", "reactor", *words],
        env=dict(site.environ),
        cwd=site.folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


async def settle(site: Site, delivery: str) -> Mapping[str, Any]:
    """Send the sample, and what has become of it."""
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
    async with site.client() as client:
        await post(client, "issues", SAMPLE.read_bytes(), delivery)
        told: dict[str, Any] = {}

        async def is_settled() -> bool:
            nonlocal told
            told = (await client.get(f"{site.url}/api/deliveries/{delivery}")).json()
            return told.get("status") == "settled"

        await until(is_settled, within_s=90)
    return told


def wanted(site: Site, delivery: str, data: Path) -> list[str]:
    """The effects that were asked for, in words."""
    code, told = run(site, "explain", delivery, "--json", "--data", str(data))
    assert code == 0, told
    (process,) = json.loads(told)["processes"]
    chosen = [tick["chosen"] for tick in process["ticks"] if tick["chosen"]]
    ran = [action for action in chosen if action not in THEIRS]
    return [*ran, *(effect["would"] for effect in process["effects"])]


@pytest.fixture
def broken(embedded_site: Site, tmp_path: Path) -> Site:
    """The same site, with the four packages installed beside the others."""
    (tmp_path / "packages").mkdir()
    for name, source in BROKEN.items():
        install_package(tmp_path / "packages", name, source)
    environ = {**embedded_site.environ, "PYTHONPATH": str(tmp_path / "packages")}
    return replace(
        embedded_site, environ=environ, port=free_port(), processes=embedded_site.processes
    )


async def test_each_is_named_and_what_the_others_do_is_the_same(
    embedded_site: Site, broken: Site, tmp_path: Path
) -> None:
    console = free_port()
    started = start(embedded_site, "alone", tmp_path / "alone")
    await settle(embedded_site, "d-alone")
    alone = wanted(embedded_site, "d-alone", tmp_path / "alone")
    terminate(started)
    started.wait(30)

    up = start(broken, "up", tmp_path / "data", "--console-port", str(console))
    try:
        told = await settle(broken, "d-broken")

        assert [process["status"] for process in told["processes"]] == ["FAILED"]
        assert sorted(wanted(broken, "d-broken", tmp_path / "data")) == sorted(alone)
        await until(lambda: all_named(checked(broken, tmp_path / "data")), within_s=60, every_s=1)
        await until(lambda: shown(f"http://127.0.0.1:{console}/components"), within_s=30)
    finally:
        terminate(up)
        up.wait(30)


NAMED = (
    r"breaks_at_import\.py:1: error \[fault\] breaks_at_import: .*nowhere_to_be_found",
    r"warning \[seen blocked\] blocks: blocks held up its worker.* at blocks:\d+ in hold_up",
    r"warning \[seen result\] gives_garbage: garbage\.label returned what it does not say",
    r"error \[fault\] claims: .*triage.*",
)


def checked(site: Site, data: Path) -> str:
    code, told = run(site, "components", "check", "--data", str(data))
    assert code == 1, told
    return told


def all_named(told: str) -> bool:
    return all(re.search(pattern, told) for pattern in NAMED)


async def shown(url: str) -> bool:
    async with httpx.AsyncClient(timeout=5) as client:
        page = html.unescape((await client.get(url)).text)
    said = (
        "package breaks_at_import",
        "blocks held up its worker",
        "garbage.label returned what it does not say",
        "package claims (claims 1.0)",
    )
    return all(text in page for text in said)
