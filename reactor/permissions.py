"""Who may do what in a repository: a port, since only its host knows.

What a payload says of somebody (their association) is about the past and is no permission.
"""

from dataclasses import dataclass
from typing import Protocol

from reactor.command import Role
from reactor.errors import ReactorError


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryRef:
    """Which repository."""

    host: str  # "github.com", or an enterprise host
    id: int  # unique on its host
    name: str  # "octo/hello", as it was called last

    @property
    def address(self) -> str:
        """`github.com/octo/hello`: a name alone may be anybody's on another host."""
        return f"{self.host}/{self.name}"


class PermissionUnknown(ReactorError):
    """The host will not tell us; nobody may do anything then."""

    def __init__(self, login: str, repository: str, reason: str) -> None:
        super().__init__(login, repository, reason)
        self.login, self.repository, self.reason = login, repository, reason

    def __str__(self) -> str:
        return f"what {self.login} may do in {self.repository} can't be told: {self.reason}"


class Permissions(Protocol):
    """Fitted by `reactor.adapters.github.permissions`, and in memory."""

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        """Their role there; NONE: a stranger, or nobody of that name.

        Raises `InfrastructureError` while the host is away or lets us ask no more, so whoever asks
        waits, and `PermissionUnknown` where it will not tell us.
        """
        ...
