"""The packages of several teams at work on one event: they meet only through shared facts."""

import json
from pathlib import Path

import pytest
import reactor_community
import reactor_hello
import reactor_triage

from reactor.github import AddLabels, PostComment
from reactor.package import Package
from reactor.testing import Workbench, account, effects, event, issue, ran

ODD_INPUTS = Path(__file__).parents[1] / "odd_inputs"


@pytest.fixture
def bench() -> Workbench:
    return Workbench(
        Package(name="community", components=reactor_community.COMPONENTS),
        Package(name="hello", components=reactor_hello.COMPONENTS),
        Package(name="triage", components=reactor_triage.COMPONENTS),
    )


async def test_an_incomplete_issue_is_asked_about_and_not_welcomed_besides(
    bench: Workbench,
) -> None:
    process = await bench.run(event("issues.opened", issue=issue()))

    assert "community.meet_newcomer" in ran(process)
    assert "triage.ask_for_information" in ran(process)
    assert "community.welcome_newcomer" not in ran(process)


async def test_a_complete_issue_of_a_newcomer_is_welcomed(bench: Workbench) -> None:
    complete = issue(
        "Feature request: dark mode",
        body="It would be nice to have a dark mode, because my eyes hurt at night.",
    )

    process = await bench.run(event("issues.opened", issue=complete))

    assert "community.welcome_newcomer" in ran(process)
    assert "triage.ask_for_information" not in ran(process)


async def test_what_is_worth_most_comes_first(bench: Workbench) -> None:
    process = await bench.run(event("issues.opened", issue=issue("Crash: all users, data loss")))

    assert ran(process) == [
        "triage.save_new_issue",
        "triage.react_to_new_issue",
        "triage.heavy_hitter_issue",
        "community.meet_newcomer",
        "triage.label_issue",
        "triage.ask_for_information",
        "hello.mark_as_new",
    ]


async def test_hostile_text_gets_labels_of_the_list_and_at_most_one_comment(
    bench: Workbench,
) -> None:
    path = ODD_INPUTS / "48_prompt_injection" / "body.json"
    payload = json.loads(path.read_text(encoding="utf-8"))
    by_a_person = payload | {"issue": payload["issue"] | {"user": account("mallory")}}

    for number, body in enumerate((payload, by_a_person)):
        del body["action"]
        process = await bench.run(event("issues.opened", id=f"d-{number}", **body))

        asked = effects(process)
        labels = {label for e in asked if isinstance(e, AddLabels) for label in e.labels}
        comments = [e for e in asked if isinstance(e, PostComment)]
        allowed = {*reactor_triage.TriageSettings().labels, "needs-information", "new"}
        assert labels <= allowed
        assert len(comments) <= 1
        assert not [comment for comment in comments if "@" in comment.body]
        assert {e.kind for e in asked} <= {"AddLabels", "PostComment"}
