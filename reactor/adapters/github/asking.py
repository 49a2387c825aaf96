"""Asks GitHub something on behalf of an action, and says what it means where there is no answer."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.answers import GitHubTrouble
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.attempt import EffectDelayed, EffectRefused
from reactor.errors import InfrastructureError, ReactorError
from reactor.permissions import RepositoryRef

T = TypeVar("T")
Unknown = Callable[[str], ReactorError]  # the error for a reason that will not pass

_NAME = re.compile(r"[A-Za-z0-9_-]+/(?!\.{1,2}$)[A-Za-z0-9._-]+")


def ask(
    accounts: Mapping[str, Account],
    repository: RepositoryRef,
    look: Callable[[Connection, Target], T],
    *,
    unknown: Unknown,
) -> T:
    """What `look` finds, as whoever we are on that host.

    Raises `InfrastructureError` while the host is away or lets us ask no more, else `unknown`.
    """
    account = accounts.get(repository.host)
    if account is None:
        raise unknown(f"{repository.host} is no host that we know: name it in github.hosts")
    if not _NAME.fullmatch(repository.name):
        raise unknown("no repository is called so")
    target = Target(repository=repository.name, repository_id=repository.id, number=None)
    try:
        found: Any = account.call(target, lambda connection: look(connection, target))
    except EffectRefused as error:
        raise unknown(error.reason) from None
    except EffectDelayed as error:
        raise InfrastructureError(repository.host, error.reason) from None
    except GitHubTrouble as error:
        raise InfrastructureError(error.host, error.what) from None
    answer: T = found
    return answer
