"""The rules of repositories, put together: what a repository says of itself, and where it is read."""

from collections.abc import Callable
from dataclasses import dataclass

from reactor.delivery import Delivery
from reactor.effect import Mode
from reactor.permissions import RepositoryRef
from reactor.policy import Narrowing
from reactor.ports import Clock
from reactor.repository_rules import RepositoryRules, RulesOfRepositories
from reactor.settings import Settings
from reactor.wiring.github import GitHubParts
from reactor.wiring.redis import RedisParts

WithoutFile = Callable[[str], Mode]
"""What counts for a repository without a file of its own, by its full name."""


def observe_only(_name: str) -> Mode:
    """Nobody has said that there may be more."""
    return "observe"


@dataclass(frozen=True, slots=True)
class NoFiles:
    """Where no repository has a file; fits `RulesOfRepositories`."""

    without_file: WithoutFile

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        """What the operator says of such repositories."""
        mode = self.without_file(repository.name)
        return RepositoryRules(whole=Narrowing(source="no .github/reactor.yml", mode=mode))


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked for rules, and what hears of their changes."""

    of_repositories: RulesOfRepositories

    async def hear(self, delivery: Delivery) -> None:
        """Look at a file again that a delivery has changed.  Raises `InfrastructureError`."""


def make_rules(
    settings: Settings,
    redis: RedisParts,
    github: GitHubParts,
    *,
    clock: Clock,
    without_file: WithoutFile = observe_only,
) -> Rules:
    """Ask `of_repositories.of` for the rules of a repository."""
    return Rules(of_repositories=NoFiles(without_file))
