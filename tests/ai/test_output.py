"""Typed answers: what a model writes is found, whatever it puts around it, and validated."""

import json
from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from reactor.ai.output import Output, Unreadable


class Kind(StrEnum):
    BUG = "bug"
    QUESTION = "question"


class Judgement(BaseModel):
    model_config = ConfigDict(frozen=True)

    comment: str
    urgency: float = Field(ge=0, le=1)
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    x: int
    y: int


JUDGEMENT = Judgement(comment="Is {it} broken?", urgency=0.5, labels=("bug",))
JSON = JUDGEMENT.model_dump_json()


@pytest.mark.parametrize(
    "written",
    [
        JSON,
        f"\ufeff  {JSON}\n",
        f"```json\n{JSON}\n```",
        f"```\n{JSON}```",
        f"Sure, here you are:\n{JSON}\nI hope that {{this}} helps [really].",
        f"First [1, 2], then ```json\n{JSON}\n``` and no more.",
        f"<think>maybe {{}} or {{'urgency': 7}}</think>\n{JSON}",
        f"<Think>İ {{}}</THINK>{JSON}<reasoning>{{}}</reasoning>",
        JSON[:-1] + ",}",
        f"An example is {{}}, but: {JSON[:-1]},}} is mine.",
        '{"comment": "Is {it} broken?", "urgency": 0.5, "labels": ["bug"], "more": "than asked"}',
    ],
)
def test_an_answer_is_found_whatever_is_around_it(written: str) -> None:
    assert Output(Judgement).read(written) == JUDGEMENT


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("", "empty"),
        ("I will not.", "no JSON"),
        (JSON[:-3], "no JSON"),
        ('{"comment": "x", "urgency": 7}', "urgency: Input should be less than or equal to 1"),
        ('{"urgency": "high"}', "comment: Field required\nurgency: Input should be a valid number"),
        ('{"comment": "x", "urgency": NaN}', "urgency: Input should be less"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_what_does_not_fit_is_told_as_the_model_can_mend_it(written: str, fault: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        Output(Judgement).read(written)

    assert fault in str(unreadable.value)


def test_a_line_break_within_a_string_is_no_reason_to_ask_again() -> None:
    read = Output(Judgement).read('{"comment": "two\nlines", "urgency": 0}')

    assert read.comment == "two\nlines"


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        (Kind, '{"value": "bug"}', Kind.BUG),
        (Kind, '"question"', Kind.QUESTION),
        (list[int], '{"value": [1, 2]}', [1, 2]),
        (list[int], "It is [1, 2].", [1, 2]),
        (Point, '{"x": 1, "y": 2}', Point(1, 2)),
        (bool, "true", True),
    ],
)
def test_any_type_will_do(kind: type, written: str, value: object) -> None:
    assert Output(kind).read(written) == value


@pytest.mark.parametrize("kind", [Kind, list[Point], Judgement, Point, int])
def test_providers_are_given_the_schema_of_an_object(kind: type) -> None:
    answer = Output(kind).answer

    assert answer.schema["type"] == "object"
    assert json.dumps(answer.schema) in answer.instructions
    assert answer.name.isidentifier()


@given(
    st.builds(Judgement, comment=st.text(), urgency=st.floats(0, 1), labels=st.tuples(st.text())),
    st.text(alphabet=st.characters(exclude_characters="{}[]`<"), max_size=50),
    st.text(alphabet=st.characters(exclude_characters="{}[]`<"), max_size=50),
)
def test_what_was_written_is_what_is_read(value: Judgement, before: str, after: str) -> None:
    assert Output(Judgement).read(f"{before}{value.model_dump_json()}{after}") == value


@given(st.text().filter(lambda text: "{" not in text))
def test_a_text_without_an_object_is_unreadable_and_no_worse(text: str) -> None:
    with pytest.raises(Unreadable):
        Output(Judgement).read(text)
