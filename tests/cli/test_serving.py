"""What the commands that serve have in common."""

import asyncio

import pytest
import uvloop

from reactor.cli.serving import owner_name, run_serving


def test_what_serves_runs_on_uvloop() -> None:
    seen: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        seen.append(asyncio.get_running_loop())

    run_serving(serve())

    assert isinstance(seen[0], uvloop.Loop)


def test_what_ends_serving_is_raised() -> None:
    async def fail() -> None:
        raise LookupError("the broker")

    with pytest.raises(LookupError, match="the broker"):
        run_serving(fail())


def test_no_two_workers_have_one_name_in_leases_even_on_one_host_with_one_process_number() -> None:
    one, other = owner_name("worker"), owner_name("worker")

    assert one != other
    assert one.endswith("/worker")
