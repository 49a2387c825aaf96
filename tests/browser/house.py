"""The installation that is looked at: `reactor up` on the embedded default, and what it is sent.

Beside the components that come along it has a package that asks people things, waits for approval
of what it would change, and fails where the title of an issue says so.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from reactor.cli.demo import Sample, samples
from reactor.testing import delivery, issue
from tests.fixtures.plugins import install_package
from tests.fixtures.site import SAMPLES, Site, answers, post, site_environ, until

PACKAGE = """
    from pathlib import Path
    from typing import Literal

    from pydantic import BaseModel, ConfigDict, Field

    from reactor import Effect, action, component, executes, wait_for
    from reactor.github import AddLabels, Issue, PostComment

    class Verdict(BaseModel):
        "What to do about an issue."

        model_config = ConfigDict(frozen=True)

        label: Literal["bug", "question", "wontfix"] = Field(description="What it is")
        urgent: bool = False
        reason: str = Field(default="", max_length=200, description="Why")

    class Note(Effect):
        text: str

    @component(effects=(AddLabels, Note, PostComment))
    class Helpdesk:
        @action(value=0.9, pre=["issue.title.endsWith('?')"])
        async def ask(self, issue: Issue) -> Verdict:
            "Let a person say what a question is about."
            return wait_for.form(
                Verdict,
                title=f"What is to be done about: {issue.title}",
                text="Nobody but you knows this repository well enough.",
            )

        @action(value=0.5)
        async def label(self, verdict: Verdict) -> AddLabels:
            "Do what was said."
            return AddLabels(labels=(verdict.label,))

        @action(value=0.8, pre=["issue.title.startsWith('Thank')"])
        async def thank(self, issue: Issue) -> PostComment:
            "A comment that a person has to approve."
            return PostComment(body="You are welcome: it is good to hear that it is of use.")

        @action(value=0.8, pre=["issue.title.startsWith('Note')"])
        async def note(self, issue: Issue) -> Note:
            "Something to keep, once a person has approved it."
            return Note(text=issue.title)

        @executes
        async def write_down(self, effect: Note) -> None:
            "One more line of a file."
            with Path("notes").open("a") as notes:
                notes.write(effect.text + chr(10))

        @action(value=0.7, pre=["issue.title.startsWith('Crash')"])
        async def reproduce(self, issue: Issue) -> str:
            "Fail until somebody has mended it."
            if not Path(f"mended-{issue.number}").exists():
                raise ValueError("no machine is free to reproduce it on")
            return "well"

    COMPONENTS = (Helpdesk,)
"""

SETTINGS = {
    "reactions": [
        {"name": "everything", "on": "*", "scope": ["triage", "community", "hello"]},
        {
            "name": "helpdesk",
            "on": "issues.opened",
            "when": r'issue.title.matches("[?]$|^(Thank|Note|Crash)")',
            "scope": ["helpdesk"],
            "effects": "approve",
        },
    ],
    "repositories": {"*": {"without_file": "live"}},
}


@dataclass(frozen=True, kw_only=True)
class House:
    """An installation: where it is, and how something is sent to it."""

    site: Site
    console: str  # "http://127.0.0.1:PORT"
    numbers: Iterator[int] = field(default_factory=lambda: count(101))  # of issues

    async def send(self, sample: Sample) -> None:
        """One of the demo's deliveries."""
        async with self.site.client() as client:
            body = (SAMPLES / sample.file).read_bytes()
            sent = await post(client, sample.event, body, sample.delivery)
        assert sent.status_code in (200, 202), sent.text

    async def open_issue(self, title: str, **fields: Any) -> str:
        """Somebody opens an issue; gives the id of the delivery, "issue-NUMBER", once it rests."""
        number = next(self.numbers)
        named = f"issue-{number}"
        opened = delivery("issues.opened", id=named, issue=issue(title, number=number, **fields))
        async with self.site.client() as client:
            sent = await post(client, "issues", opened.body, named)
        assert sent.status_code == 202, sent.text
        await until(lambda: self.process_of(named), within_s=60)
        return named

    async def told(self, path: str) -> dict[str, Any]:
        """What the console's API says there."""
        async with httpx.AsyncClient(base_url=self.console, timeout=30) as client:
            return dict((await client.get(path)).json())

    async def processes_of(self, named: str) -> list[dict[str, Any]]:
        """What the delivery has started."""
        return list((await self.told(f"/api/deliveries/{named}")).get("processes", ()))

    async def process_of(self, named: str, reaction: str = "") -> str:
        """The id of a process of the delivery that rests; "" while there is none."""
        for head in await self.processes_of(named):
            if head["status"] != "RUNNING" and head["reaction"].startswith(reaction):
                return str(head["id"])
        return ""

    async def is_recorded(self, named: str) -> bool:
        """Whether the journal's index has what became of the delivery; it is a moment behind."""
        found = await self.told(f"/api/journal?delivery={named}")
        return any(each["kind"] == "ended" for each in found["records"])

    @property
    def notes(self) -> list[str]:
        """What was written down so far."""
        notes = self.site.folder / "notes"
        return notes.read_text().splitlines() if notes.exists() else []

    def mend(self, number: int) -> None:
        """From now on nothing about the issue of that number fails."""
        (self.site.folder / f"mended-{number}").touch()


