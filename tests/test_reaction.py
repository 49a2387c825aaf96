"""Which events start which reaction."""

import pytest
from pydantic import ValidationError

from reactor.reaction import Reaction


@pytest.mark.parametrize(
    ("on", "event", "action", "listens"),
    [
        ("issues.opened", "issues", "opened", True),
        ("issues.opened", "issues", "closed", False),
        ("issues", "issues", "an_action_of_next_year", True),
        ("issues.*", "issues", None, True),
        ("issues", "issue_comment", "created", False),
        ("create", "create", None, True),
        ("*", "issues", "opened", True),
        ("*", "ping", None, False),
        ("ping", "ping", None, True),
        ("**", "ping", None, True),
    ],
)
def test_patterns_match_event_and_action(
    on: str, event: str, action: str | None, listens: bool
) -> None:
    reaction = Reaction(name="r", on=(on,))

    assert reaction.listens_to(event, action, is_typed=True) is listens


def test_only_two_stars_listen_to_events_without_a_model() -> None:
    one, two = Reaction(name="one", on=("*",)), Reaction(name="two", on=("**",))

    assert not one.listens_to("quantum_leap", None, is_typed=False)
    assert two.listens_to("quantum_leap", None, is_typed=False)


@pytest.mark.parametrize("pattern", ["Issues", "issues.", "issues.opened.twice", "a b", "***", ""])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationError, match="not an event pattern"):
        Reaction(name="r", on=(pattern,))


def test_effects_are_recorded_unless_the_reaction_is_live() -> None:
    quiet = Reaction(name="r", on=("issues",))
    live = Reaction.model_validate({"name": "r", "on": "issues", "effects": "live"})

    assert (quiet.effects, live.effects) == ("observe", "live")


def test_an_agent_has_a_scope_of_its_own() -> None:
    with pytest.raises(ValidationError, match="an agent has a scope of its own"):
        Reaction(name="r", on=("issues",), agent="tickets", scope=("triage",))


def test_a_reaction_says_whether_its_actions_may_run_together() -> None:
    alone, together = Reaction(name="a", on=("*",)), Reaction(name="b", on=("*",), concurrent=True)

    assert not alone.process_options(subject="github.com/1#7").concurrent
    assert together.process_options(subject="github.com/1#7").concurrent


def test_a_supervisor_has_to_be_given_a_goal() -> None:
    with pytest.raises(ValidationError, match="name a `goal`, or an `agent`"):
        Reaction(name="r", on=("issues",), planner="supervisor")

    assert Reaction(name="r", on=("issues",), planner="supervisor", goal=("done",)).goal
    assert Reaction(name="r", on=("issues",), planner="supervisor", agent="helper").agent
