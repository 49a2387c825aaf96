"""An explanation in one screen: what ran, what it changed, and why the rest did not run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reactor.briefly import MORE, brief
from reactor.cli.receiving import read_delivery
from reactor.explain import ToldDelivery
from reactor.settings import Settings
from reactor.wiring.memory import receive

SAMPLES = Path(__file__).parents[1] / "reactor" / "samples"


async def told_of(sample: str, reactions: Sequence[dict[str, Any]] = ()) -> ToldDelivery:
    """What the components of this repository make of a sample."""
    settings = Settings.model_validate({"reactions": reactions} if reactions else {})
    event = sample.partition(".")[0]
    document, _ = await receive(settings, read_delivery(SAMPLES / f"{sample}.json", event, "d-1"))
    return document


def part(lines: list[str], title: str) -> list[str]:
    """What stands under a heading."""
    after = lines[lines.index(title) + 1 :]
    end = next((n for n, line in enumerate(after) if not line.startswith(" ")), len(after))
    return [line.strip() for line in after[:end]]


@pytest.fixture
async def urgent() -> ToldDelivery:
    return await told_of("issues.opened.urgent")


async def test_each_step_tells_its_worth_what_it_gave_and_what_it_went_before(
    urgent: ToldDelivery,
) -> None:
    steps = part(brief(urgent), "ran")

    assert steps[2] == (
        "3 triage.heavy_hitter_issue +0.70  -> AddLabels, over community.meet_newcomer +0.65"
    )
    assert steps[-1] == "7 hello.mark_as_new         +0.15  -> AddLabels"


async def test_what_was_wanted_outside_is_told_with_who_wanted_it(urgent: ToldDelivery) -> None:
    assert part(brief(urgent), "changes") == [
        "would add label urgent  (triage.heavy_hitter_issue)",
        "would add label bug  (triage.label_issue)",
        "would add label new  (hello.mark_as_new)",
    ]


async def test_the_nearest_misses_are_told_once_with_what_they_turned_on(
    urgent: ToldDelivery,
) -> None:
    near = part(brief(urgent), "would have run, if")

    assert near[0] == (
        "triage.ask_for_information: issue_assessment.quality < settings.incomplete_below"
        " (false), in ticks 3 to 8"
    )
    assert near[-1].startswith("issue_assessment is IssueAssessment(")
    assert "urgency=0.9" in near[-1]


async def test_the_rest_is_told_by_what_was_not_there(urgent: ToldDelivery) -> None:
    groups = part(brief(urgent), "nothing to work on")

    assert "no IssueEdited: triage.note_edit" in groups
    assert not any("triage.label_issue" in group for group in groups)  # it ran
    assert groups[-1].startswith("... ")


async def test_an_action_that_others_always_went_before_is_told_apart() -> None:
    reaction = {"name": "short", "on": "issues", "max_actions": 2}

    lines = brief(await told_of("issues.opened.urgent", [reaction]))

    assert (
        "hello.mark_as_new: others went first in ticks 1 to 2, nothing was chosen in tick 3"
        in part(lines, "could have run")
    )


async def test_a_delivery_that_started_nothing_says_why_and_each_reaction_as_well() -> None:
    told = await told_of("push", [{"name": "issues", "on": "issues"}])
    told["ignored"] = "no reaction listens to it: stored, nothing else"

    nothing = "no process  no reaction listens to it: stored, nothing else"
    assert brief(told)[2:] == [nothing]
    assert brief(told, {"issues": "it listens to issues, and this is push"})[2:] == [
        nothing,
        "reactions that did not want it",
        "  issues: it listens to issues, and this is push",
    ]


async def test_of_many_ticks_the_first_and_the_last_are_told(urgent: ToldDelivery) -> None:
    (process,) = urgent["processes"]
    process["ticks"] = process["ticks"][:6] * 8

    steps = part(brief(urgent), "ran")

    assert len(steps) == 12
    assert "... 37 more ticks" in steps
    assert steps[-1].startswith("48 duplicates.compare")


async def test_several_reactions_share_the_screen() -> None:
    reactions = [{"name": f"reaction-{n}", "on": "issues"} for n in range(3)]

    lines = brief(await told_of("issues.opened.urgent", reactions))

    assert [line.split()[0] for line in lines if "TERMINATED" in line] == [
        "reaction-0",
        "reaction-1",
        "reaction-2",
    ]
    assert len(lines) <= 60
    assert lines[-1] == MORE


async def test_what_people_are_asked_and_have_answered_is_told(urgent: ToldDelivery) -> None:
    (process,) = urgent["processes"]
    process["forms"] = [
        {
            "id": "p1-2",
            "title": "Is it urgent?",
            "action": "triage.ask",
            "asked_at": "2026-03-14T15:09:26+00:00",
            "expires_at": None,
        }
    ]

    assert part(brief(urgent), "asked") == [
        "waits for an answer to 'Is it urgent?': `reactor answer p1-2`"
    ]
