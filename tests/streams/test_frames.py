from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.delivery import Delivery
from streams.codec import DeliveryCodec
from streams.frames import BadFrame, Frame, name_of, name_of_delivery, pack, unpack
from streams.record import Outgoing, raw

MakeDelivery = Callable[..., Delivery]

HEADERS = st.dictionaries(st.text(max_size=20), st.binary(max_size=40), max_size=5)
RECORDS = st.builds(
    Outgoing,
    key=st.none() | st.binary(max_size=40),
    value=st.binary(max_size=200),
    headers=HEADERS.map(lambda headers: tuple(headers.items())),
)
FRAMES = st.builds(Frame, st.text(max_size=30), RECORDS)


@given(FRAMES)
def test_a_frame_is_read_as_it_was_written(frame: Frame) -> None:
    assert unpack(pack(frame)) == frame


@given(FRAMES, st.data())
def test_a_frame_that_was_cut_short_before_its_value_is_refused(
    frame: Frame, data: st.DataObject
) -> None:
    packed = pack(frame)
    whole_without_value = len(packed) - len(frame.record.value)
    cut = data.draw(st.integers(min_value=0, max_value=whole_without_value - 1))

    with pytest.raises(BadFrame, match="ends too early"):
        unpack(packed[:cut])


@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_a_frame_or_refused(packed: bytes) -> None:
    try:
        frame = unpack(packed)
    except BadFrame:
        return
    assert unpack(pack(frame)) == frame


def test_a_frame_of_another_version_says_so() -> None:
    with pytest.raises(BadFrame, match="its version is 9"):
        unpack(b"\x09rest")


async def test_a_record_is_called_by_its_topic_its_delivery_its_body_and_its_attempt(
    codec: DeliveryCodec, make_delivery: MakeDelivery
) -> None:
    first = make_delivery("d-1")
    others = [replace(first, attempt=2), replace(first, digest="f" * 64), make_delivery("d-2")]

    names = [name_of("t", await codec.encode(each)) for each in [first, *others]]

    assert names == [name_of_delivery("t", each) for each in [first, *others]]
    assert len({*names, name_of_delivery("u", first)}) == 5


def test_a_record_of_no_delivery_is_called_by_what_is_in_it() -> None:
    one = Outgoing(key=b"k", value=b"not ours", headers=raw({"a": "1", "b": "2"}))
    same = Outgoing(key=b"k", value=b"not ours", headers=raw({"b": "2", "a": "1"}))
    other = Outgoing(key=b"k", value=b"not ours either", headers=one.headers)

    assert name_of("t", one) == name_of("t", same) != name_of("t", other)
