"""Journal records as Kafka records, and back: what a process recorded in one go travels together.

Schema 2.  The key is the process id, so that a process's records lie in order.  The value is one
or more lines, in a form of `streams.packing`: each is a JSON object with `process_id`, `seq`,
`kind`, `at` (ISO 8601, UTC) and `data`, as a store keeps it.  Headers `schema`, `process`, `seq`
and `last_seq` (of the first and of the last line) let a reader choose without parsing.  A line may
be there twice, also in another record: readers drop (process, seq) that they have seen.

What a store could keep can be written here: the data has come as JSON of finite numbers that fit
into 64 bits.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import get_args

import orjson

from reactor.journal import JournalRecord, Kind
from streams.packing import Packing
from streams.record import Outgoing, PoisonRecord, Record, moment_of, raw, texts

SCHEMA = "2"
_KINDS: Mapping[object, Kind] = {kind: kind for kind in get_args(Kind)}
_BYTES = 262_144  # after so many a Kafka record takes no further line


class JournalCodec:
    """Turns journal records into Kafka's and back."""

    def __init__(self, packing: Packing) -> None:
        self._packing = packing

    async def encode(self, records: Iterable[JournalRecord]) -> list[Outgoing]:
        """All of them, in order; consecutive ones of a process share a Kafka record.

        Raises `NoBodyStore`, `InfrastructureError` (of the body store).
        """
        return [
            await self._encode(process, numbers, lines)
            for process, of_one in groupby(records, key=attrgetter("process_id"))
            for numbers, lines in _portions(of_one)
        ]

    async def _encode(
        self, process: str, numbers: tuple[int, int], lines: Sequence[bytes]
    ) -> Outgoing:
        packed = await self._packing.pack(b"\n".join(lines))
        headers = {
            "schema": SCHEMA,
            "process": process,
            "seq": str(numbers[0]),
            "last_seq": str(numbers[1]),
            **packed.headers,
        }
        return Outgoing(key=process.encode(), value=packed.value, headers=raw(headers))

    async def decode(self, record: Record) -> list[JournalRecord]:
        """Raises `PoisonRecord`, and `InfrastructureError` where the body store is away."""
        headers = texts(record.headers)
        if headers.get("schema") != SCHEMA:
            raise PoisonRecord(f"no journal record of schema {SCHEMA}: {headers.get('schema')!r}")
        text = await self._packing.unpack(record.value, headers)
        try:
            found = [json.loads(line) for line in text.split(b"\n")]
        except (ValueError, RecursionError) as error:
            raise PoisonRecord(f"the journal record is no JSON: {error}") from None
        return [_record(line) for line in found]


def _portions(
    records: Iterable[JournalRecord],
) -> Iterator[tuple[tuple[int, int], Sequence[bytes]]]:
    """Numbers of the first and the last record, and their lines: as many as fit."""
    first, last, size, lines = 0, 0, 0, list[bytes]()
    for record in records:
        line = orjson.dumps(record)  # json takes 25 times as long
        if lines and size + len(line) > _BYTES:
            yield (first, last), lines
            size, lines = 0, []
        if not lines:
            first = record.seq
        last, size = record.seq, size + len(line)
        lines.append(line)
    if lines:
        yield (first, last), lines


def _record(line: object) -> JournalRecord:
    match line:
        case {
            "process_id": str(process),
            "seq": int(seq),
            "kind": str(kind),
            "at": str(at),
            "data": dict(data),
        }:
            moment = moment_of(at)
            if kind in _KINDS and moment:
                return JournalRecord(
                    process_id=process, seq=seq, kind=_KINDS[kind], at=moment, data=data
                )
    raise PoisonRecord("the journal record lacks a field, or one is of another type")
