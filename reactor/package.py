"""Packages of components, as they are handed to a platform, and the faults found in them."""

from collections.abc import Mapping
from dataclasses import dataclass

from reactor.errors import ReactorError
from reactor.goal import Goal

RESERVED = frozenset({"allow", "disabled", "mode"})
"""Names in a package's section of the settings that are the operator's, whatever the package is:
what it may do is never up to itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What one team contributes: component classes (or ready instances), with their origin."""

    name: str  # of its entry point; what a scope calls it
    components: tuple[object, ...]
    distribution: str = ""  # "reactor-triage"
    version: str = ""
    team: str = ""
    settings: Mapping[str, object] | None = None
    """The operator's section for it.  Where several of its components have settings, it holds one
    section for each, by component name."""
    goals: tuple[Goal, ...] = ()

    @property
    def origin(self) -> str:
        """Distribution and version, as far as they are known."""
        return " ".join(word for word in (self.distribution, self.version) if word)

    def __str__(self) -> str:
        return f"{self.name} ({self.origin})" if self.origin else self.name


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with what was handed to a platform."""

    package: str  # name of the package; "" for the platform itself
    origin: str  # distribution and version, as far as they are known
    where: str  # "triage.escalate", a component or a goal; "" for the package as a whole
    problem: str  # ends the sentence that begins with `where`

    def __str__(self) -> str:
        place = f"package {self.package}" if self.package else "the platform"
        origin = f" ({self.origin})" if self.origin else ""
        return f"{place}{origin}: {self.where} {self.problem}".replace(":  ", ": ")


class BadPlatform(ReactorError):
    """The packages handed to a platform don't work, or don't work together: all faults at once."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    @property
    def packages(self) -> frozenset[str]:
        """The names of the packages at fault; without them the others may work."""
        return frozenset(fault.package for fault in self.faults)

    def __str__(self) -> str:
        listed = "".join(f"\n- {fault}" for fault in self.faults)
        return f"{len(self.faults)} fault(s) in the installed components:{listed}"
