"""What our apps write as, where the settings do not say it: what we do is known to be ours by it.

A host that is away does not keep a worker from starting.  It is asked again until it tells: else
this worker would take our doings for somebody's, and not hear who names us, for as long as it runs.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from reactor.errors import ReactorError
from reactor.follow_up import Pauses

if TYPE_CHECKING:
    from reactor.adapters.github.accounts import Account

_ANSWERED_WITHIN_S = 5.0
_PAUSES = Pauses(first=timedelta(seconds=15), longest=timedelta(minutes=5), factor=2)


@asynccontextmanager
async def own_logins(
    accounts: "Mapping[str, Account]", named: Mapping[str, str], pauses: Pauses = _PAUSES
) -> AsyncIterator[Mapping[str, str]]:
    """Ours by host: those that are named, and what hosts tell; from then on, where it is later."""
    found = dict(named)
    nameless = {host: us for host, us in accounts.items() if us.is_nameless}
    await _ask(nameless, found)
    asking = asyncio.create_task(_ask_again(nameless, found, pauses))  # owned: ended below
    try:
        yield found
    finally:
        asking.cancel()
        await asyncio.wait({asking})


async def _ask_again(
    nameless: "Mapping[str, Account]", found: dict[str, str], pauses: Pauses
) -> None:
    times = 0
    while nameless.keys() - found:
        await asyncio.sleep(pauses.before(times).total_seconds())
        times += 1
        await _ask(nameless, found)


async def _ask(nameless: "Mapping[str, Account]", found: dict[str, str]) -> None:
    """Those that have not told yet, one after the other."""
    log = structlog.get_logger("reactor.github")
    for host, us in nameless.items():
        if host in found:
            continue
        try:
            async with asyncio.timeout(_ANSWERED_WITHIN_S):
                found[host] = await asyncio.to_thread(us.bot)
        except (ReactorError, TimeoutError) as error:
            why = str(error) or "no answer in time"
            log.warning("own_login_unknown", host=host, error=why)
        else:
            log.info("own_login_known", host=host, login=found[host])
