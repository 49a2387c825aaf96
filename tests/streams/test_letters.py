import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.adapters.memory_bodies import MemoryBodies
from reactor.topic import DeadLetter, GivenUp, Position
from streams.letters import LetterCodec, again
from streams.packing import Packing
from streams.record import Outgoing, PoisonRecord, raw
from streams.refusal import letter_for, traceback_digest
from tests.fixtures.records import as_read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LETTERS = st.builds(
    DeadLetter,
    reason=st.sampled_from(["poison", "failed", "conflict"]),
    detail=TEXT,
    key=st.none() | st.binary(),
    body=st.binary(),
    headers=st.dictionaries(TEXT.filter(lambda name: not name.startswith("dead.")), TEXT),
    origin=st.none()
    | st.builds(Position, st.just("t.1"), st.integers(0, 99), st.integers(0, 2**63)),
    traceback_digest=st.sampled_from(["", "0123456789abcdef"]),
    attempts=st.integers(1, 1_000),
    first_seen=st.none() | st.just(datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)),
    about=st.dictionaries(TEXT, TEXT, max_size=3),
)
POISON = DeadLetter(reason="poison", detail="why", key=b"k", body=b"body", headers={"event": "x"})


@given(letter=LETTERS)
async def test_every_letter_comes_back_as_it_went(letter: DeadLetter) -> None:
    codec = LetterCodec(Packing(None))

    assert await codec.decode(as_read(await codec.encode(letter))) == letter


async def test_key_body_and_headers_are_those_of_the_original() -> None:
    written = await LetterCodec(Packing(None)).encode(POISON)

    assert (written.key, written.value) == (b"k", b"body")
    assert [header for header in written.headers if not header[0].startswith("dead.")] == [
        ("event", b"x")
    ]


async def test_a_body_beyond_the_limit_of_the_broker_is_packed_and_comes_back() -> None:
    codec = LetterCodec(Packing(MemoryBodies()))
    conflict = replace(POISON, reason="conflict", body=os.urandom(2_000_000))

    written = await codec.encode(conflict)

    assert len(written.value) < 1_000
    assert await codec.decode(as_read(written)) == conflict


async def test_the_packing_of_the_original_stays_apart_from_that_of_the_letter() -> None:
    codec = LetterCodec(Packing(MemoryBodies()))
    packed = replace(POISON, body=b"\x28\xb5", headers={"packing": "zstd", "size": "9"})

    assert await codec.decode(as_read(await codec.encode(packed))) == packed


async def test_headers_and_detail_without_measure_are_cut_so_that_the_letter_fits() -> None:
    headers = {f"h{number}": "x" * 10_000 for number in range(100)}
    endless = replace(POISON, headers=headers, detail="y" * 1_000_000)

    written = await LetterCodec(Packing(None)).encode(endless)

    assert sum(len(name) + len(value) for name, value in written.headers) < 40_000


async def test_a_second_death_leaves_no_trace_of_the_first() -> None:
    codec = LetterCodec(Packing(None))
    again = replace(POISON, headers={"event": "x", "dead.reason": "failed"})

    letter = await codec.decode(as_read(await codec.encode(again)))

    assert letter == POISON


async def test_a_record_that_is_no_letter_is_poison() -> None:
    with pytest.raises(PoisonRecord, match="no dead letter"):
        await LetterCodec(Packing(None)).decode(as_read(Outgoing(key=b"k", value=b"{}")))


def test_the_original_is_driven_again_as_it_was_with_the_next_attempt_in_its_headers() -> None:
    second = replace(POISON, headers={"event": "x", "attempt": "2"})

    assert again(POISON) == Outgoing(
        key=b"k", value=b"body", headers=(("event", b"x"), ("attempt", b"2"))
    )
    assert (second.attempt, again(second).headers) == (2, (("event", b"x"), ("attempt", b"3")))


async def test_which_attempt_it_was_is_kept_however_many_headers_there_are() -> None:
    codec = LetterCodec(Packing(None))
    headers = {f"h{number}": "x" * 10_000 for number in range(100)} | {"attempt": "3"}

    letter = await codec.decode(as_read(await codec.encode(replace(POISON, headers=headers))))

    assert letter.attempt == 3


def test_a_refused_record_is_kept_with_its_place_and_its_bytes() -> None:
    odd = as_read(Outgoing(key=b"k", value=b"\xff\x00", headers=(("h", b"\xff"),)), offset=42)

    letter = letter_for(odd, PoisonRecord("the header event is missing"), 3)

    assert (letter.reason, letter.detail) == ("poison", "the header event is missing")
    assert (letter.key, letter.body, letter.attempts) == (b"k", b"\xff\x00", 3)
    assert letter.origin == Position("topic", 0, 42)
    assert raw(letter.headers) == odd.headers


def test_whoever_gives_a_record_up_may_say_why_in_a_word() -> None:
    class Failed(GivenUp):
        dead_reason = "failed"

    letter = letter_for(as_read(Outgoing(key=None, value=b"")), Failed("it can't"), 1)

    assert (letter.reason, letter.detail) == ("failed", "it can't")


def test_whoever_gives_a_record_up_may_say_what_it_is_about() -> None:
    class Failed(GivenUp):
        @property
        def about(self) -> Mapping[str, str]:
            return {"delivery": "github.com/d-1"}

    letter = letter_for(as_read(Outgoing(key=None, value=b"")), Failed(), 1)

    assert letter.about == {"delivery": "github.com/d-1"}


def test_an_unexpected_error_is_named_with_its_place() -> None:
    error = _raised(ZeroDivisionError("a\nb" + "c" * 10_000))

    letter = letter_for(as_read(Outgoing(key=None, value=b"")), error, 1)

    assert letter.detail.startswith("ZeroDivisionError in test_letters.py:")
    assert len(letter.detail) < 400


def test_an_error_whose_message_can_not_be_read_costs_nobody_the_record() -> None:
    letter = letter_for(as_read(Outgoing(key=None, value=b"")), _raised(Unreadable()), 1)

    assert "Unreadable" in letter.detail


def test_equal_causes_have_equal_digests_and_others_have_not() -> None:
    first, second = _raised(ValueError("one")), _raised(ValueError("two"))
    other = _raised(KeyError("one"))

    assert traceback_digest(first) == traceback_digest(second) != traceback_digest(other)
    assert len(traceback_digest(first)) == 16


class Unreadable(Exception):
    """An error with a fault of its own."""

    def __str__(self) -> str:
        raise RuntimeError


def _raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:  # noqa: BLE001
        return caught
