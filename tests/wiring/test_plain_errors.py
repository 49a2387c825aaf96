"""An error is seen as it was raised, however many groups of tasks it came through."""

import asyncio

import pytest

from reactor.wiring.plain_errors import plain_errors


async def fail() -> None:
    raise LookupError("the reason")


async def fail_in_groups() -> None:
    with plain_errors():
        async with asyncio.TaskGroup(), asyncio.TaskGroup() as inner:
            inner.create_task(fail())
            await asyncio.Event().wait()


async def test_the_first_error_comes_out_of_groups_within_groups() -> None:
    with pytest.raises(LookupError, match="the reason"):
        await fail_in_groups()


async def test_what_is_in_no_group_passes_as_it_is() -> None:
    with pytest.raises(ValueError, match="plain"), plain_errors():
        raise ValueError("plain")

    with plain_errors():
        await asyncio.sleep(0)
