"""Prompts as resources of the package of whoever asks: `prompts/NAME.jinja`.

The port that makes text of them; the adapter knows the language of templates.
"""

from collections.abc import Mapping
from typing import Protocol


class Templates(Protocol):
    """Where prompts are found, and how they are filled in."""

    def render(self, package: str, name: str, model: Mapping[str, object]) -> str:
        """The prompt of that name, of this importable package or one that it lies in.

        What the operator has put in its place goes first.  All text in `model` is fenced as a
        stranger's unless the template says whose it is.  Raises `UnknownTemplate`.
        """
        ...


class NoTemplates:
    """Knows none."""

    def render(self, package: str, name: str, model: Mapping[str, object]) -> str:
        """Raises `UnknownTemplate`."""
        from reactor.ai.errors import UnknownTemplate

        raise UnknownTemplate(name, "nothing here reads templates")
