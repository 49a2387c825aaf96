"""Then and now: what counts as a difference, and what does not."""

from reactor.replay.comparing import differences, side_by_side
from reactor.replay.document import Decided, DecidedEffect, DecidedTick


def tick(action: str, outcome: str = "done", **fields: object) -> DecidedTick:
    told = DecidedTick(
        tick=1, action=action, outcome=outcome, net_value=0.5, error="", outputs=["Fact: a"]
    )
    return told | fields  # type: ignore[return-value]


def effect(key: str = "k", **fields: object) -> DecidedEffect:
    told = DecidedEffect(
        kind="AddLabels",
        key=key,
        action="a.label",
        state="intended",
        preview="add label bug",
        reason="",
        rules="",
    )
    return told | fields  # type: ignore[return-value]


def decided(*ticks: DecidedTick, effects: tuple[DecidedEffect, ...] = (), **f: object) -> Decided:
    told = Decided(
        status="TERMINATED", reason="nothing left", goal=None, ticks=[*ticks], effects=[*effects]
    )
    return told | f  # type: ignore[return-value]


def test_values_errors_and_facts_make_no_difference() -> None:
    then = decided(tick("a.look", net_value=0.4, error="HTTP 503", outputs=["Fact: b"]))

    assert differences(then, decided(tick("a.look"), reason="something else")) == []


def test_another_order_is_one() -> None:
    found = differences(decided(tick("a"), tick("b")), decided(tick("b"), tick("a")))

    assert {each["what"] for each in found} == {"action"}


def test_how_an_action_ended_is_told_with_its_error() -> None:
    (found,) = differences(
        decided(tick("a.look", "failed", error="ValueError: no")), decided(tick("a.look"))
    )

    assert (found["what"], found["then"], found["now"]) == (
        "outcome",
        "a.look failed (ValueError: no)",
        "a.look done",
    )


def test_what_may_be_made_of_an_effect_is_policy() -> None:
    refused = effect(state="refused", reason="components.triage does not allow AddLabels")

    (found,) = differences(decided(effects=(effect(),)), decided(effects=(refused,)))

    assert found["what"] == "policy"
    assert found["now"].endswith("refused (components.triage does not allow AddLabels)")


def test_what_was_judged_by_rules_of_then_is_not_judged_anew() -> None:
    then = decided(effects=(effect(state="refused", rules="abc"),))

    assert differences(then, decided(effects=(effect(),))) == []


def test_another_end_is_one_and_another_reason_is_not() -> None:
    (found,) = differences(decided(), decided(status="FAILED", reason="it broke"))

    assert (found["what"], found["now"]) == ("end", "FAILED: it broke")


def test_ticks_are_lined_up_by_their_actions() -> None:
    then, now = [tick("a"), tick("c")], [tick("a"), tick("b"), tick("c")]

    lines = [
        (left["action"] if left else "", right["action"] if right else "")
        for left, right in side_by_side(then, now)
    ]

    assert lines == [("a", "a"), ("", "b"), ("c", "c")]


def test_very_long_processes_are_compared_line_by_line() -> None:
    then, now = [tick("a")] * 300, [tick("a")] * 299

    assert len(differences(decided(*then), decided(*now))) == 1
