"""From the schema of an answer to fields, and from what is typed into them to a value."""

import json
from datetime import date
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter

from reactor.web.console.fields import Faults, faults_by_field, fields_of, typed_into, value_of


class Urgency(Enum):
    LOW = "low"
    HIGH = "high"


class Place(BaseModel):
    street: str
    number: int = 1


class Everything(BaseModel):
    """One of each."""

    label: str = Field(max_length=40, description="What it is called.")
    urgency: Urgency
    is_bug: bool
    stars: int
    weight: float = 0.5
    due: date | None = None
    comment: str = ""
    kinds: list[Literal["a", "b"]] = []
    others: tuple[str, ...] = ()
    place: Place
    note: str | None = None
    extra: dict[str, int] = {}


SCHEMA = Everything.model_json_schema()
WHOLE: dict[str, str | list[str]] = {
    "label": "bug",
    "urgency": '"high"',
    "is_bug": "false",
    "stars": " 4 ",
    "weight": "1e-3",
    "due": "2026-03-14",
    "comment": "two\r\nlines",
    "kinds": ['"b"', '"a"'],
    "others": "x\n\n  y \n",
    "place.street": "Pier",
    "place.number": "7",
    "note": "",
    "extra": '{"n": 1}',
}


def answer(schema: dict[str, Any], typed: dict[str, str | list[str]]) -> object:
    """What comes of typing that into the fields with these places."""
    fields = fields_of(schema)
    sent = [
        (field.name, value)
        for field in fields
        for value in _several(typed.get(".".join(field.part.path), []))
    ]
    return value_of(typed_into(fields, sent))


def _several(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def test_each_thing_that_is_asked_has_a_field_of_its_kind() -> None:
    kinds = {".".join(field.part.path): field.kind for field in fields_of(SCHEMA)}

    assert kinds == {
        "label": "text",
        "urgency": "choice",
        "is_bug": "flag",
        "stars": "number",
        "weight": "number",
        "due": "date",
        "comment": "long",
        "kinds": "choices",
        "others": "lines",
        "place.street": "text",
        "place.number": "number",
        "note": "text",
        "extra": "json",
    }


def test_what_is_typed_becomes_the_value_that_the_model_takes() -> None:
    value = answer(SCHEMA, WHOLE)

    assert value == {
        "label": "bug",
        "urgency": "high",
        "is_bug": False,
        "stars": 4,
        "weight": 0.001,
        "due": "2026-03-14",
        "comment": "two\nlines",
        "kinds": ["b", "a"],
        "others": ["x", "y"],
        "place": {"street": "Pier", "number": 7},
        "extra": {"n": 1},
    }
    assert Everything.model_validate(value).urgency is Urgency.HIGH


def test_what_is_left_empty_is_left_out_where_it_may_be() -> None:
    needed = ("label", "urgency", "is_bug", "stars", "place.street")

    value = answer(SCHEMA, {place: WHOLE[place] for place in needed})

    assert set(value) == {"label", "urgency", "is_bug", "stars", "place"}  # type: ignore[call-overload]
    assert Everything.model_validate(value).place.number == 1


def test_every_fault_is_told_at_once_beside_its_field() -> None:
    with pytest.raises(Faults) as faults:
        answer(SCHEMA, {**WHOLE, "label": " ", "stars": "many", "urgency": '"top"', "extra": "{"})

    told = {faults.value.by_field[f"field-{n}"][:20] for n in (0, 1, 3, 12)}
    assert len(faults.value.by_field) == 4
    assert told == {
        "say something here",
        "choose one of what i",
        "give a whole number",
        "this is no JSON: Exp",
    }


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "0x10", "\u0661x", "1,5", "--1"])
def test_what_is_no_number_is_a_fault(text: str) -> None:
    with pytest.raises(Faults):
        answer(SCHEMA, {**WHOLE, "weight": text})


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "[" * 100_000, "{'a': 1}", "\x00"])
def test_what_is_no_json_is_a_fault(text: str) -> None:
    with pytest.raises(Faults):
        answer(SCHEMA, {**WHOLE, "extra": text})


def test_defaults_stand_in_the_fields_and_those_of_the_form_before_those_of_the_model() -> None:
    default = Everything(
        label="x", urgency=Urgency.LOW, is_bug=True, stars=3, place=Place(street="Quay")
    )
    fields = fields_of(SCHEMA, json.loads(default.model_dump_json()))

    given = {".".join(field.part.path): field.given for field in fields}
    assert given["label"] == ("x",)
    assert given["urgency"] == ('"low"',)
    assert given["is_bug"] == ("true",)
    assert given["weight"] == ("0.5",)
    assert given["place.street"] == ("Quay",)
    assert given["due"] == ()


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        (TypeAdapter(int).json_schema(), "7", 7),
        (TypeAdapter(str).json_schema(), "a", "a"),
        (TypeAdapter(Urgency).json_schema(), '"low"', "low"),
        (TypeAdapter(list[int]).json_schema(), "[1, 2]", [1, 2]),
        ({}, "null", None),
        ({"type": "object"}, "{}", {}),
    ],
)
def test_an_answer_that_is_no_object_is_one_field(
    schema: dict[str, Any], typed: str, value: object
) -> None:
    assert answer(schema, {"": typed}) == value


def test_an_object_of_nothing_is_an_empty_one() -> None:
    assert answer({"type": "object", "properties": {}}, {}) == {}


def test_what_a_desk_says_is_wrong_finds_its_field() -> None:
    fields = fields_of(SCHEMA)
    name = {".".join(field.part.path): field.name for field in fields}

    told = faults_by_field(
        [
            "stars: 9 is too much",
            "stars: and odd",
            "place.street: no such one",
            "others.0: 'x' is too short",
            "'label' is a required property",
            "unheard.of: wrong",
        ],
        fields,
    )

    assert told == {
        name["stars"]: "9 is too much; and odd",
        name["place.street"]: "no such one",
        name["others"]: "'x' is too short",
        "": "'label' is a required property; unheard.of: wrong",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_no_schema_that_somebody_writes_breaks_a_page(schema: object) -> None:
    wrapped = {"type": "object", "properties": {"x": schema, "y": {"$ref": "#/properties/x"}}}
    for each in (wrapped, schema if isinstance(schema, dict) else {}):
        assert all(isinstance(field.label, str) for field in fields_of(each))


@given(st.text())
def test_a_schema_that_refers_to_itself_ends(name: str) -> None:
    schema = {"$ref": "#", "properties": {name: {"$ref": "#"}}, "type": "object"}

    assert len(fields_of(schema)) >= 0


@given(
    st.fixed_dictionaries(
        {"label": st.text(min_size=1, max_size=40), "urgency": st.sampled_from(["low", "high"]),
         "is_bug": st.booleans(), "stars": st.integers(-10**20, 10**20),
         "place": st.fixed_dictionaries({"street": st.text(min_size=1)})}
    )
)  # fmt: skip
def test_what_stands_in_the_fields_comes_back_as_it_was(value: dict[str, Any]) -> None:
    fields = fields_of(SCHEMA, value)
    try:
        again = value_of(fields)
    except Faults:  # nothing but blanks is nothing
        assert not value["label"].strip() or not value["place"]["street"].strip()
        return

    plain = {**value, "label": value["label"].replace("\r\n", "\n")}
    plain["place"] = {"street": value["place"]["street"].replace("\r\n", "\n"), "number": 1}
    assert {name: again[name] for name in plain} == plain  # type: ignore[index]
    Draft202012Validator(SCHEMA).validate(again)
