import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.adapters.memory_bodies import MemoryBodies
from streams.packing import NoBodyStore, Packed, Packing, Sizes
from streams.record import PoisonRecord

SMALL = Sizes(plain_up_to=100, packed_up_to=200, body_up_to=10_000)


async def test_a_small_body_travels_as_it_is() -> None:
    packing = Packing(None)

    packed = await packing.pack(b"{}")

    assert packed == Packed(value=b"{}", headers={})


async def test_a_large_body_that_compresses_well_travels_compressed() -> None:
    packing = Packing(None)
    body = b'{"text": "again and again"}' * 30_000

    packed = await packing.pack(body)

    assert packed.headers == {"packing": "zstd", "size": str(len(body))}
    assert len(packed.value) < len(body) / 100
    assert await packing.unpack(packed.value, packed.headers) == body


async def test_a_large_body_that_does_not_compress_is_left_in_the_store(
    bodies: MemoryBodies,
) -> None:
    packing = Packing(bodies)
    body = os.urandom(25 * 1024 * 1024)

    packed = await packing.pack(body)

    assert len(packed.value) == 64
    assert packed.headers == {"packing": "claim", "size": str(len(body))}
    assert await packing.unpack(packed.value, packed.headers) == body


async def test_without_a_store_a_body_that_fits_in_no_form_is_refused_with_what_to_do() -> None:
    with pytest.raises(NoBodyStore, match="configure a body store"):
        await Packing(None, SMALL).pack(os.urandom(1_000))


@given(body=st.binary(max_size=2_000))
async def test_every_body_comes_back_as_it_went(body: bytes) -> None:
    packing = Packing(MemoryBodies(), SMALL)

    packed = await packing.pack(body)

    assert await packing.unpack(packed.value, packed.headers) == body
    assert len(packed.value) <= SMALL.packed_up_to


@given(value=st.binary(max_size=300), size=st.text(max_size=15), name=st.text(max_size=5))
async def test_what_was_never_packed_is_poison_and_nothing_else(
    value: bytes, size: str, name: str
) -> None:
    packing = Packing(MemoryBodies(), SMALL)

    for kind in ("zstd", "claim", name):
        with pytest.raises(PoisonRecord):
            await packing.unpack(value, {"packing": kind, "size": size})


async def test_a_bomb_expands_to_no_more_than_it_said() -> None:
    packing = Packing(None, SMALL)
    packed = await packing.pack(b"0" * 9_000)

    with pytest.raises(PoisonRecord, match="zstd"):
        await packing.unpack(packed.value, {**packed.headers, "size": "1000"})


@pytest.mark.parametrize("body", [b"0" * 9_000, bytes(range(256)) * 3])
async def test_a_body_that_is_shorter_than_it_said_is_poison(body: bytes) -> None:
    sizes = Sizes(plain_up_to=100, packed_up_to=50, body_up_to=10_000)
    packing = Packing(MemoryBodies(), sizes)
    packed = await packing.pack(body)

    with pytest.raises(PoisonRecord, match=str(len(body))):
        await packing.unpack(packed.value, {**packed.headers, "size": str(len(body) + 1)})


async def test_a_size_beyond_all_limits_is_not_even_tried() -> None:
    packing = Packing(None, SMALL)
    packed = await packing.pack(b"0" * 9_000)

    with pytest.raises(PoisonRecord, match="no number up to 10000"):
        await packing.unpack(packed.value, {**packed.headers, "size": "10001"})


async def test_a_body_that_is_gone_from_the_store_is_poison() -> None:
    body = os.urandom(1_000)
    packed = await Packing(MemoryBodies(), SMALL).pack(body)

    with pytest.raises(PoisonRecord, match="gone from the body store"):
        await Packing(MemoryBodies(), SMALL).unpack(packed.value, packed.headers)


def test_the_limits_leave_room_for_key_and_headers_in_a_record_of_apache_kafka() -> None:
    assert replace(Sizes()).packed_up_to + 64 * 1024 < 1_048_576
