"""What an operator grants: to component packages, and in repositories."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError

from reactor.effect import Mode
from reactor.settings.section import Section


class ComponentGrant(Section):
    """What a component package may do, whatever its own settings are."""

    allow: tuple[str, ...] | None = Field(
        None, description="Kinds of effects that it may ask for, as AddLabels. None: all."
    )
    mode: Mode = Field("live", description="The most that becomes of its effects.")
    disabled: bool = Field(False, strict=True, description="The package is not loaded at all.")


class RepositoryGrant(Section):
    """What may be done in the repositories whose full name fits a pattern."""

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
