"""The settings as they count, told: each with where it comes from, and no secret among them.

Takes settings and the names in the environment that set some of them; gives JSON-ready documents.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from pydantic import BaseModel, SecretStr

from reactor.censoring import CENSORED, Censor, known_secrets
from reactor.settings.everything import Settings

DEFAULT, GIVEN = "default", "given"  # where a setting comes from, if not from the environment


class ToldSetting(TypedDict):
    """One setting."""

    name: str  # "kafka.partitions"
    value: Any  # plain data; a secret that is set is told as `CENSORED`
    source: str  # "default", a name in the environment, or "given": by the file, or an option
    description: str


def told_settings(settings: Settings, by_name: Mapping[str, str]) -> list[ToldSetting]:
    """Every setting, in the order of the documentation.

    `by_name`: setting -> the name in the environment that sets it.
    """
    censor = Censor(known_secrets(settings))
    return [_censored(censor, each) for each in _told(settings, "", by_name)]


def _told(section: BaseModel, prefix: str, by_name: Mapping[str, str]) -> Iterator[ToldSetting]:
    for name, field in type(section).model_fields.items():
        value, full = getattr(section, name), f"{prefix}{name}"
        if isinstance(value, BaseModel):
            yield from _told(value, f"{full}.", by_name)
            continue
        is_given = name in section.model_fields_set
        source = by_name.get(full) or (GIVEN if is_given else DEFAULT)
        yield ToldSetting(
            name=full, value=_plain(value), source=source, description=field.description or ""
        )


def _censored(censor: Censor, told: ToldSetting) -> ToldSetting:
    """Under its own name, so that one that gives a secret away hides it."""
    last = told["name"].rpartition(".")[2]
    value = censor.mapping({last: told["value"]})[last]
    return ToldSetting(
        name=told["name"],
        value=value,
        source=told["source"],
        description=told["description"],
    )


def _plain(value: object) -> Any:
    if isinstance(value, SecretStr):
        return CENSORED if value.get_secret_value() else None
    if isinstance(value, BaseModel):
        return {name: _plain(each) for name, each in dict(value).items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    if isinstance(value, Path):
        return str(value)
    return value
