"""Repositories without files of their own; fits the port `RulesOfRepositories`."""

from collections.abc import Callable
from dataclasses import dataclass

from reactor.effect import Mode
from reactor.permissions import RepositoryRef
from reactor.policy import without_file
from reactor.repository_rules import RepositoryRules


@dataclass(frozen=True, slots=True)
class NoFiles:
    """No repository has a file, so what the operator says of such counts."""

    mode: Callable[[str], Mode]  # by the full name of a repository

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        """Always the same."""
        name = repository.name
        return RepositoryRules(whole=without_file(name, self.mode(name)))
