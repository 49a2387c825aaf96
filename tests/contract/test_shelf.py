"""Every adapter of a shelf: what was put there is there, in order, until it is removed."""

import asyncio

from streams.keeping import Shelf


async def items(shelf: Shelf) -> list[bytes]:
    return [item async for item in shelf.items()]


async def test_items_stay_in_the_order_in_which_they_came(shelf: Shelf) -> None:
    expected = [b"%d" % number for number in range(100)]  # more than are read at once

    for item in expected:
        await shelf.put(f"name-{item.decode()}", item)

    assert await items(shelf) == await items(shelf) == expected


async def test_one_that_is_put_again_stays_as_it_is_where_it_is(shelf: Shelf) -> None:
    await shelf.put("a", b"first")
    await shelf.put("b", b"second")

    await shelf.put("a", b"again")

    assert await items(shelf) == [b"first", b"second"]


async def test_what_is_removed_is_gone_and_others_stay(shelf: Shelf) -> None:
    for name in ("a", "b", "c"):
        await shelf.put(name, name.encode())

    await shelf.remove("b", "c", "never there")
    await shelf.remove("b")

    assert await items(shelf) == [b"a"]


async def test_one_that_was_removed_may_come_again_behind_the_others(shelf: Shelf) -> None:
    for name in ("a", "b"):
        await shelf.put(name, name.encode())
    await shelf.remove("a")

    await shelf.put("a", b"again")

    assert await items(shelf) == [b"b", b"again"]


async def test_names_and_items_may_be_anything(shelf: Shelf) -> None:
    await shelf.put("topic|host/\N{SNOWMAN} {}|1", bytes(range(256)) * 1000)

    assert await items(shelf) == [bytes(range(256)) * 1000]


async def test_items_that_come_at_once_are_all_there(shelf: Shelf) -> None:
    await asyncio.gather(*(shelf.put(f"n{number}", b"%d" % number) for number in range(100)))

    assert sorted(await items(shelf)) == sorted(b"%d" % number for number in range(100))
