"""Reading the settings: one YAML file; names in the environment win (`reactor.environment`).

The environment is an argument, and no error ever repeats a value: it may be a secret.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from reactor.environment import UnreadableFile, said
from reactor.errors import ReactorError
from reactor.settings.everything import Settings

_NOTHING: Mapping[str, object] = MappingProxyType({})

DEFAULT_FILES = (Path("config/reactor.yaml"), Path("reactor.yaml"))


class BadSettings(ReactorError):
    """The settings can't be used; every fault is listed, no value is repeated."""

    def __init__(self, source: str, faults: tuple[str, ...]) -> None:
        super().__init__(source, faults)
        self.source, self.faults = source, faults

    def __str__(self) -> str:
        lines = "\n".join(f"  - {fault}" for fault in self.faults)
        return f"settings in {self.source} can't be used; mend these and start again:\n{lines}"


def load(
    path: Path | None, environ: Mapping[str, str], instead: Mapping[str, object] = _NOTHING
) -> Settings:
    """Read the settings.  Raises `BadSettings` with every fault.

    `path` None: the first of `DEFAULT_FILES` that exists, else the built-in defaults.  `instead`:
    what counts in place of all that, by dotted names such as "components.triage.urgent_at".
    """
    chosen = path or next((file for file in DEFAULT_FILES if file.is_file()), None)
    values = _read(chosen) if chosen else {}
    source = str(chosen) if chosen else "the environment"
    try:
        for setting, text in said(environ):
            _put(values, setting, _several(text) if setting == "github.secrets" else text)
        for setting, value in instead.items():
            _put(values, setting, value)
    except UnreadableFile as error:
        raise BadSettings(source, (str(error),)) from None
    try:
        return Settings.model_validate(values)
    except ValidationError as error:  # the chained error would print the values
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        raise BadSettings(source, tuple(map(_sentence, faults))) from None


def _read(path: Path) -> dict[str, Any]:
    # YAML 1.2: `on:` is a word there, where PyYAML reads it as `true`; and a key twice is an error
    from ruamel.yaml import YAML
    from ruamel.yaml.constructor import DuplicateKeyError
    from ruamel.yaml.error import MarkedYAMLError

    try:
        values = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise BadSettings(str(path), (f"the file can't be read: {error.strerror}",)) from None
    except MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}" if error.problem_mark else "somewhere"
        # what the parser says of a repeated key repeats its values
        what = (
            "a key for the second time" if isinstance(error, DuplicateKeyError) else error.problem
        )
        raise BadSettings(str(path), (f"{where}: not YAML: {what}",)) from None
    if not isinstance(values, dict):
        raise BadSettings(str(path), ("the file must hold a mapping of settings",))
    return values


def _put(values: dict[str, Any], setting: str, value: object) -> None:
    *sections, name = setting.split(".")
    for section in sections:
        inner = values.get(section)
        values[section] = values = dict(inner) if isinstance(inner, dict) else {}
    values[name] = value


def read_value(text: str) -> object:
    """What the text means where a value stands in YAML: 0.6 is a number, [a, b] a list."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return text


def _several(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]


def _sentence(fault: Any) -> str:  # pydantic's ErrorDetails
    where = ".".join(str(part) for part in fault["loc"]) or "the file"
    return f"{where}: {fault['msg']}"
