"""What may be done for a process that has nothing left to do."""

import asyncio
from datetime import timedelta
from typing import Protocol

from reactor.context import ActionContext
from reactor.errors import InfrastructureError
from reactor.failure import in_one_line

LONGEST = timedelta(seconds=60)  # for one rescue; a handler that takes longer has not helped


class StuckHandler(Protocol):
    """Asked when a process is about to be STUCK, at most `ProcessOptions.max_rescues` times."""

    async def rescue(self, context: ActionContext) -> bool:
        """Add facts through `context` and say True: plan again.  False: it is stuck.

        What is raised counts as False, but for `InfrastructureError`.
        """
        ...


async def call(handler: StuckHandler, context: ActionContext) -> str:
    """Why the handler could not help; "" where it did.  Raises `InfrastructureError`."""
    try:
        async with asyncio.timeout(LONGEST.total_seconds()):
            helped = await handler.rescue(context)
    except InfrastructureError:
        raise
    except Exception as error:  # noqa: BLE001 - a handler may raise anything
        return f"the stuck handler failed: {in_one_line(error)}"
    return "" if helped else "the stuck handler knew no help"
