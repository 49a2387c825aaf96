"""docs/probot.md: a handler for Probot and the component beside it ask GitHub for the same.

Both are taken from the page as they stand and are given the same deliveries: the handler by Node,
with a client that notes what it is asked for, the component on a workbench.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from reactor import Effect
from reactor.github import AddLabels, CreateCheck, PostComment, React
from reactor.testing import (
    NothingHeard,
    Workbench,
    account,
    comment,
    delivery,
    effects,
    event,
    issue,
    label,
    pull_request,
)

PAGE = Path(__file__).parents[2] / "docs" / "probot.md"
CALLS = Path(__file__).parents[1] / "fixtures" / "probot" / "calls.mjs"
SECTION = re.compile(
    r"^## ([^\n]+)\n+```js\n(.*?)^```\n+```python\n(.*?)^```", re.DOTALL | re.MULTILINE
)

SAID, LABELLED, ASKED, TOLD = (
    "Say something to a new issue",
    "Label what speaks of something",
    "Do what a comment asks for",
    "Tell the state of a pull request",
)
BOT = account("bot", type="Bot")
COMMIT = "6dcb09b5b57875f334f61aebed695e2e4193db5e"


@dataclass(frozen=True)
class Case:
    """A delivery for both sides of a section, and whether they do anything."""

    section: str
    kind: str
    does: bool
    payload: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.kind}-{self.does}"


def request(title: str) -> Mapping[str, Any]:
    return {"pull_request": pull_request(title, head={"ref": "mend", "sha": COMMIT})}


CASES = [
    Case(SAID, "issues.opened", does=True),
    Case(SAID, "issues.opened", does=False, payload={"sender": BOT}),
    Case(SAID, "issues.closed", does=False),
    Case(LABELLED, "issues.opened", does=True, payload={"issue": issue("A crash")}),
    Case(LABELLED, "issues.edited", does=True, payload={"issue": issue("Traceback shown")}),
    Case(LABELLED, "issues.opened", does=False, payload={"issue": issue("Slow")}),
    Case(LABELLED, "issues.reopened", does=False, payload={"issue": issue("A crash")}),
    Case(
        LABELLED,
        "issues.edited",
        does=False,
        payload={"issue": issue("A crash", labels=[label("bug")])},
    ),
    Case(ASKED, "issue_comment.created", does=True, payload={"comment": comment("/needs-info")}),
    Case(
        ASKED,
        "issue_comment.created",
        does=True,
        payload={"comment": comment("Which version?\n\n/needs-info")},
    ),
    Case(
        ASKED, "issue_comment.created", does=False, payload={"comment": comment("See needs-info.")}
    ),
    Case(TOLD, "pull_request.opened", does=True, payload=request("WIP: mend the brakes")),
    Case(TOLD, "pull_request.edited", does=True, payload=request("Mend the brakes")),
    Case(TOLD, "pull_request.edited", does=True, payload=request("Wiping the brakes")),
    Case(TOLD, "pull_request.closed", does=False, payload=request("WIP: mend the brakes")),
]


@pytest.fixture(scope="session")
def sections() -> dict[str, tuple[str, str]]:
    """Title of a section -> the handler, the component."""
    found = SECTION.findall(PAGE.read_text(encoding="utf-8"))
    return {title: (handler, component) for title, handler, component in found}


@pytest.fixture(scope="session")
def node() -> str:
    """The program that runs handlers."""
    return shutil.which("node") or pytest.skip("no node is on PATH")


def calls(node: str, handler: Path, case: Case) -> list[dict[str, Any]]:
    """What the handler asked GitHub for."""
    name, _, action = case.kind.partition(".")
    sent = json.loads(delivery(case.kind, **case.payload).body)
    ended = subprocess.run(
        [node, CALLS, handler],
        input=json.dumps([{"name": name, "action": action, "payload": sent}]),
        capture_output=True,
        text=True,
        check=True,
    )
    (made,) = json.loads(ended.stdout)
    return list(made)


async def wanted(component: str, case: Case) -> list[Effect]:
    """What the component wants changed."""
    names: dict[str, Any] = {"__name__": "shown"}
    exec(compile(component, PAGE.name, "exec"), names)
    (shown,) = (value for name, value in names.items() if name.endswith("Component"))
    told = event(case.kind, **case.payload)
    if case.section != ASKED:
        return effects(await Workbench(shown).run(told))
    try:
        process = await Workbench(shown).run_commands(told)
    except NothingHeard:
        return []
    return [
        effect for effect in effects(process) if not isinstance(effect, React)
    ]  # who asked sees


def as_call(effect: Effect) -> dict[str, Any]:
    """The call of GitHub's API that such an effect is."""
    place: dict[str, Any] = {"owner": "octo", "repo": "hello"}
    match effect:
        case PostComment(body=body):
            return {
                "method": "issues.createComment",
                "parameters": place | {"issue_number": 17, "body": body},
            }
        case AddLabels(labels=labels):
            return {
                "method": "issues.addLabels",
                "parameters": place | {"issue_number": 17, "labels": list(labels)},
            }
        case CreateCheck():
            said = effect.model_dump(include={"name", "head_sha", "status", "conclusion"})
            return {"method": "checks.create", "parameters": place | said}
    raise AssertionError(effect)


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_both_sides_ask_for_the_same(
    sections: dict[str, tuple[str, str]], node: str, tmp_path: Path, case: Case
) -> None:
    handler, component = sections[case.section]
    (tmp_path / "handler.mjs").write_text(handler, encoding="utf-8")

    by_handler = calls(node, tmp_path / "handler.mjs", case)
    by_component = [as_call(effect) for effect in await wanted(component, case)]

    assert by_component == by_handler
    assert bool(by_handler) is case.does


def test_every_pair_of_the_page_is_held_by_a_case(sections: dict[str, tuple[str, str]]) -> None:
    assert set(sections) == {case.section for case in CASES}
    assert PAGE.read_text(encoding="utf-8").count("```js") == len(sections)
