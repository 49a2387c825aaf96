"""What the operator grants, read from the settings; and what in that can't be meant."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import cast

import structlog

from reactor.adapters.memory_rules import NoFiles
from reactor.effect import Effect
from reactor.errors import ReactorError
from reactor.github.effects import EFFECT_TYPES
from reactor.granting import Granting
from reactor.platform import Platform
from reactor.policy import Grants, Narrowing
from reactor.recording import recorded
from reactor.repository_rules import RulesOfRepositories
from reactor.settings import ComponentGrant, RepositoryGrant, Settings, component_grant, places_of
from reactor.worker import Listener

_TO_DO = "say in the settings what counts, as repositories: {'*': {without_file: live}}"


class BadGrants(ReactorError):
    """What the settings grant names kinds of effects that nobody has; the settings are strict."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        listed = "".join(f"\n  - {fault}" for fault in self.faults)
        return f"mend what the settings grant and start again:{listed}"


def grants_of(settings: Settings) -> Grants:
    """What the settings say of component packages and repositories."""
    sections = {name: component_grant(section) for name, section in settings.components.items()}
    places = places_of(settings.repositories, settings.github.host_names)
    return Grants(
        components={name: _of_component(name, grant) for name, grant in sections.items()},
        repositories={
            places[pattern]: _of_repository(pattern, grant)
            for pattern, grant in settings.repositories.items()
        },
        without_file={
            places[pattern]: grant.without_file
            for pattern, grant in settings.repositories.items()
            if grant.without_file is not None
        },
        unlisted=settings.unlisted_repositories,
    )


def make_granting(settings: Settings, rules: RulesOfRepositories | None = None) -> Granting:
    """Asks `rules` for those of a repository; without them none has a file of its own.

    What they say is recorded, as of any service.
    """
    grants = grants_of(settings)
    asked = recorded(RulesOfRepositories, rules or NoFiles(grants.in_place_of_a_file))
    return Granting(grants=grants, rules=cast("RulesOfRepositories", asked))


def unknown_kinds(settings: Settings, platform: Platform) -> Iterator[str]:
    """A sentence for each kind of effect that is allowed, and that nobody has.

    It is no kind of GitHub's, of an executor, or of what an installed component may ask for.
    """
    known = {kind.__name__ for kind in _kinds(platform)}
    for where, allowed in _allowed(settings):
        for kind in allowed:
            if kind not in known:
                near = get_close_matches(kind, sorted(known), n=1, cutoff=0.5)
                hint = f"did you mean {near[0]}?" if near else "check the packages installed"
                yield f"{where}.allow: nobody has effects of the kind {kind!r}; {hint}"


def check_grants(settings: Settings, platform: Platform) -> None:
    """Log what is granted to nobody.  Raises `BadGrants` where the settings are strict."""
    faults = tuple(unknown_kinds(settings, platform))
    if faults and settings.strict:
        raise BadGrants(faults)
    for fault in faults:
        structlog.get_logger("reactor.worker").warning("unknown_kind_of_effect", fault=fault)


def warn_of_nothing_granted(
    listeners: Iterable[Listener], able: frozenset[str], settings: Settings
) -> None:
    """Log where a live reaction can only ever observe: nobody grants, and no file can be read."""
    for reaction in ungranted(listeners, able, settings):
        structlog.get_logger("reactor.worker").warning(
            "nothing_granted", reaction=reaction, to_do=_TO_DO
        )


def ungranted(
    listeners: Iterable[Listener], able: frozenset[str], settings: Settings
) -> Iterator[str]:
    """Reactions whose effects can only be observed, whatever they say.

    `able`: hosts that we have credentials for, whose repositories may have files.
    """
    modes = grants_of(settings).without_file.values()
    if able or any(mode != "observe" for mode in modes):
        return
    for listener in listeners:
        if listener.reaction.effects != "observe":
            yield listener.reaction.name


def told_grants(settings: Settings) -> Iterator[str]:
    """A line on each grant, for people."""
    grants = grants_of(settings)
    for name, narrowing in grants.components.items():
        if said := _said(narrowing):
            yield f"components.{name}: {said}"
    for pattern, grant in settings.repositories.items():
        said = _said(_of_repository(pattern, grant)) or "everything its file allows"
        file = grant.without_file
        yield f"{pattern}: {said}" + (f"; {file} without a file" if file else "")
    if grants.unlisted != "live":
        yield f"unlisted_repositories: {grants.unlisted} at most"
    if "*" not in grants.without_file:
        where = "elsewhere" if grants.without_file else "everywhere"
        yield f"{where}, without .github/reactor.yml: observe only"


def _said(narrowing: Narrowing) -> str:
    parts = [
        f"{narrowing.mode} at most" if narrowing.mode != "live" else "",
        f"only {', '.join(sorted(narrowing.kinds)) or 'no effects'}"
        if narrowing.kinds is not None
        else "",
        f"labels {', '.join(sorted(narrowing.labels)) or 'none'}"
        if narrowing.labels is not None
        else "",
    ]
    return "; ".join(part for part in parts if part)


def _of_component(name: str, grant: ComponentGrant) -> Narrowing:
    return Narrowing(source=f"components.{name}", mode=grant.mode, kinds=_set(grant.allow))


def _of_repository(pattern: str, grant: RepositoryGrant) -> Narrowing:
    return Narrowing(
        source=f"repositories.{pattern}",
        mode=grant.mode,
        kinds=_set(grant.allow),
        labels=_set(grant.labels),
    )


def _set(names: tuple[str, ...] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _allowed(settings: Settings) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, section in settings.components.items():
        yield f"components.{name}", component_grant(section).allow or ()
    for pattern, grant in settings.repositories.items():
        yield f"repositories.{pattern}", grant.allow or ()


def _kinds(platform: Platform) -> Iterator[type[Effect]]:
    yield from EFFECT_TYPES
    yield from platform.executors
    for component in platform.components:
        yield from component.mark.effects
