"""Why one action did not run, wherever it stood: weighed, out of scope, left out, asked for."""

from pathlib import Path

import pytest

from reactor.cli.receiving import read_delivery
from reactor.explain import ToldDelivery
from reactor.settings import Settings
from reactor.why_not import (
    Offer,
    UnknownAction,
    named_action,
    weighed_action,
    why_not,
    why_not_lines,
)
from reactor.wiring.memory import receive

SAMPLE = Path(__file__).parents[1] / "reactor" / "samples" / "issues.opened.urgent.json"


async def told_by(**reaction: object) -> ToldDelivery:
    """An urgent issue, decided by the components of this repository."""
    settings = Settings.model_validate(
        {"reactions": [{"name": "everything", "on": "*", **reaction}]} if reaction else {}
    )
    document, _ = await receive(settings, read_delivery(SAMPLE, "issues", "d-1"))
    return document


@pytest.fixture
async def told() -> ToldDelivery:
    return await told_by()


def said(told: ToldDelivery, action: str, offer: Offer | None = None) -> list[str]:
    return why_not_lines(why_not(told, action, offer))


async def test_the_one_thing_that_it_lacked_comes_first_then_the_ticks_alike_together(
    told: ToldDelivery,
) -> None:
    first, *ticks = said(told, "triage.ask_for_information")

    assert first == (
        "[everything] triage.ask_for_information would have run, if issue_assessment.quality"
        " < settings.incomplete_below (false), in ticks 3 to 8"
    )
    assert [each.partition(":")[0] for each in ticks] == ["  ticks 1 to 2", "  ticks 3 to 8"]
    assert "issue_assessment is not on the blackboard" in ticks[0]


async def test_what_it_is_for_was_not_there(told: ToldDelivery) -> None:
    first, *_ = said(told, "community.thank_for_star")

    assert first.endswith("community.thank_for_star had nothing to work on: no StarCreated")


async def test_one_that_ran_says_when_what_it_wanted_and_what_it_was_passed_over_for(
    told: ToldDelivery,
) -> None:
    lines = said(told, "triage.label_issue")

    assert lines[0] == "[everything] triage.label_issue ran, in tick 5"
    assert lines[1] == "  would add label bug"
    assert (
        "  tick 3: it could run, for +0.55, but triage.heavy_hitter_issue was worth more" in lines
    )
    assert "  tick 5: it ran: -> AddLabels" in lines


async def test_one_that_others_went_before_until_the_end_says_why_it_ended() -> None:
    told = await told_by(max_actions=2)

    first, *_ = said(told, "hello.mark_as_new")

    assert "hello.mark_as_new could have run, but others went first, and then: " in first
    assert "2" in first.rpartition(": ")[2]


async def test_what_was_refused_is_told_with_the_reason(told: ToldDelivery) -> None:
    (effect,) = [
        each for each in told["processes"][0]["effects"] if each["action"] == "hello.mark_as_new"
    ]
    effect |= {"state": "refused", "reason": "components.hello does not allow AddLabels"}

    assert "  refused add label new (components.hello does not allow AddLabels)" in said(
        told, "hello.mark_as_new"
    )


async def test_one_that_is_installed_but_not_in_scope_says_whose_scope_and_who_brings_it() -> None:
    told = await told_by(scope=["hello"])
    offer = Offer(actions={"triage.label_issue": "triage (reactor-triage 0.1.0)"})

    action = named_action(told, "label_issue", offer)

    assert said(told, action, offer) == [
        "[everything] triage.label_issue is not in the scope of this reaction (packages(hello))",
        "triage.label_issue is installed, by triage (reactor-triage 0.1.0)",
    ]


async def test_one_of_a_package_that_is_disabled_or_left_out_says_so(told: ToldDelivery) -> None:
    offer = Offer(disabled=("stale",), faults={"old": ("package old: can't be loaded: boom",)})

    for name in ("stale.close", "old.close"):
        assert named_action(told, name, offer) == name
    assert said(told, "stale.close", offer)[-1] == (
        "the package stale is disabled in the settings (components.stale.disabled)"
    )
    assert said(told, "old.close", offer)[-1] == "left out: package old: can't be loaded: boom"


async def test_one_that_comments_ask_for_says_how(told: ToldDelivery) -> None:
    offer = Offer(
        actions={"commands.label": "commands"}, commands={"commands.label": "/label NAMES..."}
    )

    lines = said(told, "commands.label", offer)

    assert lines[-1] == "commands.label does what a comment asks for: /label NAMES..."


async def test_a_delivery_that_started_nothing_says_why_for_each_reaction() -> None:
    told = await told_by(on="push")
    offer = Offer(
        actions={"hello.mark_as_new": "hello"},
        unstarted={"everything": "it listens to push, and this is issues.opened"},
    )

    assert said(told, "hello.mark_as_new", offer) == [
        "no process: no_reaction",
        "[everything] was not started: it listens to push, and this is issues.opened",
        "hello.mark_as_new is installed, by hello",
    ]


async def test_an_action_may_be_named_without_its_component(told: ToldDelivery) -> None:
    assert weighed_action(told, "label_issue") == "triage.label_issue"


async def test_a_name_that_nobody_has_is_refused_with_near_ones_and_what_is_disabled(
    told: ToldDelivery,
) -> None:
    with pytest.raises(UnknownAction, match=r"triage\.label_issue"):
        weighed_action(told, "triage.lable_issue")
    with pytest.raises(UnknownAction, match=r"commands\.lable.*disabled in the settings: stale"):
        named_action(told, "lable", Offer(actions={"commands.lable_x": "c"}, disabled=("stale",)))


async def test_for_programs_it_is_told_by_numbers(told: ToldDelivery) -> None:
    (process,) = why_not(told, "triage.ask_for_information")["processes"]

    assert (process["ran"], process["outdone"], process["lacking"]) == ([], [], [3, 4, 5, 6, 7, 8])
    assert process["lack"]["facts"] == []
    (condition,) = process["lack"]["conditions"]
    assert condition["condition"].endswith("issue_assessment.quality < settings.incomplete_below")
