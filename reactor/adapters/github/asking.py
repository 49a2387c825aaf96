"""Asks GitHub something on behalf of an action, and says what it means where there is no answer."""

import asyncio
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.answers import GitHubTrouble
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.attempt import EffectDelayed, EffectRefused
from reactor.errors import InfrastructureError, ReactorError
from reactor.permissions import RepositoryRef

MOST_AT_ONCE = 4  # questions
T = TypeVar("T")
Look = Callable[[Connection, Target], T]
Unknown = Callable[[str], ReactorError]  # the error for a reason that will not pass

_NAME = re.compile(r"[A-Za-z0-9_-]+/(?!\.{1,2}$)[A-Za-z0-9._-]+")


class Asking:
    """Asks in threads, a few at once; closed by whoever made it, its accounts by theirs."""

    def __init__(self, accounts: Mapping[str, Account], *, name: str) -> None:
        """`accounts`: we, by host; `name`: of the threads."""
        self.accounts = dict(accounts)
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix=name)

    async def ask(self, repository: RepositoryRef, look: Look[T], *, unknown: Unknown) -> T:
        """What `look` finds, as whoever we are on that host.

        A question that is not waited for any more changes nothing.  Raises `InfrastructureError`
        while the host is away or lets us ask no more, else `unknown`.
        """
        loop = asyncio.get_running_loop()
        call = partial(_ask, self.accounts, repository, look, unknown=unknown)
        found: Any = await loop.run_in_executor(self._threads, call)
        answer: T = found
        return answer

    def close(self) -> None:
        """Take no more questions; those under way end by their own time limit."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _ask(
    accounts: Mapping[str, Account],
    repository: RepositoryRef,
    look: Look[T],
    *,
    unknown: Unknown,
) -> Any:
    account = accounts.get(repository.host)
    if account is None:
        raise unknown(f"{repository.host} is no host that we know: name it in github.hosts")
    if not _NAME.fullmatch(repository.name):
        raise unknown("no repository is called so")
    target = Target(repository=repository.name, repository_id=repository.id, number=None)
    try:
        return account.call(target, lambda connection: look(connection, target))
    except EffectRefused as error:
        raise unknown(error.reason) from None
    except EffectDelayed as error:
        raise InfrastructureError(repository.host, error.reason) from None
    except GitHubTrouble as error:
        raise InfrastructureError(error.host, error.what) from None
