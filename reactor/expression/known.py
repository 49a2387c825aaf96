"""What an expression may speak of: the names of facts, and the names of classes."""

from collections.abc import Collection, Mapping
from typing import Any

from reactor.expression.static import UNKNOWN, Static, class_names, static_type
from reactor.expression.text import RESERVED_WORDS


class Known:
    """The facts that may be on a board, by name.  Types are looked into only when asked for."""

    def __init__(self, facts: Mapping[str, Any], classes: Collection[str] | None) -> None:
        self._facts, self._classes = facts, classes

    @property
    def names(self) -> list[str]:
        """The names of all facts."""
        return list(self._facts)

    def fact(self, written: str) -> str | None:
        """The fact that a name in an expression stands for; `package_` is the fact `package`."""
        if written in self._facts:
            return written
        word = written.removesuffix("_")
        return word if word in RESERVED_WORDS and word in self._facts else None

    def type_of(self, fact: str) -> Static:
        """What is known of the value of a fact."""
        annotation = self._facts[fact]
        return UNKNOWN if annotation is None else static_type(annotation)

    @property
    def class_names(self) -> Collection[str] | None:
        """The names that `is` may test for; None where they cannot all be told."""
        if self._classes is not None:
            return self._classes
        if not self._facts or any(annotation is None for annotation in self._facts.values()):
            return None
        return class_names(static_type(annotation) for annotation in self._facts.values())
