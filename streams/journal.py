"""A journal record as a Kafka record, and back.

Schema 1.  The key is the process id, so that a process's records lie in order; the value is a
JSON object with `process`, `seq`, `kind`, `at` (ISO 8601, UTC) and `data`, in a form of
`streams.packing`.  Headers `schema`, `process`, `seq` and `kind` let a reader choose without
parsing.  A record may be there twice: readers drop (process, seq) that they have seen.

What a store could keep can be written here: the data has come as JSON of finite numbers that fit
into 64 bits.
"""

import json
from collections.abc import Mapping
from typing import get_args

import orjson

from reactor.journal import JournalRecord, Kind
from streams.packing import Packing
from streams.record import Outgoing, PoisonRecord, Record, moment_of, raw, stamp, texts

SCHEMA = "1"
_KINDS: Mapping[object, Kind] = {kind: kind for kind in get_args(Kind)}


class JournalCodec:
    """Turns journal records into Kafka's and back."""

    def __init__(self, packing: Packing) -> None:
        self._packing = packing

    async def encode(self, record: JournalRecord) -> Outgoing:
        """Raises `NoBodyStore`, `InfrastructureError` (of the body store)."""
        line = {
            "process": record.process_id,
            "seq": record.seq,
            "kind": record.kind,
            "at": stamp(record.at),
            "data": record.data,
        }
        packed = await self._packing.pack(orjson.dumps(line))  # json takes 25 times as long
        headers = {
            "schema": SCHEMA,
            "process": record.process_id,
            "seq": str(record.seq),
            "kind": record.kind,
            **packed.headers,
        }
        return Outgoing(key=record.process_id.encode(), value=packed.value, headers=raw(headers))

    async def decode(self, record: Record) -> JournalRecord:
        """Raises `PoisonRecord`, and `InfrastructureError` where the body store is away."""
        headers = texts(record.headers)
        if headers.get("schema") != SCHEMA:
            raise PoisonRecord(f"no journal record of schema {SCHEMA}: {headers.get('schema')!r}")
        text = await self._packing.unpack(record.value, headers)
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PoisonRecord(f"the journal record is no JSON: {error}") from None
        return _record(line)


def _record(line: object) -> JournalRecord:
    match line:
        case {
            "process": str(process),
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