def demo_samples() -> list[Sample]:
    """What `reactor demo` sends and a gateway takes, with ids of their own."""
    return [each for each in samples() if not each.is_forged]


async def start_house(folder: Path, environ: Mapping[str, str] = {}) -> House:
    """Start it; whoever does ends it with `house.site.stop()`."""
    packages = folder / "packages"
    packages.mkdir()
    install_package(packages, "helpdesk", PACKAGE)
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))  # noqa: TID251 - handed on
    (folder / "reactor.yaml").write_text(json.dumps(SETTINGS))
    site = Site(
        folder=folder,
        environ=site_environ(PYTHONPATH=path, REACTOR_KAFKA_SESSION_TIMEOUT_S="2", **environ),
    )
    try:
        return await _started(site)
    except BaseException:
        site.stop()
        raise


async def _started(site: Site) -> House:
    data = site.folder / "data"
    words = ("--host", "127.0.0.1", "--port", str(site.port), "--data", str(data))
    up = site.start("up", "up", *words)

    def is_ready() -> bool:
        assert up.poll() is None, site.log("up")[-3000:]
        return '"event": "ready"' in site.log("up")

    await until(is_ready, within_s=90)
    console: str = json.loads((data / "up.json").read_text())["console"]
    for url in (site.url, console):
        await until(partial(answers, f"{url}/readyz"), within_s=90)
    return House(site=site, console=console)


async def send_demo(house: House) -> list[Sample]:
    """Everything that the demo sends, in order; gives it once all has come to its end."""
    sent = demo_samples()
    for each in sent:
        await house.send(each)
    for each in sent:
        if each.event != "ping":
            await until(partial(house.process_of, each.delivery), within_s=60)
    return sent


async def fill(house: House, urgent: Sample) -> dict[str, str]:
    """Something that waits for an answer, something that waits for approval, something given up.

    And a replay of the urgent issue of the demo, which differs.  Gives the path of each: "asks",
    "thanks", "fails", "differs".
    """
    titles = {
        "asks": "Why does the window flicker when it is resized?",
        "thanks": "Thank you for the new search",
        "fails": "Crash when the disk is full",
    }
    paths = dict[str, str]()
    for name, title in titles.items():
        named = await house.open_issue(title)
        await until(partial(house.process_of, named, "helpdesk"), within_s=60)
        paths[name] = f"/processes/{await house.process_of(named, 'helpdesk')}"
    await until(partial(house.is_recorded, urgent.delivery), within_s=60)
    asked = {"delivery": [urgent.delivery], "set": ["components.triage.urgent_at=0.99"]}
    async with httpx.AsyncClient(base_url=house.console, timeout=90) as client:
        begun = await client.post("/api/replays", json=asked)
    assert begun.status_code == 200, begun.text
    replay = f"/replays/{begun.json()['id']}"

    async def is_done() -> bool:
        return bool((await house.told(f"/api{replay}"))["state"] == "done")

    await until(is_done, within_s=90)
    return {**paths, "differs": replay}
