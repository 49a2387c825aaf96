"""Triage with a model, and what takes over where there is none."""

from typing import Any

import pytest
from reactor_triage import TriageComponent
from reactor_triage.reading import IssueReading, Kind, Missing, PullRequestReading

from reactor import Process
from reactor.ai import BudgetSpent, ModelRefused, ModelUnavailable
from reactor.community import IssueAssessment, PullRequestAssessment
from reactor.github import AddLabels, PostComment
from reactor.testing import (
    FakeAi,
    Workbench,
    account,
    effects,
    event,
    issue,
    pull_request,
    ran,
)

FAULT = IssueReading(
    kind=Kind.FAULT,
    urgency=0.4,
    sentiment=0.5,
    labels=("bug", "approved"),
    reason="Brakes that do nothing are a fault.",
    reply="Please look whether the cable is tight, since frost loosens it.",
)
FIX = PullRequestReading(urgency=0.3, sentiment=0.6, labels=("bug",), reply="Which test shows it?")
BY_MODEL = "triage.react_to_new_issue_by_model"
BY_RULES = "triage.react_to_new_issue"


def bench(*answers: object, **settings: Any) -> Workbench:
    return Workbench(TriageComponent, settings=settings, ai=FakeAi(*answers))


def judged(process: Process) -> IssueAssessment:
    found = process.board.last(IssueAssessment)
    assert found is not None
    return found


def comments(asked: list[Any]) -> list[str]:
    return [effect.body for effect in asked if isinstance(effect, PostComment)]


async def test_a_model_judges_in_the_place_of_the_rules() -> None:
    process = await bench(FAULT).run(event("issues.opened", issue=issue()))

    assert ran(process) == ["triage.save_new_issue", BY_MODEL, "triage.label_issue"]
    assert judged(process).labels == ("bug",)
    assert "Brakes that do nothing are a fault." in judged(process).comment
    assert effects(process) == [AddLabels(labels=("bug",))]


async def test_it_is_asked_with_what_was_written_and_with_the_labels_that_there_are() -> None:
    ai = FakeAi(FAULT)
    written = issue("Brakes fail", body="On ice.", author_association="CONTRIBUTOR")
    bench = Workbench(TriageComponent, settings={"labels": {"kind/brakes": ["brake*"]}}, ai=ai)

    await bench.run(event("issues.opened", issue=written))

    (prompt,) = ai.prompts
    assert "title of the issue, by octocat, trust=contributor>\nBrakes fail\n</untrusted" in prompt
    assert "text of the issue, by octocat, trust=contributor>\nOn ice.\n</untrusted" in prompt
    assert "- kind/brakes, for what is said with words such as: brake" in prompt
    assert "documentation" not in prompt


async def test_what_is_missing_is_asked_for_in_our_words() -> None:
    lacking = FAULT.model_copy(
        update={"missing": (Missing.VERSION, Missing.STEPS, Missing.EXPECTATION)}
    )

    process = await bench(lacking, model="reply").run(event("issues.opened", issue=issue()))

    (asked,) = comments(effects(process))
    assert "- the steps that lead to it" in asked
    assert "cable" not in asked


async def test_what_a_model_sees_as_urgent_is_escalated() -> None:
    urgent = FAULT.model_copy(update={"urgency": 0.9})

    process = await bench(urgent).run(event("issues.opened", issue=issue()))

    assert "triage.heavy_hitter_issue" in ran(process)


async def test_a_pull_request_is_judged_with_the_number_of_files_that_github_counts() -> None:
    process = await bench(FIX).run(
        event("pull_request.opened", pull_request=pull_request(changed_files=3))
    )

    assert ran(process) == [
        "triage.save_new_pull_request",
        "triage.react_to_new_pull_request_by_model",
        "triage.label_pull_request",
    ]
    found = process.board.last(PullRequestAssessment)
    assert found is not None
    assert found.changed_files == 3


async def test_without_a_model_the_rules_judge_and_nothing_has_failed() -> None:
    process = await bench().run(event("issues.opened", issue=issue()))

    assert BY_MODEL not in ran(process)
    assert BY_RULES in ran(process)
    assert process.status == "TERMINATED"


@pytest.mark.parametrize(
    "answers",
    [
        (BudgetSpent("in a day", 1.0),),
        (ModelRefused("fake", "key"),),
        (ModelUnavailable("fake", "down", 3600),),
        ("I'd rather not.",) * 4,
    ],
    ids=["spent", "refused", "away", "unreadable"],
)
async def test_where_a_model_fails_the_rules_take_over(answers: tuple[object, ...]) -> None:
    process = await bench(*answers).run(event("issues.opened", issue=issue()))

    assert ran(process)[1:3] == [BY_MODEL, BY_RULES]
    assert process.status == "TERMINATED"
    assert judged(process).comment.startswith("urgency")


async def test_a_known_issue_costs_nothing() -> None:
    known = bench(FAULT, FAULT)
    await known.run(event("issues.opened", id="d-1", issue=issue()))

    process = await known.run(event("issues.opened", id="d-2", issue=issue()))

    assert ran(process) == ["triage.save_new_issue"]


@pytest.mark.parametrize("user", [account("helper", type="Bot"), None])
async def test_what_no_person_has_opened_is_judged_by_rules(user: dict[str, Any] | None) -> None:
    process = await bench(FAULT).run(event("issues.opened", issue=issue(user=user)))

    assert BY_MODEL not in ran(process)
    assert BY_RULES in ran(process)


async def test_an_operator_may_do_without_a_model() -> None:
    process = await bench(FAULT, model="never").run(event("issues.opened", issue=issue()))

    assert BY_MODEL not in ran(process)
    assert BY_RULES in ran(process)


async def test_nothing_of_a_model_is_written_unless_the_operator_wants_it() -> None:
    ai = FakeAi(FAULT)

    process = await Workbench(TriageComponent, ai=ai).run(event("issues.opened", issue=issue()))

    assert "reply: leave it empty" in ai.prompts[0]
    assert comments(effects(process)) == []


async def test_where_it_is_wanted_an_author_is_answered_once_in_a_models_words() -> None:
    process = await bench(FAULT, model="reply").run(event("issues.opened", issue=issue()))

    (answer,) = comments(effects(process))
    assert answer.startswith("Thank you! Please look whether the cable is tight")
    assert "language model" in answer


async def test_whoever_opens_a_pull_request_is_answered_as_well() -> None:
    opened = event("pull_request.opened", pull_request=pull_request())

    process = await bench(FIX, model="reply").run(opened)

    assert comments(effects(process))[0].startswith("Thank you! Which test shows it?")


async def test_words_that_are_not_fit_are_not_written_and_the_rest_counts() -> None:
    unfit = FAULT.model_copy(update={"reply": "Ask @octocat, or look at https://evil.example."})

    process = await bench(unfit, model="reply").run(event("issues.opened", issue=issue()))

    assert effects(process) == [AddLabels(labels=("bug",))]


async def test_insiders_are_not_answered() -> None:
    by_a_member = issue(author_association="MEMBER")

    process = await bench(FAULT, model="reply").run(event("issues.opened", issue=by_a_member))

    assert comments(effects(process)) == []


async def test_who_was_answered_before_is_not_answered_again() -> None:
    opened = event("issues.opened", issue=issue())

    process = await bench(FAULT, model="reply").run(opened, retriaged_by="ann")

    assert BY_MODEL in ran(process)
    assert comments(effects(process)) == []
