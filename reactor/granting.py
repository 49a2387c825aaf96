"""Granting: what is allowed of effects on a subject, as far as that is not up to a reaction.

    subject -> its repository -> what the operator grants there, and what it says of itself

Asked twice: before a process is run, so that its record tells what could come of its effects, and
again when one is sent, since by then something else may count.  What follows is decided by
`reactor.policy`, which is pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from reactor.effect import Effect
from reactor.lifecycle import repository_of
from reactor.permissions import RepositoryRef
from reactor.policy import Grants, Narrowing, Verdict, Wish, judge
from reactor.repository_rules import RepositoryRules, RulesOfRepositories

PROMPTS = "reactor"
"""Package of what tells people that something waits for them: `effects.prompt` grants that, so no
list of kinds in the settings has to; a repository's own can still leave it out."""

OURS = frozenset({PROMPTS, "reactor-commanding"})
"""Packages of what Reactor itself tells people: answers to commands, and what waits for them.  It
can be refused or only observed, and never waits for approval: nobody could be asked for that."""

_NAMELESS = RepositoryRules(whole=Narrowing(source="a repository without a name", mode="observe"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What was allowed on one subject when it was asked."""

    grants: Grants = field(default_factory=Grants)
    repository: str | None = None  # its address; None: the subject is in none
    rules: RepositoryRules | None = None  # None: there are none, or nobody asked
    number: int | None = None  # of the issue or pull request

    @property
    def version(self) -> str:
        """Of the repository's own rules; "" where it has none."""
        return self.rules.version if self.rules else ""

    @property
    def unknown(self) -> str:
        """Why nobody can tell now what the repository says, which will pass; "" if it is known."""
        return self.rules.unknown if self.rules else ""

    def about(self, package: str) -> Sequence[Narrowing]:
        """All that narrows the effects of a package."""
        granted = self.grants.about(component=package, repository=self.repository)
        if package == PROMPTS:
            granted = [replace(each, kinds=None) for each in granted]
        return (*granted, *(self.rules.about(package) if self.rules else ()))

    def judge(self, effect: Effect, *, package: str, reaction: Narrowing | None = None) -> Verdict:
        """What may be made of an effect that the package wants."""
        wish = Wish(effect=effect, component=package, number=self.number)
        verdict = judge(wish, (*((reaction,) if reaction else ()), *self.about(package)))
        is_ours = verdict.decision == "hold" and package in OURS
        return Verdict("allow") if is_ours else verdict


EVERYTHING = Allowed()
"""Where nobody narrows anything: in tests of components, and in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Granting:
    """Finds out what is allowed on a subject."""

    grants: Grants
    rules: RulesOfRepositories

    async def on(self, subject: str, *, name: str, host: str, ask: bool = True) -> Allowed:
        """What counts now.  `subject` is a `Subject.key`, `name` its name for people.

        `ask`: whether its repository is asked; one that only observes need not be.  Never fails
        because a host is away: then less is allowed.
        """
        number = _number_of(subject)
        repository = _ref_of(subject, name=name, host=host)
        if repository is None:
            return Allowed(grants=self.grants, number=number)
        rules: RepositoryRules | None = None
        if ask:
            rules = await self.rules.of(repository) if repository.name else _NAMELESS
        return Allowed(
            grants=self.grants, repository=repository.address, rules=rules, number=number
        )


def _ref_of(subject: str, *, name: str, host: str) -> RepositoryRef | None:
    """The repository of a subject, by its key and name; None where it is in none.

    Where nobody knows what it is called its name is "".
    """
    key = repository_of(subject)
    id_ = key.removeprefix(f"{host}/")
    if id_ == key or not (id_.isascii() and id_.isdigit()):
        return None
    full_name = name.partition("#")[0]
    known = "/" in full_name and full_name != key
    return RepositoryRef(host=host, id=int(id_), name=full_name if known else "")


def _number_of(subject: str) -> int | None:
    """The number in a subject's key; None where it has none."""
    number = subject.partition("#")[2]
    return int(number) if number.isascii() and number.isdigit() else None
