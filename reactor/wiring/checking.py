"""Checking component packages: what is installed is registered, and then looked at closely."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryFirsts
from reactor.command import Asker
from reactor.commanded import CommandDone, SpokenCommands
from reactor.errors import ReactorError
from reactor.github.event import Event
from reactor.github.facts import FACT_TYPES
from reactor.github.models import Conversation
from reactor.github.prompt import ApprovalPrompt
from reactor.lint import (
    Finding,
    Spot,
    blocking_in,
    deprecated_in,
    from_faults,
    in_order,
    misspelt_events,
    out_of_reach,
    ties_among,
)
from reactor.platform import Platform
from reactor.plugins import enabled, installed_entry_points, load
from reactor.restarting import Retriaged
from reactor.rounds import SupervisorRound
from reactor.settings import Settings
from reactor.subprocesses import SubprocessEnded
from reactor.timer import TimerFired
from reactor.troubles import Trouble
from reactor.wiring.overlooked import known_events
from reactor.wiring.platform import install


class NotInstalled(ReactorError):
    """A package of this name is to be checked, and there is none."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name, self.known = name, known

    def __str__(self) -> str:
        near = get_close_matches(self.name, self.known, n=1)
        meant = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(self.known)}"
        return f"no package {self.name!r} is installed here; {meant}"


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found, and in how many packages."""

    findings: tuple[Finding, ...]  # the worst first
    packages: int
    package_of: Mapping[str, str] = field(default_factory=dict)  # by component

    def count(self, severity: str) -> int:
        """How many of these."""
        return sum(finding.severity == severity for finding in self.findings)

    def and_seen(self, troubles: Iterable[Trouble], only: Iterable[str] = ()) -> "Checked":
        """With what workers had with the components, as warnings; of `only` these packages."""
        names = frozenset(only) or frozenset(self.package_of.values())
        seen = [
            Finding(
                severity="warning",
                rule=f"seen {trouble.kind}",
                package=package,
                where=trouble.where,
                problem=trouble.problem,
            )
            for trouble in troubles
            if (package := self.package_of.get(trouble.component, "")) in names
        ]
        return replace(self, findings=tuple(in_order([*self.findings, *seen])))


def check(
    settings: Settings,
    only: Iterable[str] = (),
    points: Iterable[EntryPoint] | None = None,
) -> Checked:
    """Lint the packages that are installed; of `only` these, where any are named.

    Raises `NotInstalled` for a name in `only` that no package has.
    """
    found = tuple(installed_entry_points() if points is None else points)
    lenient = settings.model_copy(update={"strict": False})  # all faults are to be told
    installed = install(lenient, firsts=MemoryFirsts(), clock=SystemClock(), points=found)
    packages, _ = load(found, settings.components)
    broken = dict(_broken(enabled(found, settings.components), {p.name for p in packages}))
    platform, brought = installed.platform, brought_to(installed.platform)
    findings = [
        *from_faults(installed.faults, packages, broken),
        *out_of_reach(platform, brought),
        *ties_among(platform, exclusive=(Event, Conversation), brought=brought),
        *blocking_in(platform),
        *deprecated_in(platform),
        *misspelt_events(platform, known_events(settings)),
    ]
    installed_names = {point.name for point in found}
    known = {*installed_names, *(package.name for package in platform.packages)}
    if unknown := sorted(set(only) - known):
        raise NotInstalled(unknown[0], tuple(sorted(known)))
    names = frozenset(only) or installed_names
    listed = [_near(each) for each in findings if each.package in names or not each.package]
    homes = {component.name: component.package.name for component in platform.components}
    return Checked(tuple(in_order(listed)), len(names), homes)


def brought_to(platform: Platform) -> tuple[type, ...]:
    """The types of facts that no action gives: what comes, what is asked for, what ended."""
    ours = (TimerFired, Retriaged, ApprovalPrompt, Asker, SpokenCommands, CommandDone)
    return (*FACT_TYPES, *ours, SupervisorRound, SubprocessEnded, *platform.commands)


def _broken(points: Iterable[EntryPoint], works: set[str]) -> Iterator[tuple[str, BaseException]]:
    """Why those can't be imported that can't, for the place where it happens."""
    for point in points:
        if point.name not in works:
            try:
                point.load()
            except Exception as error:  # noqa: BLE001 - whatever a plug-in raises
                yield point.name, error


def _near(finding: Finding) -> Finding:
    """The same, with a path that is short where the file is below the current folder."""
    if finding.spot is None:
        return finding
    path = Path(finding.spot.file)
    with suppress(ValueError):
        path = path.relative_to(Path.cwd())
    return replace(finding, spot=Spot(str(path), finding.spot.line))
