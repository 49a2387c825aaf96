"""Settings as they might be: what an operator wants to know of before it is so."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reactor.errors import ReactorError
from reactor.package import Fault
from reactor.reaction import Reaction
from reactor.settings import BadSettings, Settings, load, read_value

_REACTIONS, _COMPONENTS = "reactions", "components"


class BadWhatIf(ReactorError):
    """What was said on the command line names no setting, or no reaction."""

    def __init__(self, said: str, why: str) -> None:
        super().__init__(said, why)
        self.said, self.why = said, why

    def __str__(self) -> str:
        return (
            f"{self.said}: {self.why}; say --set components.triage.urgent_at=0.6, --set"
            ' reactions.NAME.when="...", --scope triage,community or --scope NAME=triage'
        )


def packages_in(sets: Sequence[str]) -> Mapping[str, str]:
    """The packages that are supposed to be set otherwise, each with the option that says so."""
    names = ((said, said.partition("=")[0].strip().split(".")) for said in sets)
    return {
        name[1]: f"--set {said}" for said, name in names if name[0] == _COMPONENTS and len(name) > 1
    }


def check_packages(supposed: Mapping[str, str], faults: Iterable[Fault]) -> None:
    """Whether each of `packages_in` is there and takes what it is set to.  Raises `BadWhatIf`.

    One that does not would be left out, and all that it did would be told as a difference.
    """
    for fault in faults:
        if fault.package in supposed:
            raise BadWhatIf(supposed[fault.package], str(fault))


def settings_if(
    config: Path | None,
    environ: Mapping[str, str],
    *,
    sets: Sequence[str] = (),
    scopes: Sequence[str] = (),
) -> Settings:
    """The settings with these in place of what they say.

    `sets`: "components.triage.urgent_at=0.6", or "reactions.NAME.when=..." of one reaction;
    `scopes`: packages, comma-separated, of all reactions, or "NAME=packages" of one.  Raises
    `BadSettings`, `BadWhatIf`.
    """
    instead: dict[str, object] = {}
    of_reactions: list[tuple[str, str, str, object]] = []  # as said, reaction, field, value
    for said in sets:
        name, equals, text = said.partition("=")
        first, _, rest = name.strip().partition(".")
        if not equals or not rest:
            raise BadWhatIf(f"--set {said}", "it is not NAME.NAME=VALUE")
        if first == _REACTIONS:
            reaction, _, field = rest.partition(".")
            of_reactions.append((f"--set {said}", reaction, field, read_value(text)))
        else:
            instead[name.strip()] = read_value(text)
    for said in scopes:
        reaction, equals, packages = said.rpartition("=")
        named = [each.strip() for each in packages.split(",") if each.strip()]
        of_reactions.append((f"--scope {said}", reaction, "scope", named))
    settings = _loaded(config, environ, instead)
    for said, reaction, field, value in of_reactions:
        settings = _with(settings, said, reaction, {field: value})
    return settings


def _loaded(
    config: Path | None, environ: Mapping[str, str], instead: Mapping[str, object]
) -> Settings:
    """Raises `BadSettings` where they are bad by themselves, `BadWhatIf` where only `instead` is."""
    try:
        return load(config, environ, instead)
    except BadSettings as bad:
        load(config, environ)
        said = ", ".join(f"--set {name}" for name in instead)
        raise BadWhatIf(said, "; ".join(bad.faults)) from None


def _with(settings: Settings, said: str, name: str, fields: Mapping[str, Any]) -> Settings:
    names = [reaction.name for reaction in settings.reactions]
    if name and name not in names:
        raise BadWhatIf(said, f"no reaction {name!r}; there are: {', '.join(names)}")
    changed = tuple(
        _changed(reaction, said, fields) if name in ("", reaction.name) else reaction
        for reaction in settings.reactions
    )
    return settings.model_copy(update={_REACTIONS: changed})


def _changed(reaction: Reaction, said: str, fields: Mapping[str, Any]) -> Reaction:
    told = reaction.model_dump(exclude_unset=True)
    if "scope" in fields:  # an agent has one of its own
        told.pop("agent", None)
    try:
        return Reaction.model_validate(told | dict(fields))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        where = ".".join(map(str, faults[0]["loc"]))
        raise BadWhatIf(said, f"{where}: {faults[0]['msg']}") from None
