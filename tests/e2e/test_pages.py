"""The commands on the pages, run as they stand there, on an installation that runs."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.architecture.test_page_code import blocks, commands
from tests.fixtures.site import SAMPLES, Site, answers, post, until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
PAGES = ("README", "docs/explaining", "docs/journal", "docs/operations", "docs/replay")
EXPLAINED = "72d3162e-cc78-11e3-81ab-4c9367dc0958"  # the delivery that docs/explaining.md is about

RUN_ELSEWHERE = {
    "up": "is what runs here",
    "new": "tests/scaffold, tests/cli/test_creating.py",
    "doctor --github": "asks GitHub: tests/cli/test_doctor_github.py",
    "receive -e issues -p components/label-bugs": "needs what `new` makes",
}
NAMES_NOTHING_HERE = (  # ids that a page makes up: refused, in a sentence
    "answer FORM",
    "signal PROCESS",
    "effects retry 0a1b2c3d",
    "approve 5f0c1e9a77b2",
    "dead show 3f9a",
    "dead retry 3f9a",
    "trace octo/hello",
)


def shown() -> list[list[str]]:
    """Every command of the pages that is run here; archives are written before they are read."""
    found = [words for page in PAGES for words in commands(ROOT / f"{page}.md")]
    here = [words for words in found if not _begins(words, RUN_ELSEWHERE)]
    return sorted(here, key=lambda words: words[:2] != ["archive", "export"])


def _begins(words: Sequence[str], beginnings: Sequence[str] | dict[str, str]) -> bool:
    return " ".join(words).startswith(tuple(beginnings))


@pytest.fixture
async def site(embedded_site: Site) -> Site:
    """It runs, and has settled the delivery of the page."""
    for name in ("reactor/samples", "docs", "config"):
        place = embedded_site.folder / name
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(ROOT / name)
    port = str(embedded_site.port)
    embedded_site.start("up", "up", "--port", port, "--data", "data")
    await until(lambda: answers(f"{embedded_site.url}/readyz"), within_s=120)
    async with embedded_site.client() as client:
        sample = (SAMPLES / "issues.opened.urgent.json").read_bytes()
        await post(client, "issues", sample, EXPLAINED)

        async def is_settled() -> bool:
            answer = await client.get(f"/api/deliveries/{EXPLAINED}")
            return bool(answer.json().get("status") == "settled")

        await until(is_settled, within_s=120)
    return embedded_site


def run(site: Site, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run `reactor WORDS...` beside it; the page's port and secret are those of the site."""
    ours = {"DELIVERY": EXPLAINED, "s3cret": site.environ["GITHUB_WEBHOOK_SECRET"]}
    given = [
        ours.get(word, word.replace("127.0.0.1:8080", f"127.0.0.1:{site.port}")) for word in words
    ]
    return subprocess.run(
        [sys.executable, "-m", "reactor", *given],
        env=dict(site.environ),
        cwd=site.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


async def test_every_command_of_the_pages_does_something_or_says_why_not(site: Site) -> None:
    faults = []

    for words in shown():
        ended = run(site, words)
        told = ended.stdout + ended.stderr
        refused = _begins(words, NAMES_NOTHING_HERE)
        if (ended.returncode == 0) is refused or "Traceback" in told or not told.strip():
            faults.append(f"reactor {' '.join(words)}: {ended.returncode}\n{told[-2000:]}")

    assert faults == []


async def test_the_delivery_that_is_explained_is_explained_so(site: Site) -> None:
    page = ROOT / "docs" / "explaining.md"
    overview, one, *_ = blocks(page, "text")

    explained = run(site, ["explain", EXPLAINED]).stdout.split()
    why_not = run(site, ["explain", EXPLAINED, "--why-not", "ask_for_information"]).stdout

    begun = overview[overview.index("knew") : overview.index("changes")].split()
    assert begun == explained[explained.index("knew") : explained.index("changes")]
    assert one.split() == why_not.split()
