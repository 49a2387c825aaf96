"""A process waits for a person across a crash of everything, and goes on once it is answered."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from reactor.cli.sending import signed_headers
from tests.fixtures.site import SECRET, Site, alive, answers, descendants, terminate, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

SAMPLES = Path(__file__).parents[2] / "reactor" / "samples"

ASKING = '''
"""Asks a person for the label of an issue."""

from datetime import timedelta

from pydantic import BaseModel, ConfigDict

from reactor import action, component, wait_for
from reactor.github import AddLabels, Issue


class Verdict(BaseModel):
    model_config = ConfigDict(frozen=True)

    label: str


class Settings(BaseModel):
    patience_s: float = 3600


@component(settings=Settings, effects=(AddLabels,))
class AskingComponent:
    """Label what a person has looked at."""

    def __init__(self, settings: Settings) -> None:
        self.patience = timedelta(seconds=settings.patience_s)

    @action(value=0.9)
    async def ask(self, issue: Issue) -> Verdict:
        """Ask a person."""
        return wait_for.form(
            Verdict,
            title=f"Which label for {issue.title}?",
            expires=self.patience,
            default=Verdict(label="undecided"),
        )

    @action(value=0.5)
    async def label(self, verdict: Verdict) -> AddLabels:
        """Do what was said."""
        return AddLabels(labels=(verdict.label,))


COMPONENTS = (AskingComponent,)
'''


@pytest.fixture
def asking_site(embedded_site: Site) -> Site:
    """With a component package of its own, installed beside the others."""
    packages = embedded_site.folder / "packages"
    info = packages / "reactor_asking-1.0.dist-info"
    info.mkdir(parents=True)
    (packages / "reactor_asking.py").write_text(ASKING)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reactor-asking\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[reactor.components]\nasking = reactor_asking:COMPONENTS\n"
    )
    configure(embedded_site, patience_s=3600)
    embedded_site.environ = {**embedded_site.environ, "PYTHONPATH": str(packages)}
    return embedded_site


def configure(site: Site, *, patience_s: float) -> None:
    config = {
        "reactions": [{"name": "ask", "on": "issues.opened", "scope": "asking"}],
        "components": {"asking": {"patience_s": patience_s}},
    }
    (site.folder / "reactor.yaml").write_text(json.dumps(config))


def data(site: Site) -> tuple[str, str]:
    return "--data", str(site.folder / "data")


async def start_up(site: Site) -> subprocess.Popen[bytes]:
    place = site.folder / "data" / "up.json"  # tells our other commands where everything is
    place.unlink(missing_ok=True)
    up = site.start("up", "up", "--host", "127.0.0.1", "--port", str(site.port), *data(site))
    await until(place.exists, within_s=60)
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
    return up


async def kill_everything(up: subprocess.Popen[bytes]) -> None:
    """Broker and Redis included, at one stroke."""
    processes = [psutil.Process(up.pid), *descendants(up.pid)]
    for process in processes:
        process.kill()
    up.wait()
    await until(lambda: not alive(processes), within_s=20)


async def send(site: Site, delivery: str) -> None:
    body = (SAMPLES / "issues.opened.json").read_bytes()
    headers = signed_headers("issues", body, secret=SECRET, delivery=delivery)
    async with httpx.AsyncClient(timeout=15) as client:
        sent = await client.post(f"{site.url}/webhook", content=body, headers=headers)
    assert sent.status_code == 202


async def status_of(site: Site, delivery: str) -> str:
    """Of its one process; "" while there is none."""
    async with httpx.AsyncClient(timeout=5) as client:
        answer = await client.get(f"{site.url}/api/deliveries/{delivery}")
    processes = answer.json().get("processes", ())
    return str(processes[0]["status"]) if processes else ""


async def becomes(site: Site, delivery: str, status: str) -> None:
    async def has_become() -> bool:
        return await status_of(site, delivery) == status

    await until(has_become, within_s=60)


def run(site: Site, *words: str) -> Any:
    """What a command of ours prints, which must be JSON."""
    ran = subprocess.run(
        [sys.executable, "-m", "reactor", *words, *data(site)],
        env=dict(site.environ),
        cwd=site.folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(ran.stdout)


async def test_an_answer_after_everything_was_killed_completes_the_process_once(
    asking_site: Site,
) -> None:
    up = await start_up(asking_site)
    await send(asking_site, "asked")
    await becomes(asking_site, "asked", "WAITING")
    (form,) = run(asking_site, "forms", "--json")["forms"]

    await kill_everything(up)
    await start_up(asking_site)

    assert run(asking_site, "forms", "--json")["forms"] == [form]
    answer = asking_site.start(
        "answer", "answer", form["id"], "--json", '{"label": "bug"}', "--by", "ann",
        *data(asking_site),
    )  # fmt: skip
    assert answer.wait(60) == 0
    await becomes(asking_site, "asked", "TERMINATED")

    (process,) = run(asking_site, "explain", "asked", "--json")["processes"]
    assert [effect["labels"] for effect in process["effects"]] == [["bug"]]
    assert [(told["by"], told["title"]) for told in process["answers"]] == [("ann", form["title"])]
    chosen = [tick["chosen"] for tick in process["ticks"] if tick["chosen"]]
    assert chosen == ["asking.ask", "asking.label"]
    told = run(asking_site, "trace", process["subject"], "--json")["moments"]
    mine = [(each["what"], each["says"]) for each in told if each["process"] == process["id"]]
    assert [what for what, _ in mine if what in ("asked", "answered")] == ["asked", "answered"]
    assert ("answered", f"ann answered {form['title']!r} -> Verdict") in mine
    assert run(asking_site, "forms", "--json")["forms"] == []
    again = asking_site.start(
        "again", "answer", form["id"], "--json", '{"label": "question"}', *data(asking_site)
    )
    assert again.wait(60) == 2
    assert "nobody waits for an answer" in asking_site.log("again")


async def test_a_wrong_answer_is_refused_at_once_and_over_http_the_right_one_is_taken(
    asking_site: Site,
) -> None:
    await start_up(asking_site)
    await send(asking_site, "asked")
    await becomes(asking_site, "asked", "WAITING")

    async with httpx.AsyncClient(timeout=15, base_url=asking_site.url) as client:
        (form,) = (await client.get("/api/forms")).json()["forms"]
        path = f"/api/forms/{form['id']}"
        wrong = await client.post(path, json={"value": {"label": 7}})
        right = await client.post(path, json={"value": {"label": "bug"}, "by": "ann"})

    assert (wrong.status_code, right.status_code) == (422, 202)
    assert wrong.json()["faults"] == ["label: 7 is not of type 'string'"]
    await becomes(asking_site, "asked", "TERMINATED")


async def test_forms_expire_and_processes_that_wait_can_be_killed_from_outside(
    asking_site: Site,
) -> None:
    configure(asking_site, patience_s=1)
    up = await start_up(asking_site)
    await send(asking_site, "in-vain")

    await becomes(asking_site, "in-vain", "TERMINATED")
    (process,) = run(asking_site, "explain", "in-vain", "--json")["processes"]
    assert [effect["labels"] for effect in process["effects"]] == [["undecided"]]

    terminate(up)
    assert up.wait(30) == 0
    configure(asking_site, patience_s=3600)
    await start_up(asking_site)
    await send(asking_site, "unwanted")
    await becomes(asking_site, "unwanted", "WAITING")
    (form,) = run(asking_site, "forms", "--json")["forms"]
    told = asking_site.start("kill", "signal", form["process_id"], "kill", *data(asking_site))

    assert told.wait(60) == 0
    await becomes(asking_site, "unwanted", "KILLED")
    assert run(asking_site, "forms", "--json")["forms"] == []
