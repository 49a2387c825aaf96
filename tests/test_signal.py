"""Signals: what they are as deliveries, and what is no signal."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from reactor.delivery import Delivery
from reactor.signal import (
    BadSignal,
    EffectRuling,
    Signal,
    answering,
    as_delivery,
    read_signal,
    ruling_on,
)
from reactor.waiting import Answer

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
ANSWER = Answer(id="a-1", form_id="p1-7", by="ann", value={"stars": 5})
RULING = EffectRuling(subject="github.com/1#7", key="k1", is_approved=True)


def sent(signal: Signal) -> Delivery:
    """As it is read from its topic, where a body is all that there is."""
    delivery = as_delivery(signal, at=NOW)
    return replace(delivery, payload=json.loads(delivery.body))


@pytest.mark.parametrize(
    "signal",
    [
        answering(ANSWER),
        answering(Answer(id="a-2", form_id="p1-7", approved=False)),
        Signal(id="s-1", kind="kill", process_id="p1", by="ann", reason="it runs wild"),
        Signal(id="s-2", kind="wake", process_id="p1"),
        ruling_on(RULING, process_id="p1", by="ann", reason="seen"),
    ],
    ids=["form", "confirmation", "kill", "wake", "ruling"],
)
def test_a_signal_arrives_as_it_was_sent(signal: Signal) -> None:
    assert read_signal(sent(signal)) == signal


def test_a_signal_is_kept_in_order_with_its_process() -> None:
    delivery = as_delivery(answering(ANSWER), at=NOW)

    assert delivery.subject.key == "p1"
    assert (delivery.kind, delivery.source) == ("signal.answer", "signal")
    assert re.fullmatch("[0-9A-Za-z-]{1,64}", delivery.id)


def test_one_answer_makes_one_signal_and_another_one_another() -> None:
    assert answering(ANSWER) == answering(ANSWER)
    assert answering(ANSWER).id != answering(replace(ANSWER, id="a-2")).id
    assert answering(ANSWER).id != answering(replace(ANSWER, form_id="p1-8")).id


def test_fields_that_a_later_version_added_are_passed_over() -> None:
    told = answering(ANSWER).document
    told["answer"] = {**told["answer"], "mood": "calm"}  # type: ignore[dict-item]

    read = read_signal(replace(sent(answering(ANSWER)), payload={**told, "colour": "red"}))

    assert read.answer == ANSWER


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"kind": "dance"}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": ["kill"]}, "kind"),
        ({"process": "p2"}, "process"),
        ({"process": 7}, "process"),
        ({"answer": None}, "answer"),
        ({"answer": {"id": "a-1"}}, "answer"),
        ({"answer": {"id": "a-1", "form_id": "p2-7"}}, "answer"),
    ],
)
def test_what_tells_a_process_nothing_is_given_up(changed: dict[str, Any], why: str) -> None:
    delivery = sent(answering(ANSWER))

    with pytest.raises(BadSignal, match=why):
        read_signal(replace(delivery, payload={**delivery.payload, **changed}))


def test_one_ruling_makes_one_signal_and_another_one_another() -> None:
    approved = ruling_on(RULING, process_id="p1", by="ann")

    assert approved == ruling_on(RULING, process_id="p1", by="ann")
    rejected = ruling_on(replace(RULING, is_approved=False), process_id="p1", by="ann")
    assert approved.id != rejected.id


@pytest.mark.parametrize(
    "ruling",
    [None, {}, {"subject": "s", "key": "k"}, {"subject": "s", "key": "k", "is_approved": 1}],
)
def test_a_ruling_on_nothing_is_no_signal(ruling: object) -> None:
    signal = ruling_on(RULING, process_id="p1", by="ann")

    with pytest.raises(BadSignal, match="rules on no effect"):
        read_signal(replace(sent(signal), payload={**signal.document, "ruling": ruling}))
