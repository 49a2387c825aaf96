"""Lines of a store: what is read equals what was written, and what can't be read is said so."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from reactor.blackboard import Blackboard, Change, Clear, Entry, Hide, Put, SetFlag, UnknownValue
from reactor.catalog import TypeCatalog
from reactor.codec import Codec, UnknownEffect, UnreadableLine
from reactor.effect import Effect, EffectRecord
from reactor.encoded import UnstorableValue
from reactor.journal import JournalRecord
from reactor.status import ProcessHead, Run, Status

NOW = datetime(2026, 3, 14, 15, 9, 26, 535898, tzinfo=UTC)


class Fact(BaseModel):
    model_config = ConfigDict(frozen=True)

    number: int
    said: str = ""


class PostComment(Effect):
    body: str


CODEC = Codec(TypeCatalog([Fact, PostComment]))

text = st.text(st.characters(exclude_categories=["Cs"]))
instants = st.datetimes(timezones=st.just(UTC))
seqs = st.integers(1, 2**40)
finite = st.floats(allow_nan=False, allow_infinity=False)
entries = st.builds(
    Entry,
    seq=seqs,
    name=text,
    value=st.builds(Fact, number=st.integers(), said=text) | text | st.integers() | st.lists(text),
    producer=st.just("seed") | text,
    at=instants,
    protected=st.booleans(),
)
changes: st.SearchStrategy[Change] = (
    st.builds(Put, entries)
    | st.builds(Hide, seqs)
    | st.builds(SetFlag, text, st.booleans())
    | st.builds(Clear, st.frozensets(seqs))
)
effects = st.builds(
    EffectRecord,
    key=text,
    effect=st.builds(PostComment, body=text, cause=st.sampled_from(["event", "ever"])),
    subject=text,
    action=text,
    mode=st.sampled_from(["observe", "approve", "live"]),
    state=st.sampled_from(["observed", "intended", "done", "refused", "due"]),
)
heads = st.builds(
    ProcessHead,
    id=text,
    delivery=text,
    reaction=text,
    subject=text,
    agent=text,
    planner=text,
    status=st.sampled_from(Status),
    attempt=st.integers(1),
    created_at=instants,
    updated_at=instants,
    goal=st.none() | text,
    failure=text,
    parent_id=st.none() | text,
    usage=st.dictionaries(text, finite),
)
runs = st.builds(
    Run,
    action=text,
    started_at=instants,
    duration_s=finite,
    outcome=st.sampled_from(["done", "nothing", "failed", "timeout", "waiting"]),
    error=text,
)
json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | finite | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
records = st.builds(
    JournalRecord,
    process_id=text,
    seq=seqs,
    kind=st.sampled_from(["seeded", "tick", "ended"]),
    at=instants,
    data=st.dictionaries(text, json),
)


@settings(max_examples=200, deadline=None)
@given(changes)
def test_every_change_comes_back(change: Change) -> None:
    back = CODEC.decode_change(CODEC.encode_change(change))

    assert back == change
    if isinstance(change, Put) and isinstance(back, Put):
        assert type(back.entry.value) is type(change.entry.value)


@settings(deadline=None)
@given(effects)
def test_every_effect_comes_back(record: EffectRecord) -> None:
    assert CODEC.decode_effect(CODEC.encode_effect(record)) == record


@settings(deadline=None)
@given(heads)
def test_every_head_comes_back(head: ProcessHead) -> None:
    back = CODEC.decode_head(CODEC.encode_head(head))

    assert back == head
    assert type(back.status) is Status


@settings(deadline=None)
@given(runs)
def test_every_run_comes_back(run: Run) -> None:
    assert CODEC.decode_run(CODEC.encode_run(run)) == run


@settings(deadline=None)
@given(records)
def test_every_journal_record_comes_back(record: JournalRecord) -> None:
    assert CODEC.decode_record(CODEC.encode_record(record)) == record


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_a_board_made_of_what_was_read_is_the_board_that_was_written(data: st.DataObject) -> None:
    board = Blackboard(now=lambda: NOW)
    for step in data.draw(st.lists(st.sampled_from(["add", "hide", "flag", "clear"]), max_size=12)):
        if step == "add":
            board.add(Fact(number=board.version), producer="triage.assess")
        elif step == "hide" and board.visible:
            board.hide(data.draw(st.sampled_from(board.visible)))
        elif step == "flag":
            board.set_flag(f"f{board.version}")
        elif step == "clear":
            board.clear(keep=board.visible[:1])

    lines = [CODEC.encode_change(change) for change in board.changes_since(0)]
    back = Blackboard(now=lambda: NOW, changes=map(CODEC.decode_change, lines))

    assert back.entries == board.entries
    assert back.visible == board.visible
    assert (back.flags, back.clears, back.version) == (board.flags, board.clears, board.version)


# Types that are gone, values that can't be kept ---------------------------------------------------


def put(value: object, producer: str = "triage.assess") -> Put:
    return Put(Entry(seq=1, name="it", value=value, producer=producer, at=NOW))


def test_an_entry_of_a_type_that_is_gone_is_kept_as_it_was() -> None:
    line = CODEC.encode_change(put(Fact(number=7)))
    without = Codec(TypeCatalog())

    change = without.decode_change(line)

    assert isinstance(change, Put)
    assert isinstance(change.entry.value, UnknownValue)
    assert without.encode_change(change) == line


def test_an_effect_of_a_type_that_is_gone_is_kept_as_it_was_under_its_old_kind() -> None:
    effect = PostComment(body="hello")
    record = EffectRecord(
        key="k", effect=effect, subject="s", action="a", mode="observe", state="observed"
    )
    line = CODEC.encode_effect(record)
    without = Codec(TypeCatalog())

    back = without.decode_effect(line)

    assert isinstance(back.effect, UnknownEffect)
    assert back.effect.kind == "PostComment"
    assert without.encode_effect(back) == line
    assert CODEC.decode_effect(line) == record


@pytest.mark.parametrize("data", [{"x": "\ud800"}, {"x": object()}, {"x": 2**70}])
def test_a_record_that_is_no_json_is_refused(data: dict[str, Any]) -> None:
    record = JournalRecord(process_id="p", seq=1, kind="tick", at=NOW, data=data)

    with pytest.raises(UnstorableValue):
        CODEC.encode_record(record)


def test_a_head_that_is_no_json_is_refused() -> None:
    head = ProcessHead(
        id="p", delivery="d", reaction="r", subject="s", agent="a", planner="u",
        created_at=NOW, updated_at=NOW, failure="half a pair: \ud800",
    )  # fmt: skip

    with pytest.raises(UnstorableValue):
        CODEC.encode_head(head)


# Lines of other versions, and damage --------------------------------------------------------------


def test_fields_of_a_later_version_are_ignored() -> None:
    run = Run(action="a", started_at=NOW, duration_s=1.0, outcome="done")
    line = CODEC.encode_run(run).replace(b'{"action"', b'{"mood":"new","action"')

    assert CODEC.decode_run(line) == run

    entry = CODEC.encode_change(put("x")).replace(b'{"seq"', b'{"mood":"new","seq"')

    assert CODEC.decode_change(entry) == put("x")


def test_fields_that_an_earlier_version_did_not_write_get_their_defaults() -> None:
    run = Run(action="a", started_at=NOW, duration_s=1.0, outcome="done", attempts=1)
    line = CODEC.encode_run(replace(run, attempts=1)).replace(b',"attempts":1', b"")

    assert b"attempts" not in line
    assert CODEC.decode_run(line) == run


@settings(max_examples=200, deadline=None)
@given(
    st.binary()
    | st.sampled_from([b'{"put":1}', b'{"put":"int"}\n{}\n1', b'{"hide":"x"}', b"[]", b"{}"])
    | json.map(lambda value: repr(value).encode())
)
def test_damage_is_reported_as_an_unreadable_line_and_as_nothing_else(line: bytes) -> None:
    for read in (
        CODEC.decode_change,
        CODEC.decode_effect,
        CODEC.decode_head,
        CODEC.decode_run,
        CODEC.decode_record,
    ):
        with pytest.raises(UnreadableLine):
            read(line)


def test_an_unreadable_line_says_what_it_was_and_what_to_do() -> None:
    with pytest.raises(UnreadableLine) as unreadable:
        CODEC.decode_run(b'{"action":7}')

    assert str(unreadable.value) == (
        "a stored run can't be read: '{\"action\":7}'; was it written by a newer version?"
        " run that one, or let the process expire"
    )
