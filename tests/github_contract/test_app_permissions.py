"""What GitHub's description says of apps: that they may, and of which family a request is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reactor.github.app_permissions import NEEDS
from tests.github_contract.cases import CASES, Case

pytestmark = [pytest.mark.prism, pytest.mark.timeout(60)]

# The flag says no, while GitHub's table of permissions names it for apps (Pull requests: write).
SAID_ELSEWHERE = re.compile(r".*/comments/[^/]+/replies")
FAMILIES = {  # of requests, and the permissions that let an app make them
    "actions": {"actions"},
    "checks": {"checks"},
    "issues": {"issues", "pull_requests"},
    "pulls": {"pull_requests"},
    "reactions": {"issues", "pull_requests"},
    "repos": {"contents"},
}


@pytest.fixture(scope="session")
def paths(prism_folder: Path) -> dict[str, Any]:
    described = json.loads((prism_folder / "api.github.com.json").read_text("utf-8"))
    found: dict[str, Any] = described["paths"]
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_app_may_ask_for_it_with_a_permission_of_that_family(
    paths: dict[str, Any], case: Case
) -> None:
    said = _described(paths, case)["x-github"]

    assert said["enabledForGitHubApps"] or SAID_ELSEWHERE.fullmatch(case.write)
    assert NEEDS[type(case.effect)].all & FAMILIES[said["category"]]


def _described(paths: dict[str, Any], case: Case) -> dict[str, Any]:
    verb, _, below = case.write.partition(" ")
    fitting = [
        verbs[verb.lower()]
        for path, verbs in paths.items()
        if verb.lower() in verbs and _pattern(path).fullmatch(below)
    ]
    assert len(fitting) == 1, fitting
    found: dict[str, Any] = fitting[0]
    return found


def _pattern(path: str) -> re.Pattern[str]:
    below = path.removeprefix("/repos/{owner}/{repo}")
    return re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(below)))
