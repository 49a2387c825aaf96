"""What repositories say of themselves, in a replay: their files as they were then.

Where a repository had none, it is the operator's to say what counts, and the settings are those of
the replay: so a grant that is another one now shows as a difference.
"""

from dataclasses import dataclass

from reactor.permissions import RepositoryRef
from reactor.repository_rules import RepositoryRules, RulesOfRepositories


@dataclass(frozen=True, slots=True)
class RulesOfThen:
    """Fits `RulesOfRepositories`."""

    then: RulesOfRepositories  # as they are recalled
    now: RulesOfRepositories  # without files

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        """Those of its file, also that it could not be read; else what the settings say."""
        told = await self.then.of(repository)
        return told if told.version or told.unknown else await self.now.of(repository)
