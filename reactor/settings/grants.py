"""What an operator grants: to component packages, and in repositories."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from reactor.effect import Mode
from reactor.policy import fits
from reactor.settings.section import Section


class ComponentGrant(Section):
    """What a component package may do, whatever its own settings are."""

    allow: tuple[str, ...] | None = Field(
        None, description="Kinds of effects that it may ask for, as AddLabels. None: all."
    )
    mode: Mode = Field("live", description="The most that becomes of its effects.")
    disabled: bool = Field(False, strict=True, description="The package is not loaded at all.")


class RepositoryGrant(Section):
    """What may be done in the repositories whose name fits a pattern."""

    mode: Mode = Field("live", description="The most that becomes of effects there.")
    allow: tuple[str, ...] | None = Field(
        None, description="Kinds of effects that are allowed there, as AddLabels. None: all."
    )
    labels: tuple[str, ...] | None = Field(
        None,
        description="Labels that may be put on or taken off there; * stands for any characters."
        " None: all.",
    )
    without_file: Mode | None = Field(
        None,
        description="What counts there for a repository that has no .github/reactor.yml; of"
        " several patterns the most restrictive. Where none says it: observe.",
    )


def places_of(patterns: Iterable[str], hosts: Iterable[str]) -> dict[str, str]:
    """For each pattern in `repositories` one of addresses, as `github.com/octo/*`.

    `*` alone is everything on every host.  Any other without a host is of the only one; where
    there are several, whoever registers the name on another one would have its grant, and what it
    takes away would not count there.  `hosts`: all that may send.  Raises `ValueError`, with every
    fault.
    """
    known = sorted({*hosts})
    places, faults = dict[str, str](), list[str]()
    for pattern in patterns:
        try:
            place = _place_of(pattern, known)
        except ValueError as fault:
            faults.append(str(fault))
            continue
        if same := [other for other, its in places.items() if its.lower() == place.lower()]:
            faults.append(f"{pattern} is the same as {same[0]}: make them one")
        places[pattern] = place
    if faults:
        raise ValueError("; ".join(faults))
    return places


def _place_of(pattern: str, hosts: Sequence[str]) -> str:
    host, slash, _ = pattern.partition("/")
    if pattern == "*":
        return pattern
    if pattern.count("/") == 2 or (slash and host.lower() in hosts):
        if any(fits(name, host) for name in hosts):
            return pattern
        raise ValueError(f"{pattern} is on no host that may send; there are {', '.join(hosts)}")
    if len(hosts) == 1:
        return f"{hosts[0]}/{pattern}"
    choices = ", ".join(f"{name}/{pattern}" for name in hosts)
    raise ValueError(f"{pattern} may be on several hosts: write {choices} or */{pattern}")


def component_grant(section: Mapping[str, Any]) -> ComponentGrant:
    """The grant in a section `components.<name>`; the rest is the package's own business.

    Raises `ValidationError`.
    """
    reserved = {name: section[name] for name in ComponentGrant.model_fields if name in section}
    return ComponentGrant.model_validate(reserved)


def faults_of_grant(section: Mapping[str, Any]) -> list[str]:
    """What is wrong with the grant in such a section; no value is repeated."""
    try:
        component_grant(section)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        return [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in found]
    return []
