"""Roles in memory; fits the port `Permissions`."""

from reactor.command import Role
from reactor.errors import InfrastructureError
from reactor.permissions import PermissionUnknown, RepositoryRef


class MemoryPermissions:
    """Everybody is a stranger until a role is granted."""

    def __init__(self) -> None:
        self._roles: dict[tuple[str, int, str], Role] = {}
        self.is_away = False

    def grant(self, repository: RepositoryRef, login: str, role: Role) -> None:
        """From now on."""
        self._roles[repository.host, repository.id, login.lower()] = role

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        """As it was granted.  Raises `InfrastructureError` while `is_away`."""
        if self.is_away:
            raise InfrastructureError(repository.host, "it is away")
        return self._roles.get((repository.host, repository.id, login.lower()), Role.NONE)


class NobodyToAsk:
    """Fits the port `Permissions` where we have no credentials: nobody may do anything."""

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        """Raises `PermissionUnknown`."""
        raise PermissionUnknown(login, repository.name, f"no credentials for {repository.host}")
