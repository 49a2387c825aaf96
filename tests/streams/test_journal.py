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


async def read_back(codec: JournalCodec, written: list[Outgoing]) -> list[JournalRecord]:
    return [found for each in written for found in await codec.decode(as_read(each))]


def tick(seq: int, *, process_id: str = "p-1", text: str = "x") -> JournalRecord:
    return JournalRecord(process_id=process_id, seq=seq, kind="tick", at=AT, data={"chosen": text})


@given(records=st.lists(RECORDS, max_size=4))
async def test_every_journal_record_comes_back_as_it_went(records: list[JournalRecord]) -> None:
    codec = JournalCodec(Packing(MemoryBodies(), Sizes(plain_up_to=150, packed_up_to=100)))

    assert await read_back(codec, await codec.encode(records)) == records


async def test_what_a_process_recorded_in_one_go_is_one_record_under_its_id() -> None:
    (written,) = await JournalCodec(Packing(None)).encode([tick(3), tick(4), tick(5)])

    assert written.key == b"p-1"
    assert texts(written.headers) == {
        "schema": "2",
        "process": "p-1",
        "seq": "3",
        "last_seq": "5",
    }


async def test_records_of_several_processes_lie_each_under_its_own() -> None:
    codec, records = JournalCodec(Packing(None)), [tick(1), tick(1, process_id="p-2"), tick(2)]

    written = await codec.encode(records)

    assert [each.key for each in written] == [b"p-1", b"p-2", b"p-1"]
    assert await read_back(codec, written) == records


async def test_a_long_journal_is_several_records_of_bounded_size() -> None:
    codec, records = JournalCodec(Packing(None)), [tick(n, text="x" * 50_000) for n in range(1, 21)]

    written = await codec.encode(records)

    assert len(written) > 1
    assert max(len(each.value) for each in written) < 300_000
    assert await read_back(codec, written) == records


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"process_id": "p", "seq": "1"}',
        b"[" * 100_000,
        b'{"process_id":"p","seq":1,"kind":"x","at":"2026-01-01T00:00:00+00:00","data":{}}',
    ],
)
async def test_what_is_no_journal_record_is_poison(value: bytes) -> None:
    record = as_read(Outgoing(key=b"p", value=value, headers=(("schema", b"2"),)))

    with pytest.raises(PoisonRecord):
        await JournalCodec(Packing(None)).decode(record)


async def test_an_unknown_schema_is_poison() -> None:
    record = as_read(Outgoing(key=b"p", value=b"{}", headers=(("schema", b"1"),)))

    with pytest.raises(PoisonRecord, match="schema 2"):
        await JournalCodec(Packing(None)).decode(record)
