"""The rules of repositories, put together: where their files are read, kept, and spoken of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from reactor.adapters.memory_rules import NoFiles
from reactor.adapters.redis_rules import RedisFiles
from reactor.delivery import Delivery
from reactor.github.repository_reading import FaultyFile, FileRules, Reading
from reactor.ports import Clock
from reactor.repository_files import FileUnknown
from reactor.repository_rules import RulesOfRepositories
from reactor.settings import Settings
from reactor.wiring.github import GitHubParts
from reactor.wiring.granting import grants_of
from reactor.wiring.redis import RedisParts

if TYPE_CHECKING:
    from reactor.adapters.github.files import GitHubFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is asked for rules, and what hears of their changes."""

    of_repositories: RulesOfRepositories
    read: FileRules | None = None  # None: nobody could read a file
    files: "GitHubFiles | None" = None

    async def hear(self, delivery: Delivery) -> None:
        """Look again at what a delivery may have changed.  Raises `InfrastructureError`."""
        if self.read is not None:
            await self.read.hear(delivery)

    def close(self) -> None:
        """Ask GitHub nothing more."""
        if self.files is not None:
            self.files.close()


def make_rules(
    settings: Settings,
    redis: RedisParts,
    github: GitHubParts,
    *,
    clock: Clock,
    count: Callable[[], None] | None = None,
) -> Rules:
    """Ask `of_repositories.of` for the rules of a repository.

    Where we have no credentials at all no repository has a file.  `count`: called for each faulty
    file; close what is made.
    """
    without_file = grants_of(settings).in_place_of_a_file
    if not github.accounts:
        return Rules(of_repositories=NoFiles(without_file))
    from reactor.adapters.github.files import GitHubFiles

    files = GitHubFiles(github.accounts)
    telling = _Telling(files if settings.github.report_files else None, count)
    reading = Reading(
        without_file=without_file,
        tell=telling.tell,
        owners=settings.github.extended_owners,
    )
    store = RedisFiles(redis.client, prefix=redis.prefix)
    read = FileRules(files, store, clock, reading)
    return Rules(of_repositories=read, read=read, files=files)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Says what is wrong with a file: to operators, and where they want it to its owners."""

    files: "GitHubFiles | None"
    count: Callable[[], None] | None

    async def tell(self, faulty: FaultyFile) -> None:
        log = structlog.get_logger("reactor.rules")
        log.warning(
            "repository_file_faulty",
            host=faulty.asker.host,
            repository=faulty.repository,
            sha=faulty.sha,
            commit=faulty.commit,
            faults=[str(fault) for fault in faulty.faults],
            in_force="the last good one" if faulty.has_good_one else "observe only",
        )
        if self.count is not None:
            self.count()
        if self.files is None or not faulty.commit:
            return
        try:
            await self.files.tell(faulty)
        except FileUnknown as error:
            log.warning(
                "repository_file_unreported", repository=faulty.repository, why=error.reason
            )
