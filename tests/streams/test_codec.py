import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.delivery import Delivery, Subject, digest
from reactor.errors import InfrastructureError
from reactor.payload import parse
from streams.codec import DeliveryCodec
from streams.packing import Packing, Sizes
from streams.record import Headers, Outgoing, PoisonRecord
from tests.fixtures.records import as_read

MakeDelivery = Callable[..., Delivery]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAMES = st.text("0123456789-abcdefABCDEF", min_size=1, max_size=64)
PAYLOADS = st.dictionaries(TEXT, st.recursive(st.integers() | TEXT | st.none(), st.lists))
BODIES = PAYLOADS.map(lambda payload: json.dumps(payload).encode())
MOMENTS = st.datetimes(
    datetime(1970, 1, 2),  # noqa: DTZ001  # hypothesis wants it without a zone
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=9, minutes=30))]),
)


@st.composite
def deliveries(draw: st.DrawFn) -> Delivery:
    body = draw(BODIES)
    return Delivery(
        id=draw(NAMES),
        event=draw(NAMES),
        action=draw(st.none() | TEXT),
        host=draw(TEXT),
        subject=Subject(key=draw(TEXT), name=draw(TEXT)),
        body=body,
        media_type="application/json",
        payload=parse(body),
        received_at=draw(MOMENTS),
        digest=digest(body),
        source=draw(st.sampled_from(["webhook", "cli", "timer", "signal"])),
        headers=draw(st.dictionaries(NAMES.map(str.lower), TEXT, max_size=4)),
        causation=tuple(draw(st.lists(TEXT, max_size=3))),
        attempt=draw(st.integers(1, 999_999)),
        replayed=draw(st.booleans()),
        unclaimed=draw(st.booleans()),
        traceparent=draw(TEXT),
    )


@pytest.mark.timeout(90)
@given(delivery=deliveries())
async def test_every_delivery_comes_back_as_it_went(delivery: Delivery) -> None:
    codec = DeliveryCodec(parse=parse, packing=Packing(None))

    written = await codec.encode(delivery)
    read = await codec.decode(as_read(written))

    assert read == delivery
    assert read.payload == delivery.payload


async def test_the_body_travels_unchanged_under_the_key_of_the_subject(
    codec: DeliveryCodec, make_delivery: MakeDelivery
) -> None:
    body = b'\xef\xbb\xbf{"b": 1,   "a": 2}\n'

    written = await codec.encode(make_delivery(body=body, digest=digest(body)))

    assert written.value == body
    assert written.key == b"github.com/1296269#7"


async def test_absent_things_have_no_header(
    codec: DeliveryCodec, make_delivery: MakeDelivery
) -> None:
    written = await codec.encode(make_delivery(action=None))

    names = {name for name, _ in written.headers}
    assert not names & {"action", "causation", "replayed", "unclaimed", "packing", "size"}


async def test_headers_that_a_later_version_adds_are_passed_over(
    codec: DeliveryCodec, make_delivery: MakeDelivery
) -> None:
    delivery = make_delivery()
    written = await codec.encode(delivery)

    later = replace(written, headers=(*written.headers, ("weather", b"fine")))

    assert await codec.decode(as_read(later)) == delivery


@pytest.mark.parametrize(
    "name",
    [
        "schema",
        "host",
        "event",
        "delivery",
        "digest",
        "received",
        "media-type",
        "subject",
        "source",
    ],
)
async def test_a_record_without_a_needed_header_is_poison(
    codec: DeliveryCodec, make_delivery: MakeDelivery, name: str
) -> None:
    written = await codec.encode(make_delivery())
    without = tuple(header for header in written.headers if header[0] != name)

    with pytest.raises(PoisonRecord, match=f"the header {name} is missing"):
        await codec.decode(as_read(replace(written, headers=without)))


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("schema", b"2", "schema '2' is unknown"),
        ("schema", b"\xff\xfe", r"schema '\\xff\\xfe' is unknown"),
        ("digest", b"0" * 64, "the body has the digest"),
        ("received", b"yesterday", "no time with a zone"),
        ("received", b"2026-01-01T00:00:00", "no time with a zone"),
        ("received", b"0001-01-01T00:00:00+09:00", "no time with a zone"),
        ("source", b"rumour", "not one of"),
        ("attempt", b"0", "no number from 1 up"),
        ("attempt", b"9" * 50, "no number from 1 up"),
        ("causation", b"[" * 100_000, "no JSON list of names"),
        ("causation", b'{"a": 1}', "no JSON list of names"),
        ("media-type", b"application/x-www-form-urlencoded", "the body can't be read"),
        ("packing", b"brotli", "knows zstd, claim"),
    ],
)
async def test_a_record_with_a_header_that_can_not_be_read_is_poison(
    codec: DeliveryCodec, make_delivery: MakeDelivery, name: str, value: bytes, reason: str
) -> None:
    written = await codec.encode(make_delivery(causation=("d-0",)))

    with pytest.raises(PoisonRecord, match=reason):
        await codec.decode(as_read(replace(written, headers=_with(written, name, value))))


async def test_a_body_that_does_not_parse_is_poison(
    codec: DeliveryCodec, make_delivery: MakeDelivery
) -> None:
    body = b'{"a": NaN}'
    written = await codec.encode(make_delivery(body=body, digest=digest(body)))

    with pytest.raises(PoisonRecord, match="the body can't be read"):
        await codec.decode(as_read(written))


async def test_a_record_without_a_key_is_poison(
    codec: DeliveryCodec, make_delivery: MakeDelivery
) -> None:
    written = await codec.encode(make_delivery())

    with pytest.raises(PoisonRecord, match="no key"):
        await codec.decode(as_read(replace(written, key=None)))


@given(key=st.none() | st.binary(), value=st.binary(), data=st.data())
async def test_whatever_others_wrote_is_poison_and_nothing_else(
    key: bytes | None, value: bytes, data: st.DataObject
) -> None:
    names = st.sampled_from(["schema", "packing", "size", "received", "delivery", "digest"])
    headers = data.draw(st.dictionaries(names | TEXT, st.just(b"1") | st.binary()))
    codec = DeliveryCodec(parse=parse, packing=Packing(None, Sizes(body_up_to=1_000)))

    with pytest.raises(PoisonRecord):
        await codec.decode(as_read(Outgoing(key=key, value=value, headers=tuple(headers.items()))))


async def test_a_body_store_that_is_away_is_not_the_fault_of_the_record(
    make_delivery: MakeDelivery,
) -> None:
    codec = DeliveryCodec(parse=parse, packing=Packing(AwayBodies(), Sizes(plain_up_to=1)))
    written = await codec.encode(make_delivery())
    headers = (*_with(written, "packing", b"claim"), ("size", b"9"))

    with pytest.raises(InfrastructureError):
        await codec.decode(as_read(replace(written, headers=headers)))


class AwayBodies:
    """A body store whose server does not answer."""

    async def put(self, name: str, body: bytes) -> None:
        raise InfrastructureError("redis", "away")

    async def get(self, name: str) -> bytes | None:
        raise InfrastructureError("redis", "away")


def _with(written: Outgoing, name: str, value: bytes) -> Headers:
    others = tuple(header for header in written.headers if header[0] not in (name, "size"))
    return (*others, (name, value), ("size", b"9"))
