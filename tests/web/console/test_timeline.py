"""A process as steps: what lay before each, what is told again, and what is on another page."""

from typing import Any

from reactor.explain import ToldProcess
from reactor.testing import delivery, issue
from reactor.web.console.timeline import MOST_FACTS, MOST_STEPS, timeline
from tests.web.console.site import Site


def fact(seq: int) -> dict[str, Any]:
    return {"seq": seq, "name": "it", "type": "Issue", "preview": str(seq)}


def kept(action: str, condition: str = "has(Issue)") -> dict[str, Any]:
    unmet = {"condition": condition, "needs": "true", "is": "false"}
    return {"action": action, "unmet": [unmet]}


def tick(number: int, *kept_back: dict[str, Any], chosen: str | None = "a.b") -> dict[str, Any]:
    return {
        "tick": number,
        "chosen": chosen,
        "not_runnable": list(kept_back),
        "outputs": [fact(100 + number)],
    }


def process(*ticks: dict[str, Any], answers: tuple[Any, ...] = (), facts: int = 1) -> ToldProcess:
    told: Any = {
        "ticks": list(ticks),
        "answers": list(answers),
        "facts": [fact(number) for number in range(facts)],
    }
    return told  # type: ignore[no-any-return]


def test_each_step_has_what_was_put_on_the_blackboard_before_it() -> None:
    line = timeline(process(tick(1), tick(2), facts=2))

    boards = [[each["preview"] for each in step["board"]] for step in line["steps"]]
    assert boards == [["1", "0"], ["101", "1", "0"]]
    assert [step["fresh"] for step in line["steps"]] == [2, 1]


def test_of_a_large_blackboard_the_newest_are_shown() -> None:
    (step,) = timeline(process(tick(1), facts=MOST_FACTS + 3))["steps"]

    assert len(step["board"]) == MOST_FACTS
    assert step["more"] == 3
    assert step["board"][0]["preview"] == str(MOST_FACTS + 2)


def test_answers_stand_where_they_came_and_the_last_look_at_the_end() -> None:
    answer = {"tick": 2, "action": "a.ask", "outputs": []}
    last: dict[str, Any] = {"chosen": None, "not_runnable": []}

    line = timeline(process(tick(1), tick(3), last, answers=(answer,)))

    kinds = [(step["kind"], step["number"]) for step in line["steps"]]
    assert kinds == [("tick", 1), ("answered", 1), ("tick", 2), ("tick", 3)]
    assert line["steps"][-1]["told"] is last


def test_what_kept_an_action_is_told_once_where_it_goes_on_and_again_at_the_end() -> None:
    same, other = kept("a.same"), kept("a.other", "has(Comment)")

    first, second, last = timeline(
        process(tick(1, same), tick(2, same, other), tick(3, same, other))
    )["steps"]

    assert [each["action"] for each in first["blocked"]] == ["a.same"]
    assert [each["action"] for each in second["blocked"]] == ["a.other"]
    assert second["as_before"] == ["a.same"]
    assert [each["action"] for each in last["blocked"]] == ["a.same", "a.other"]


def test_another_reason_is_told() -> None:
    before, now = kept("a.b", "has(Issue)"), kept("a.b", "ran(a.b)")

    _, second, _ = timeline(process(tick(1, before), tick(2, now), tick(3)))["steps"]

    assert second["blocked"] == [now]


def test_of_many_steps_the_last_are_shown_and_the_others_can_be_reached() -> None:
    told = process(*(tick(number) for number in range(1, 61)))

    last = timeline(told)
    earlier = timeline(told, str(last["earlier"]))
    first = timeline(told, str(earlier["earlier"]))

    assert (len(last["steps"]), last["earlier"], last["later"]) == (MOST_STEPS, 35, 0)
    assert (len(earlier["steps"]), earlier["earlier"], earlier["later"]) == (MOST_STEPS, 10, 25)
    assert (len(first["steps"]), first["earlier"], first["later"]) == (10, 0, 50)
    assert first["steps"][0]["number"] == 1


def test_what_is_no_number_shows_the_last() -> None:
    told = process(*(tick(number) for number in range(1, 61)))

    for until in ("", "x", "-1", "9" * 400, "\N{SUPERSCRIPT TWO}", "1e3"):
        assert timeline(told, until)["earlier"] == 35, until


async def test_a_page_says_where_the_same_kept_it_as_before(console: Site) -> None:
    urgent = issue("Data loss on crash: urgent", body="All data is lost, production is down.")
    settled = await console.settle(delivery("issues.opened", id="guid-1", issue=urgent))

    page = await console.look(f"/processes/{settled.heads[0].id}?until=3")

    assert any("the same as at the tick before: " in p.text for p in page.all("p"))
    assert page.one("a", href=f"/processes/{settled.heads[0].id}#decisions").text.endswith(
        "later steps"
    )
