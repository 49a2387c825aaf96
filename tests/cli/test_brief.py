"""One screen of a terminal is enough for any plain event, and nothing in it can harm the terminal."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from reactor.briefly import brief
from reactor.cli.brief import show_lines
from reactor.cli.demo import samples as demo_samples
from reactor.cli.receiving import read_delivery
from reactor.explain import ToldDelivery
from reactor.settings import Settings
from reactor.wiring.memory import receive
from tests.web.console.site import Site

SCREEN = (100, 40)  # columns, lines
OCTOKIT = Path(__file__).parents[3] / "shared" / "octokit" / "octokit_examples.jsonl"
GOLDEN = Path(__file__).parent / "golden"
SAMPLES = Path(__file__).parents[2] / "reactor" / "samples"


async def told_of(path: Path, event: str) -> ToldDelivery:
    document, _ = await receive(Settings(), read_delivery(path, event, "d-1"))
    return document


def shown(told: ToldDelivery) -> list[str]:
    written = io.StringIO()
    show_lines(brief(told), Console(file=written, width=SCREEN[0], highlight=False))
    return written.getvalue().splitlines()


def fits_and_says_why(told: ToldDelivery) -> bool:
    lines = shown(told)
    is_small = len(lines) <= SCREEN[1] and all(len(line) <= SCREEN[0] for line in lines)
    text = "\n".join(lines)
    if not told["processes"]:
        return is_small and "no process  " in text
    ran = any(tick["chosen"] for each in told["processes"] for tick in each["ticks"])
    why_not = any(
        said in text for said in ("nothing to work on", "would have run, if", "not for this event")
    )
    return is_small and why_not and ("over " in text or " +0." in text or not ran or "->" in text)


@pytest.mark.parametrize(
    ("event", "file"), sorted({(each.event, each.file) for each in demo_samples()})
)
async def test_each_delivery_of_the_demo_fits_into_one_screen(event: str, file: str) -> None:
    assert fits_and_says_why(await told_of(SAMPLES / file, event))


@pytest.mark.timeout(240)
async def test_each_published_example_fits_into_one_screen(tmp_path: Path) -> None:
    if not OCTOKIT.exists():
        pytest.skip(f"needs the example payloads of @octokit/webhooks-examples in {OCTOKIT}")
    examples = [json.loads(line) for line in OCTOKIT.read_text(encoding="utf-8").splitlines()]
    path, too_long = tmp_path / "payload.json", list[str]()
    site, started = Site(), 0

    for number, example in enumerate(examples):
        path.write_text(json.dumps(example["payload"]), encoding="utf-8")
        await site.settle(read_delivery(path, example["event"], f"d-{number}"))
        told = await site.lookup.delivery(f"d-{number}")
        started += bool(told["processes"])
        if not fits_and_says_why(told):
            too_long.append(told["event"])

    assert started > 100
    assert too_long == []


@pytest.mark.parametrize("sample", ["issues.opened.urgent", "star.created", "pull_request.opened"])
async def test_it_reads_as_it_did(sample: str) -> None:
    told = await told_of(SAMPLES / f"{sample}.json", sample.partition(".")[0])

    text = "\n".join(line.rstrip() for line in shown(told)) + "\n"

    assert text == (GOLDEN / f"{sample}.txt").read_text(encoding="utf-8")


def test_the_page_on_explaining_shows_what_a_terminal_does() -> None:
    page = (Path(__file__).parents[2] / "docs" / "explaining.md").read_text(encoding="utf-8")
    golden = (GOLDEN / "issues.opened.urgent.txt").read_text(encoding="utf-8")

    assert golden[golden.index("knew ") :] in page


async def test_what_strangers_wrote_does_nothing_to_the_terminal(tmp_path: Path) -> None:
    payload: dict[str, Any] = json.loads((SAMPLES / "issues.opened.json").read_bytes())
    payload["repository"]["full_name"] = "octo/\x1b[2Jhello"
    payload["issue"]["title"] = "\x1b]0;owned\x07 \u202egnp.exe [red]x[/red] \r\n\x9b31m"
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(payload), encoding="utf-8")
    told = await told_of(path, "issues")
    (process,) = told["processes"]
    process["failure"] = "boom \x1b[31m\u202e [bold]x[/bold]"
    process["forms"] = [
        {
            "id": "f",
            "title": "\x1b[5m?",
            "action": "a.b",
            "asked_at": "2026-03-14T15:09:26+00:00",
            "expires_at": None,
        }
    ]

    text = "\n".join(shown(told))

    assert not {c for c in text if not c.isprintable()} - {"\n"}
    assert "[bold]x[/bold]" in text  # told as it is, and not as markup
