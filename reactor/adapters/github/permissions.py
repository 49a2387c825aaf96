"""Asks GitHub for somebody's role in a repository; reads only.

Source: GitHub docs, "Get repository permissions for a user".
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.asking import Asking
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.command import Role
from reactor.permissions import PermissionUnknown, RepositoryRef

_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\[bot\])?")
_FLAGS = (  # of the answer, highest first
    ("admin", Role.ADMIN),
    ("maintain", Role.MAINTAIN),
    ("push", Role.WRITE),
    ("triage", Role.TRIAGE),
    ("pull", Role.READ),
)


class GitHubPermissions(Asking):
    """Fits the port `Permissions`."""

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        """`accounts`: we, by host."""
        super().__init__(accounts, name="permissions")

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        """What is no login is nobody's."""
        if not _LOGIN.fullmatch(login):
            return Role.NONE

        def look(connection: Connection, target: Target) -> Any:
            path = f"{target.path('collaborators')}/{quote(login, safe='')}/permission"
            return connection.with_priority(1).find(path)  # a person waits for it

        def unknown(reason: str) -> PermissionUnknown:
            return PermissionUnknown(login, repository.name, reason)

        return role_in(await self.ask(repository, look, unknown=unknown))


def role_in(answer: Any) -> Role:
    """The highest role that an answer grants for certain; what can't be read grants nothing.

    `role_name` may be one that an organisation has made up, and `permission` knows neither triage
    nor maintain (they are read and write there), so the flags count where they are there.
    """
    if not isinstance(answer, dict):
        return Role.NONE
    user = answer.get("user")
    flags = user.get("permissions") if isinstance(user, dict) else None
    if isinstance(flags, dict):
        return next((role for flag, role in _FLAGS if flags.get(flag) is True), Role.NONE)
    for name in (answer.get("role_name"), answer.get("permission")):
        if isinstance(name, str) and name.upper() in Role.__members__:
            return Role[name.upper()]
    return Role.NONE
