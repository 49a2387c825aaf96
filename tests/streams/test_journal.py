from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.adapters.memory_bodies import MemoryBodies
from reactor.journal import JournalRecord
from streams.journal import JournalCodec
from streams.packing import Packing, Sizes
from streams.record import Outgoing, PoisonRecord, texts
from tests.fixtures.records import as_read

AT = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.builds(
    JournalRecord,
    process_id=st.text("0123456789abcdef", min_size=1),
    seq=st.integers(1, 10_000),
    kind=st.sampled_from(["seeded", "tick", "ended"]),
    at=st.just(AT),
    data=st.dictionaries(st.text(), JSON, max_size=4),
)


@given(record=RECORDS)
async def test_every_journal_record_comes_back_as_it_went(record: JournalRecord) -> None:
    codec = JournalCodec(Packing(MemoryBodies(), Sizes(plain_up_to=150, packed_up_to=100)))

    assert await codec.decode(as_read(await codec.encode(record))) == record


async def test_records_lie_under_their_process_and_can_be_chosen_without_parsing() -> None:
    record = JournalRecord(process_id="p-1", seq=3, kind="tick", at=AT, data={"chosen": "x"})

    written = await JournalCodec(Packing(None)).encode(record)

    assert written.key == b"p-1"
    assert texts(written.headers) == {"schema": "1", "process": "p-1", "seq": "3", "kind": "tick"}


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"process": "p", "seq": "1"}',
        b"[" * 100_000,
        b'{"process":"p","seq":1,"kind":"x","at":"2026-01-01T00:00:00+00:00","data":{}}',
    ],
)
async def test_what_is_no_journal_record_is_poison(value: bytes) -> None:
    record = as_read(Outgoing(key=b"p", value=value, headers=(("schema", b"1"),)))

    with pytest.raises(PoisonRecord):
        await JournalCodec(Packing(None)).decode(record)


async def test_an_unknown_schema_is_poison() -> None:
    record = as_read(Outgoing(key=b"p", value=b"{}", headers=(("schema", b"2"),)))

    with pytest.raises(PoisonRecord, match="schema 1"):
        await JournalCodec(Packing(None)).decode(record)
