"""What a repository says of itself: a port, since its rules lie in a file on its host.

Its own rules only ever narrow what the operator grants (`reactor.policy`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from reactor.permissions import RepositoryRef
from reactor.policy import Narrowing


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryRules:
    """The rules of one repository, as they are now."""

    whole: Narrowing
    components: Mapping[str, Narrowing] = field(default_factory=dict)  # by name, in lower case
    commands: frozenset[str] | None = None  # names that people may use there; None: all
    version: str = ""  # of the file: a blob's sha, several joined by "+"; "": there is no file
    unknown: str = ""  # why nobody can tell them now, which will pass; `whole` observes meanwhile

    def about(self, component: str) -> Sequence[Narrowing]:
        """Those that count for a component's effects."""
        of_component = self.components.get(component.casefold())
        return (self.whole,) if of_component is None else (self.whole, of_component)


class RulesOfRepositories(Protocol):
    """Fitted by the reader of repository files, and in memory."""

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        """The rules that count now: the last good ones while the host is away.

        Never raises for a faulty file or a host that is away: then less is allowed, not more, and
        where nothing was ever known of them they are `unknown`.
        Raises `InfrastructureError` where something of our own is away.
        """
        ...
