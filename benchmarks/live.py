"""Milliseconds from a delivery until its issue is labelled and answered on GitHub.

    floor      the requests that Reactor makes for an issue, by PyGithub alone, one after the other
    live       `reactor gateway` and `reactor worker` with all that is shipped, effects live
    own pace   the same with requests only as fast as GitHub takes them, at an issue every 5 s

GitHub is the fake of the tests, a process of its own on this machine, so that what is measured is
ours; a real one adds its own time to each request.  From just before a delivery is posted until
the request for a label, or for a comment, has come to GitHub.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

from http_load import connected, request_of
from installation import SECRET, Site, reactor, serving, working
from throughput import servers

from reactor.children import free_port
from reactor.testing import repository

ROOT = Path(__file__).resolve().parents[1]
SIZE = 2_000  # bytes of a delivery
TOKEN = "ghp_of-the-benchmark"
WARM_UP = 10  # issues
PLENTY = 1_000_000
LIMITS = ("an_hour", "points_a_minute", "content_a_minute", "content_an_hour")
_NUMBER = re.compile(r"/issues/(\d+)")


@dataclass(frozen=True)
class Load:
    """How many issues are opened, how often, and how fast requests may be made."""

    name: str
    issues: int
    every_s: float
    pace: float  # so many times as fast as GitHub takes them


LOADS = (
    Load("live", issues=100, every_s=0.4, pace=1000),
    Load("own pace", issues=20, every_s=5.0, pace=1),
)


@dataclass(frozen=True)
class Times:
    """Milliseconds for each issue."""

    labelled: Sequence[float]
    answered: Sequence[float]


@dataclass(frozen=True)
class GitHub:
    """The fake, asked over its control side."""

    url: str

    def control(self, path: str, sent: object = None) -> Any:
        """What it answers."""
        body = None if sent is None else json.dumps(sent).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/_fake/{path}", body)) as it:
            return json.loads(it.read() or b"null")

    def begin(self, issues: int) -> None:
        """Be as new, with so many issues."""
        opened = [{"number": number + 1, "title": "Data loss"} for number in range(issues)]
        named = {key: repository()[key] for key in ("id", "full_name")}
        roles = {"the-bot": "write"}
        self.control("reset", {})
        self.control("limits", dict.fromkeys(LIMITS, PLENTY))
        self.control(
            "seed",
            {
                "repositories": [named | {"roles": roles, "issues": opened}],
                "tokens": {TOKEN: "the-bot"},
            },
        )

    def requests(self) -> dict[int, list[dict[str, Any]]]:
        """By the number of the issue, in order."""
        found: dict[int, list[dict[str, Any]]] = {}
        for each in self.control("requests"):
            if number := _NUMBER.search(each["path"]):
                found.setdefault(int(number[1]), []).append(each)
        return found


@contextmanager
def fake_github() -> Iterator[GitHub]:
    """A process of its own, until the block ends."""
    port = free_port()
    argv = [sys.executable, "-m", "tests.fixtures.github", "--port", str(port)]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield GitHub(process.stdout.readline().strip())
        finally:
            process.terminate()


def at(requests: Sequence[Mapping[str, Any]], last: str) -> float | None:
    """When the first change was asked for whose path ends so; seconds of a monotonic clock."""
    moments = [e["at_s"] for e in requests if e["method"] == "POST" and e["path"].endswith(last)]
    return min(moments) if moments else None


async def live(github: GitHub, site: Site, load: Load) -> tuple[Times, list[dict[str, Any]]]:
    """What was measured, and the requests for the last issue."""
    settings = {
        "reactions": [{"name": "live", "on": "*", "effects": "live"}],
        "repositories": {"*": {"without_file": "live"}},
        "effects": {"per_day": PLENTY},
        "github": {
            "api_url": github.url,
            "token": TOKEN,
            "bot_login": "the-bot",
            "pace": {"factor": load.pace},
        },
    }
    site.config.write_text(json.dumps(settings))
    github.begin(WARM_UP + load.issues)
    port = free_port()
    async with (
        working(site, count=1) as workers,
        serving(site.folder, workers.environ, reactor("gateway", "--port", str(port)), port),
    ):
        await posted(site, port, replace(load, issues=WARM_UP))
        await answered(github, WARM_UP)
        sent = await posted(site, port, load)
        found = await answered(github, WARM_UP + load.issues)
    times = Times(
        labelled=[((at(found[n], "/labels") or 0) - sent[n]) * 1000 for n in sent],
        answered=[((at(found[n], "/comments") or 0) - sent[n]) * 1000 for n in sent],
    )
    return times, found[max(sent)]


async def posted(site: Site, port: int, load: Load) -> dict[int, float]:
    """When the delivery of each issue was posted, by its number."""
    sent: dict[int, float] = {}
    begun_s = time.monotonic()
    async with connected(port, count=1) as (connection,):
        for place, each in enumerate(site.deliveries(load.issues)):
            await asyncio.sleep(max(0.0, begun_s + place * load.every_s - time.monotonic()))
            request, number = request_of(each, secret=SECRET), int(each.id.rpartition("-")[2])
            sent[number] = time.monotonic()
            await connection.post(request)
    return sent


async def answered(github: GitHub, issues: int) -> dict[int, list[dict[str, Any]]]:
    """The requests for each issue, when as many as these are labelled and answered."""
    while True:
        found = await asyncio.to_thread(github.requests)
        if (
            sum(all(at(each, p) for p in ("/labels", "/comments")) for each in found.values())
            >= issues
        ):
            return found
        await asyncio.sleep(0.2)


def floor(github: GitHub, requests: Sequence[Mapping[str, Any]], issues: int) -> Times:
    """The same for other issues by PyGithub, which makes nothing else meanwhile."""
    from github import Auth, Github

    github.begin(issues)
    client = Github(
        base_url=github.url,
        auth=Auth.Token(TOKEN),
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
    )
    labelled, answers = [], []
    for number in range(1, issues + 1):
        ends: dict[str, float] = {}
        begun_s = time.monotonic()
        for each in requests:
            path = _NUMBER.sub(f"/issues/{number}", each["path"])
            client.requester.requestJsonAndCheck(each["method"], path, input=each["body"])
            ends.setdefault(path.rpartition("/")[2], time.monotonic() - begun_s)
        labelled.append(ends["labels"] * 1000)
        answers.append(ends["comments"] * 1000)
    return Times(labelled, answers)


def line(name: str, times: Times, bare: Times) -> str:
    """One line of the table."""
    told = f"{name:<12}"
    for measured, least in ((times.labelled, bare.labelled), (times.answered, bare.answered)):
        p50, p95 = at_percent(measured, 50), at_percent(measured, 95)
        told += f"{p50:>12.0f}{p95:>8.0f}{p50 / at_percent(least, 50):>11.1f}"
    return told


def at_percent(times: Sequence[float], percent: int) -> float:
    """The percentile."""
    return quantiles(times, n=100, method="inclusive")[percent - 1]


async def main(environ: Mapping[str, str]) -> None:
    """Print a table."""
    with TemporaryDirectory() as name, fake_github() as github:
        async with servers(environ) as (bootstrap, redis_url):
            for load in LOADS:
                site = Site(bootstrap, redis_url, Path(name), SIZE, "live")
                times, requests = await live(github, site, load)
                bare = await asyncio.to_thread(floor, github, requests, 100)
                if load is LOADS[0]:
                    columns = "".join(
                        f"{word:>12}{'p95':>8}{'of floor':>11}"
                        for word in ("label p50", "answer p50")
                    )
                    print(f"{'ms':<12}{columns}")
                    print(line("floor", bare, bare), flush=True)
                print(line(load.name, times, bare), flush=True)


if __name__ == "__main__":
    asyncio.run(main(os.environ))  # noqa: TID251 - the one place where it is read
