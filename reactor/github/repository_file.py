"""What may stand in a repository's `.github/reactor.yml`, and what follows from it.

    RepositoryFile + the one that it extends -> RepositoryFile -> RepositoryRules

Nothing in it grants anything: it says how much of what the operator grants is wanted there.
What is left out is not narrowed.  Pure.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
)

from reactor.effect import Mode
from reactor.policy import Narrowing
from reactor.repository_rules import RepositoryRules

PATH = ".github/reactor.yml"
OF_ALL = ".github"  # the repository of an owner whose file counts where one has none of its own

_OWNER, _NAME = r"[A-Za-z0-9_-]{1,100}", r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}"
Extended = Annotated[str, StringConstraints(pattern=rf"^({_OWNER}/)?{_NAME}$")]
Kind = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$")]
Label = Annotated[str, StringConstraints(min_length=1, max_length=100)]
CommandName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]


def _commands(value: object) -> object:
    """Switched on or off as a whole, or names, which people write with their slash."""
    if isinstance(value, bool):
        return None if value else []
    if isinstance(value, str) and value.lower() in _SWITCHES:  # words for it in older YAML
        return None if _SWITCHES[value.lower()] else []
    if isinstance(value, list):
        return [it.removeprefix("/") if isinstance(it, str) else it for it in value]
    return value


_SWITCHES = {"on": True, "yes": True, "off": False, "no": False}
_COMMANDS: Any = [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]


def _without_null(schema: dict[str, Any]) -> None:
    """Whoever has nothing to say leaves the line out, so that null can't be taken for all."""
    for said in schema.get("properties", {}).values():
        choices = [each for each in said.get("anyOf", ()) if each != {"type": "null"}]
        if len(choices) == 1:
            del said["anyOf"]
            said.update(choices[0])
        said.pop("default", None)


class _Part(BaseModel):
    """Closed: what has no meaning here is an error, not a silent nothing."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, regex_engine="python-re", json_schema_extra=_without_null
    )

    mode: Mode | None = Field(None, description="The most that becomes of effects.")
    allow: tuple[Kind, ...] | None = Field(
        None, description="Kinds of effects that are wanted, as AddLabels; [] for none."
    )
    labels: tuple[Label, ...] | None = Field(
        None,
        description="Labels that may be put on or taken off; * stands for any characters.",
    )

    @field_validator("*", mode="before")
    @classmethod
    def _says_something(cls, value: object) -> object:
        if value is None:
            raise ValueError("there is no value: give one, or leave the line out")
        return value

    @property
    def said(self) -> Mapping[str, Any]:
        """What is not left out."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class ComponentPart(_Part):
    """What is wanted of one component package."""

    enabled: bool = Field(True, description="false: none of its effects are wanted.")


class RepositoryFile(_Part):
    """Rules of a repository."""

    extends: Extended | None = Field(
        None,
        alias="_extends",
        description="A repository whose file counts for what is not said here: its name, or with"
        " its owner.",
    )
    components: Mapping[str, ComponentPart] = Field(
        default_factory=dict, description="Rules of single component packages, by name."
    )
    commands: Annotated[tuple[CommandName, ...] | None, BeforeValidator(_commands)] = Field(
        None,
        description="Commands that people may use, by name; false: none.",
        json_schema_extra={"anyOf": _COMMANDS},
    )

    @field_validator("components")
    @classmethod
    def _in_any_case(cls, parts: Mapping[str, ComponentPart]) -> Mapping[str, ComponentPart]:
        folded = {name.casefold(): part for name, part in parts.items()}
        if len(folded) < len(parts):
            raise ValueError("two components differ only by case")
        return folded

    def over(self, extended: "RepositoryFile") -> "RepositoryFile":
        """What is said in either; where it is in both, it is this one that counts.

        Components are taken together, each line by line.
        """
        names = {**extended.components, **self.components}
        components = {
            name: ComponentPart.model_construct(
                None,
                **{
                    **(extended.components[name].said if name in extended.components else {}),
                    **(self.components[name].said if name in self.components else {}),
                },
            )
            for name in names
        }
        said = {**extended.said, **self.said, "components": components}
        return RepositoryFile.model_construct(None, **said)

    def rules(self, source: str, *, version: str) -> RepositoryRules:
        """What follows from it; `source`: where people find it."""
        muted = frozenset(name for name, part in self.components.items() if not part.enabled)
        return RepositoryRules(
            whole=_narrowing(self, source, muted),
            components={
                name: _narrowing(part, f"{source} (components.{name})")
                for name, part in self.components.items()
            },
            commands=None if self.commands is None else frozenset(self.commands),
            version=version,
        )


def _narrowing(part: _Part, source: str, muted: frozenset[str] = frozenset()) -> Narrowing:
    return Narrowing(
        source=source,
        mode=part.mode or "live",
        kinds=None if part.allow is None else frozenset(part.allow),
        labels=None if part.labels is None else frozenset(part.labels),
        muted=muted,
    )


def extended_by(file: RepositoryFile, repository: str) -> str | None:
    """The full name of what it extends; `repository`: where the file lies."""
    if file.extends is None or "/" in file.extends:
        return file.extends
    return f"{repository.partition('/')[0]}/{file.extends}"
