"""What kept an action from running, when only what is at the bottom of it is left."""

import pytest

from reactor.explain import ToldTick
from reactor.journal import UnmetData
from reactor.shortfall import Lack, lack_of, spans, stood


def unmet(
    condition: str, reason: str = "", *, was: str = "false", needs: str = "true"
) -> UnmetData:
    told: UnmetData = {"condition": condition, "needs": needs, "is": was}
    return {**told, "reason": reason} if reason else told


def tick(chosen: str | None, could: tuple[str, ...] = (), **could_not: list[UnmetData]) -> ToldTick:
    return {
        "chosen": chosen,
        "candidates": [
            {"action": each, "net_value": 0.5, "cost": 0, "value": 0.5} for each in could
        ],
        "not_runnable": [{"action": each, "unmet": lacks} for each, lacks in could_not.items()],
        "left_out": 0,
    }


def test_an_expression_over_a_fact_that_is_not_there_follows_from_that() -> None:
    lack = lack_of(
        [
            unmet("has(IssueAssessment)"),
            unmet("issue_assessment.urgency > 0.7", "issue_assessment is not on the blackboard"),
        ]
    )

    assert lack == Lack(facts=("IssueAssessment",), conditions=())


def test_a_fact_that_only_an_expression_speaks_of_is_missing_under_its_name() -> None:
    lack = lack_of([unmet("a.b && c.d", "a and c are not on the blackboard")])

    assert lack.facts == ("a", "c")


@pytest.mark.parametrize(
    ("condition", "fact"),
    [
        ("has(Issue)", "Issue"),
        ("has(draft: shop.Reply)", "draft: shop.Reply"),
        ("has(Result but no Failure)", "Result"),
        ("new(Comment) for triage.answer", "new Comment"),
    ],
)
def test_what_a_condition_wants_to_be_there_is_a_fact(condition: str, fact: str) -> None:
    assert lack_of([unmet(condition)]).facts == (fact,)


@pytest.mark.parametrize("condition", ["has(issue.body)", "llm", "triage.is_late", "ran(a.b)"])
def test_any_other_condition_was_looked_at(condition: str) -> None:
    assert lack_of([unmet(condition)]) == Lack((), (unmet(condition),))


def test_a_fact_that_must_not_be_there_is_no_missing_one() -> None:
    there = unmet("has(Newcomer)", was="true", needs="false")

    assert lack_of([there]) == Lack((), (there,))


def test_where_it_lacked_the_least_counts_and_all_ticks_in_which_it_was_so() -> None:
    rule, fact = unmet("issue.title != ''"), unmet("has(Issue)")
    ticks = [tick("x.y", a=[fact, rule]), tick("x.y", a=[rule]), tick(None, a=[rule])]

    found = stood(ticks, "a")

    assert (found.lacking, found.lack, found.is_near) == ((2, 3), Lack((), (rule,)), True)


def test_one_that_could_run_lacked_nothing_and_says_when() -> None:
    ticks = [tick("x.y", a=[unmet("has(Issue)")]), tick("x.y", ("x.y", "a")), tick("a", ("a",))]

    found = stood(ticks, "a")

    assert (found.ran, found.outdone, found.lack) == ((3,), (2,), None)


def test_one_that_led_nowhere_says_that_nothing_was_chosen() -> None:
    found = stood([tick(None, ("a",))], "a")

    assert (found.outdone, found.unchosen, found.could, found.lack) == ((), (1,), (1,), None)


def test_one_of_which_nothing_is_told_says_that() -> None:
    assert not stood([tick(None)], "a").is_told


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((2,), "tick 2"),
        ((3, 4, 5), "ticks 3 to 5"),
        ((1, 3, 4), "ticks 1 and 3 to 4"),
        ((1, 3, 5, 6, 9), "ticks 1, 3, 5 to 6 and 9"),
    ],
)
def test_numbers_are_told_as_spans(numbers: tuple[int, ...], said: str) -> None:
    assert spans(numbers) == said
