"""The strict reader of payloads."""

import json
from urllib.parse import quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.payload import FORM, MAX_DEPTH, BadPayload, parse

REPLACED = "\N{REPLACEMENT CHARACTER}"

storable_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | storable_text,
    lambda inner: st.lists(inner) | st.dictionaries(storable_text, inner),
    max_leaves=20,
)
json_objects = st.dictionaries(storable_text, json_values)


def reason(body: bytes, media_type: str = "application/json") -> str:
    with pytest.raises(BadPayload) as refused:
        parse(body, media_type)
    return str(refused.value)


def form(document: str) -> bytes:
    return b"payload=" + quote_plus(document).encode()


@settings(deadline=None)  # the machine may be busy
@given(json_objects, st.booleans())
def test_a_valid_document_reads_as_the_standard_library_reads_it(
    document: dict[str, object], ascii_only: bool
) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only)

    assert parse(text.encode()) == json.loads(text)
    assert parse(form(text), FORM) == json.loads(text)


@settings(deadline=None)  # the machine may be busy
@given(st.binary(), st.sampled_from(["application/json", FORM]))
def test_no_bytes_raise_anything_but_bad_payload(body: bytes, media_type: str) -> None:
    try:
        document = parse(body, media_type)
    except BadPayload:
        return
    assert isinstance(document, dict)


@settings(deadline=None)  # the machine may be busy
@given(st.text('[]{}",:0123456789.eE+-\\u dD8aNfinty\0'))
def test_no_near_json_raises_anything_but_bad_payload(text: str) -> None:
    try:
        document = parse(text.encode())
    except BadPayload:
        return
    assert json.loads(text) is not None
    assert json.dumps(document, allow_nan=False)


@pytest.mark.parametrize("body", [b"", b" ", b"{", b'{"a":1}x', b"{'a':1}", b'{"a":\x00}'])
def test_what_is_not_json_is_refused(body: bytes) -> None:
    assert reason(body)


def test_an_empty_body_is_called_empty() -> None:
    assert "empty body" in reason(b"")


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"[1]", "an array"), (b"null", "null"), (b'"opened"', "a string"), (b"1", "a number")],
)
def test_a_document_that_is_no_object_is_refused_and_named(body: bytes, kind: str) -> None:
    assert f"{kind}, not an object" in reason(body)


@pytest.mark.parametrize("body", [b'{"a":1,"a":1}', b'{"b":[{"a":1,"c":2,"\\u0061":3}]}'])
def test_a_key_that_is_there_twice_is_refused_and_named(body: bytes) -> None:
    assert "key 'a'" in reason(body)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
def test_a_number_that_is_no_number_is_refused(number: str) -> None:
    assert reason(b'{"a":[%s]}' % number.encode())


def test_an_integer_keeps_all_its_digits_up_to_the_limit() -> None:
    longest = "9" * 4_300

    assert parse(f'{{"a":{longest},"b":-{longest}}}'.encode()) == {
        "a": int(longest),
        "b": -int(longest),
    }
    assert "too many digits" in reason(f'{{"a":{longest}9}}'.encode())


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_read_down_to_the_limit_and_refused_below_it(opening: str, closing: str) -> None:
    def nested(depth: int) -> bytes:
        inner = depth - 1  # the outermost object is a level as well
        return ('{"a":' + opening * inner + "1" + closing * inner + "}").encode()

    assert parse(nested(MAX_DEPTH))
    assert "deep" in reason(nested(MAX_DEPTH + 1))
    assert "deep" in reason(nested(100_000))


@pytest.mark.parametrize(
    "body", [b'{"a":"\xff"}', b'{"a":"\xed\xa0\x80"}', '{"a":1}'.encode("utf-16")]
)
def test_bytes_that_are_not_utf8_are_refused_with_their_place(body: bytes) -> None:
    assert "not UTF-8 (byte " in reason(body)


def test_one_byte_order_mark_is_dropped_and_a_second_is_not() -> None:
    mark = b"\xef\xbb\xbf"

    assert parse(mark + b'{"a":1}') == {"a": 1}
    assert reason(mark + mark + b'{"a":1}')


def test_nul_and_lone_surrogates_are_replaced_in_keys_and_values_at_any_depth() -> None:
    body = rb'{"k\u0000":"a\u0000b","deep":[["\udfffx",{"\ud800":1}],"\ud83d\ude00"]}'

    assert parse(body) == {
        f"k{REPLACED}": f"a{REPLACED}b",
        "deep": [[f"{REPLACED}x", {REPLACED: 1}], "\N{GRINNING FACE}"],
    }


def test_keys_that_become_equal_by_the_replacement_are_refused() -> None:
    assert "twice" in reason(rb'{"a\u0000":1,"a\ud800":2}')


def test_an_escaped_backslash_before_u0000_is_plain_text() -> None:
    assert parse(rb'{"a":"\\u0000"}') == {"a": r"\u0000"}


def test_a_form_gives_its_payload_field_whatever_else_it_has() -> None:
    body = b"zen=a+b&" + form('{"a":"1 + 1 = 2 & \N{GRINNING FACE}"}') + b"&empty"

    assert parse(body, FORM) == {"a": "1 + 1 = 2 & \N{GRINNING FACE}"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"data=%7B%7D", "no field `payload`"),
        (b"payload=%7B%7D&payload=%7B%7D", "more than once"),
        (b"payload=%7B%7D&p%61yload=%7B%7D", "more than once"),
        (b"payload=", "`payload` is empty"),
        (b"&" * 1_000_000, "fields"),
    ],
)
def test_a_form_without_exactly_one_payload_is_refused(body: bytes, text: str) -> None:
    assert text in reason(body, FORM)


def test_a_refusal_never_repeats_a_long_text() -> None:
    long_key = "k" * 10_000

    assert len(reason(f'{{"{long_key}":1,"{long_key}":2}}'.encode())) < 200
    assert len(reason(f'{{"a":{"9" * 10_000}}}'.encode())) < 200
    assert len(reason(f'{{"a":1e{"9" * 10_000}}}'.encode())) < 200
