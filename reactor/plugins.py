"""Component packages that are installed: found by entry point, loaded, and reported.

An entry point of the group `reactor.components` names a tuple of component classes and goals, or
a callable that gives one.  Loading registers nothing; the packages are handed to a `Platform`.  A package
that can't be loaded is reported with distribution, version and entry point, and harms no other.
"""

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

from reactor.goal import Goal
from reactor.granting import OURS
from reactor.package import RESERVED, Fault, Package

GROUP = "reactor.components"


def installed_entry_points() -> tuple[EntryPoint, ...]:
    """The entry points of all installed packages, by name."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def load(
    points: Iterable[EntryPoint], sections: Mapping[str, Mapping[str, object]]
) -> tuple[list[Package], list[Fault]]:
    """Import what the entry points name.  `sections` are the operator's settings, by package.

    What is `disabled` there is not imported, and no package sees what is said of it (`RESERVED`).
    """
    found = tuple(points)
    packages: list[Package] = []
    faults: list[Fault] = []
    for point in enabled(found, sections):
        loaded = _load(point, sections.get(point.name))
        (packages if isinstance(loaded, Package) else faults).append(loaded)  # type: ignore[arg-type]
    known = {point.name for point in found}
    faults += [_nobody(name, known) for name in sorted(sections.keys() - known)]
    return packages, faults


def enabled(
    points: Iterable[EntryPoint], sections: Mapping[str, Mapping[str, object]]
) -> list[EntryPoint]:
    """Those that the settings do not disable."""
    return [point for point in points if not sections.get(point.name, {}).get("disabled")]


def _load(point: EntryPoint, section: Mapping[str, object] | None) -> Package | Fault:
    distribution = point.dist.name if point.dist else ""
    version = point.dist.version if point.dist else ""
    if point.name in OURS:  # what that says is never held for approval
        problem = "has a name that is Reactor's own; rename its entry point"
        return Fault(point.name, f"{distribution} {version}".strip(), point.value, problem)
    try:
        value = point.load()
        given = tuple(value() if _is_factory(value) else value)
    except Exception as error:  # noqa: BLE001 - whatever a plug-in raises, the others go on
        problem = f"can't be loaded: {type(error).__name__}: {error}"
        return Fault(point.name, f"{distribution} {version}".strip(), point.value, problem)
    return Package(
        name=point.name,
        components=tuple(each for each in given if not isinstance(each, Goal)),
        goals=tuple(each for each in given if isinstance(each, Goal)),
        distribution=distribution,
        version=version,
        settings=section and _of_its_own(section),
    )


def _of_its_own(section: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in section.items() if name not in RESERVED}


def _is_factory(value: object) -> bool:
    return callable(value) and not isinstance(value, type)


def _nobody(name: str, known: set[str]) -> Fault:
    there = ", ".join(sorted(known)) or "none"
    problem = f"names no installed component package (installed: {there})"
    return Fault(name, "", f"the settings' section components.{name}", problem)
