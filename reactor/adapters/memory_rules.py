"""Repositories without files of their own; fits the port `RulesOfRepositories`."""

from collections.abc import Callable
from dataclasses import dataclass

from reactor.permissions import RepositoryRef
from reactor.policy import Narrowing
from reactor.repository_rules import RepositoryRules


@dataclass(frozen=True, slots=True)
class NoFiles:
    """No repository has a file, so what the operator says of such counts."""

    without_file: Callable[[str], Narrowing]  # by the address of a repository

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        """Always the same."""
        return RepositoryRules(whole=self.without_file(repository.address))
