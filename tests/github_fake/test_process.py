"""The fake as a process: seeded, broken and looked at over HTTP."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fixtures.github.fake import ISSUE, TOKEN

ROOT = Path(__file__).parents[2]


@pytest.fixture
def process() -> Iterator[httpx.Client]:
    command = [sys.executable, "-m", "tests.fixtures.github"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        with httpx.Client(base_url=url, timeout=20) as client:
            yield client
        running.terminate()


def told(client: httpx.Client, method: str, what: str, content: object = None) -> Any:
    answer = client.request(method, f"/_fake/{what}", json=content)
    assert answer.status_code == 200, answer.text
    return answer.json() if answer.content else None


def test_a_process_is_used_as_any_github(process: httpx.Client) -> None:
    path, mine = f"/repos/octo/hello/issues/{ISSUE}/labels", {"Authorization": f"token {TOKEN}"}
    told(process, "POST", "faults", [{"kind": "after", "method": "POST", "status": 502}])

    statuses = [
        process.post(path, json={"labels": ["bug"]}, headers=mine).status_code,
        process.post(f"/api/v3{path}", json={"labels": ["new"]}, headers=mine).status_code,
    ]

    issue = told(process, "GET", "state")["octo/hello"]["issues"][str(ISSUE)]
    assert statuses == [502, 200]
    assert issue["labels"] == ["bug", "new"]
    assert [each["login"] for each in told(process, "GET", "requests")] == ["the-bot", "the-bot"]


def test_a_process_begins_anew_with_another_world(process: httpx.Client) -> None:
    told(process, "POST", "reset")
    told(
        process,
        "POST",
        "seed",
        {
            "repositories": [
                {"full_name": "acme/one", "issues": [{"number": 1}]},
                {"full_name": "acme/two"},
            ]
        },
    )

    told(process, "POST", "rename", {"from": "acme/one", "to": "acme/first"})
    moved = told(
        process, "POST", "transfer", {"repository": "acme/first", "number": 1, "to": "acme/two"}
    )
    told(process, "POST", "limits", {"an_hour": 7})

    assert moved == {"number": 1}
    assert process.get("/repos/acme/one").status_code == 301
    assert process.get("/repos/acme/two").headers["x-ratelimit-limit"] == "7"
    assert set(told(process, "GET", "state")) == {"acme/first", "acme/two"}


def test_what_it_can_not_be_told_is_said(process: httpx.Client) -> None:
    unknown = process.post("/_fake/nothing")
    wrong = process.post("/_fake/faults", content=json.dumps([{"knid": "drop"}]))

    assert (unknown.status_code, wrong.status_code) == (404, 400)
    assert "knid" in wrong.json()["message"]
