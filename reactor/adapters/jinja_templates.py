"""Prompts as Jinja templates; fits the port `reactor.ai.templates.Templates`.

What a template prints is a stranger's text until it says otherwise:

    {{ issue.body | said_by(issue.user.login, issue.author_association) }}   fenced, with its author
    {{ issue.title }}                                                        fenced, by anyone
    {{ settings.labels | join(", ") | ours }}                                as it stands

Numbers and booleans stand as they are.  Templates are sandboxed, and a name that is not there is
an error.
"""

import importlib.resources
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from reactor.ai.errors import UnknownTemplate
from reactor.untrusted import LIMIT, Trust, fence

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_FOLDER = "prompts"
_SUFFIX = ".jinja"


class Ours(str):
    """Text that stands in a prompt as it is."""

    __slots__ = ()


class JinjaTemplates:
    """`overrides`: the operator's folder of `PACKAGE/NAME.jinja`, which go first."""

    def __init__(self, overrides: Path | None = None) -> None:
        self._overrides = overrides

    def render(self, package: str, name: str, model: Mapping[str, object]) -> str:
        """The template, filled in.  Raises `UnknownTemplate`."""
        from jinja2 import TemplateError

        source = self._source(package, name)
        try:
            return str(self._environment.from_string(source).render(model)).strip()
        except TemplateError as error:
            line = getattr(error, "lineno", None)
            where = f"line {line}: " if line else ""
            raise UnknownTemplate(name, f"{where}{error.message}") from error

    def _source(self, package: str, name: str) -> str:
        if not all(part.replace("_", "").replace("-", "").isalnum() for part in name.split("/")):
            raise UnknownTemplate(name, "a name is words of letters, digits, - and _, with /")
        for place in self._places(package, name):
            if place.is_file():
                return place.read_text(encoding="utf-8")
        where = f"in {_FOLDER}/ of {package}" if package else "as no package asks for it"
        raise UnknownTemplate(name, f"there is none {where}")

    def _places(self, package: str, name: str) -> Iterator[Traversable]:
        inner = package
        while inner:
            if self._overrides is not None:
                yield self._overrides / inner / f"{name}{_SUFFIX}"
            inner = inner.rpartition(".")[0]
        inner = package
        while inner:
            yield importlib.resources.files(inner) / _FOLDER / f"{name}{_SUFFIX}"
            inner = inner.rpartition(".")[0]

    @cached_property
    def _environment(self) -> "ImmutableSandboxedEnvironment":
        from jinja2 import StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined,
            finalize=_finalized,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters["said_by"] = _said_by
        environment.filters["ours"] = lambda value: Ours(_text(value))
        return environment


def _finalized(value: object) -> str:
    """What stands in the prompt for a value that a template prints."""
    from jinja2 import Undefined

    if isinstance(value, Ours):
        return str(value)
    if isinstance(value, Undefined):
        return str(value)  # which raises, saying what is not there
    if isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return "" if value is None else fence(_text(value))


def _said_by(
    value: object, author: str = "", association: str = "", source: str = "", limit: int = LIMIT
) -> Ours:
    trust = Trust.of_association(_text(association))
    said = fence(_text(value), source=source, author=_text(author), trust=trust, limit=limit)
    return Ours(said)


def _text(value: Any) -> str:
    """A value as a model reads it best."""
    from jinja2 import Undefined

    if value is None or isinstance(value, Undefined):  # `x if y`, where y is not so
        return ""
    return value if isinstance(value, str) else to_json(value, fallback=str).decode()
