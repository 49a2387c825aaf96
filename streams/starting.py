"""Starting a client of aiokafka such that it can be cut off.

Cancelled while it asks a broker for what the cluster is made of, it leaves that connection open,
and nobody else knows of it.  So its start is let finish, if it can.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol

_LONGEST_S = 0.5  # for a start that is cut off; a broker that hangs takes longer


class Client(Protocol):
    """A consumer or a producer."""

    def start(self) -> Coroutine[Any, Any, None]:
        """Connect."""
        ...


async def start_client(client: Client) -> None:
    """Start it.  Raises what it does; stopping it is for the caller, also where that failed."""
    starting = asyncio.create_task(client.start())
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        _, pending = await asyncio.wait({starting}, timeout=_LONGEST_S)
        if pending:
            starting.cancel()
            await asyncio.wait(pending)
        elif not starting.cancelled():
            starting.exception()  # nobody asks for it any more
        raise
