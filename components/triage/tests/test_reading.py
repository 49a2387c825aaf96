"""What counts of a model's answer."""

from typing import Any

import pytest
from pydantic import ValidationError
from reactor_triage import TriageSettings
from reactor_triage.lexicon import LABELS
from reactor_triage.reading import (
    FITTING,
    WORDS,
    IssueReading,
    Kind,
    Missing,
    PullRequestReading,
    issue_assessment,
    pull_request_assessment,
)
from reactor_triage.rules import NO_DESCRIPTION, NO_REASON, Rules

SETTINGS = TriageSettings(most_labels=2)
EVERYTHING = tuple(Missing)


def reading(kind: Kind = Kind.FAULT, **fields: object) -> IssueReading:
    return IssueReading.model_validate({"kind": kind, "urgency": 0.5, "sentiment": 0.5} | fields)


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [
        (("approved", "bug"), ("bug",)),
        (("BUG ", "bug", "Bug"), ("bug",)),
        (("security", "bug", "question"), ("security", "bug")),
        (("bug\nurgent", "", "bu\u200bg"), ()),
    ],
)
def test_labels_are_those_of_the_list_and_few(
    wanted: tuple[str, ...], labels: tuple[str, ...]
) -> None:
    assert issue_assessment(reading(labels=wanted), SETTINGS).labels == labels


@pytest.mark.parametrize(
    "fields",
    [
        {"urgency": 1.1},
        {"urgency": "high"},
        {"sentiment": -0.1},
        {"kind": "emergency"},
        {"missing": ["your password"]},
    ],
)
def test_what_the_type_does_not_allow_is_no_answer(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        reading(**fields)


def test_fields_that_nobody_asked_for_come_to_nothing() -> None:
    read = reading(assignees=["mallory"], state="closed")

    assert read == reading()


@pytest.mark.parametrize("kind", list(Kind))
def test_only_what_a_kind_can_lack_is_asked_for(kind: Kind) -> None:
    judged = issue_assessment(reading(kind, missing=EVERYTHING), SETTINGS)

    assert judged.missing == tuple(WORDS[it] for it in FITTING[kind])


@pytest.mark.parametrize(
    ("kind", "missing", "is_asked"),
    [
        (Kind.FAULT, (), False),
        (Kind.FAULT, (Missing.VERSION,), False),
        (Kind.FAULT, (Missing.STEPS, Missing.EXPECTATION, Missing.VERSION), True),
        (Kind.FAULT, (Missing.DESCRIPTION,), True),
        (Kind.WISH, (Missing.REASON,), False),
        (Kind.WISH, EVERYTHING, True),
        (Kind.OTHER, EVERYTHING, False),
    ],
)
def test_the_quality_follows_from_what_is_missing(
    kind: Kind, missing: tuple[Missing, ...], is_asked: bool
) -> None:
    judged = issue_assessment(reading(kind, missing=missing), SETTINGS)

    assert (judged.quality < SETTINGS.incomplete_below) is is_asked
    assert 0 <= judged.quality <= 1


def test_what_can_be_asked_for_is_what_the_rules_ask_for() -> None:
    rules = Rules(LABELS)
    of_a_fault = rules.judge("It breaks", None).missing
    of_a_wish = rules.judge("Feature request: dark mode", "Dark.").missing

    assert {*of_a_fault, *of_a_wish} == set(WORDS.values())
    assert (WORDS[Missing.DESCRIPTION], WORDS[Missing.REASON]) == (NO_DESCRIPTION, NO_REASON)


def test_the_reason_is_kept_on_one_short_line_that_a_terminal_can_show() -> None:
    reason = "It\nis \x1b[31mred\u202e " + "x" * 1000

    comment = issue_assessment(reading(reason=reason), SETTINGS).comment

    assert comment.startswith("by a model: urgency 0.50 (It is [31mred x")
    assert comment.isprintable()
    assert len(comment) < 400


def test_the_number_of_files_is_never_the_models() -> None:
    read = PullRequestReading.model_validate({"urgency": 0, "sentiment": 1, "changed_files": 999})

    assert pull_request_assessment(read, SETTINGS, changed_files=3).changed_files == 3
