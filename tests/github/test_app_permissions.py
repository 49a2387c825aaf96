"""What an app has to be allowed to is said for each kind of effect."""

import pytest

from reactor.effect import Effect
from reactor.github import AddLabels, CreateCheck, Dispatch, RequestReview
from reactor.github.app_permissions import EVENTS, NEEDS, lacking, shown, wanted
from reactor.github.effects import EFFECT_TYPES
from reactor.github.events import TYPED


class OfATeam(Effect): ...


def test_every_kind_has_a_row_and_nothing_else_has() -> None:
    assert set(NEEDS) == set(EFFECT_TYPES)


def test_every_kind_changes_something_somewhere() -> None:
    assert [kind.__name__ for kind, need in NEEDS.items() if not need.all] == []


def test_every_event_that_is_asked_for_can_be_read() -> None:
    assert [event for event in EVENTS if event not in TYPED] == []


def test_what_is_wanted_is_what_the_kinds_need_and_what_is_read_in_any_case() -> None:
    assert wanted([AddLabels, OfATeam]) == {
        "contents": "read",
        "issues": "write",
        "metadata": "read",
        "pull_requests": "write",
    }
    assert wanted([Dispatch])["contents"] == "write"


@pytest.mark.parametrize(
    ("granted", "missing"),
    [
        ({}, {"contents": "read", "metadata": "read", "pull_requests": "write"}),
        ({"metadata": "read", "contents": "write", "pull_requests": "write"}, {}),
        (
            {"metadata": "read", "contents": "read", "pull_requests": "read"},
            {"pull_requests": "write"},
        ),
    ],
)
def test_what_was_not_granted_is_told(granted: dict[str, str], missing: dict[str, str]) -> None:
    assert lacking(granted, [RequestReview]) == missing


def test_names_are_shown_as_on_githubs_pages() -> None:
    assert shown("pull_requests") == "Pull requests"
    assert NEEDS[CreateCheck].is_for_apps_only
