"""What a new component package is called, everywhere that it has a name."""

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

from reactor.errors import ReactorError
from reactor.granting import OURS

LONGEST = 30  # letters; with "reactor-" before it, still a name that one can read
_CEL = frozenset({"true", "false", "null", "in"})
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class ComponentName:
    """`label-bugs`, and the names that follow from it.

    Words in lower case with hyphens are a name of a distribution that every tool normalizes to
    itself (the rules of Python's packaging guide).
    """

    name: str  # of the entry point, of the folder, and of its section in the settings

    @property
    def component(self) -> str:
        """What the names of its actions begin with."""
        return self.name.replace("-", "_")

    @property
    def distribution(self) -> str:
        """What is installed."""
        return f"reactor-{self.name}"

    @property
    def package(self) -> str:
        """What is imported."""
        return f"reactor_{self.component}"

    @property
    def camel(self) -> str:
        """What its classes begin with."""
        return "".join(word.capitalize() for word in self.name.split("-"))


def named(text: str, *, taken: Iterable[str] = ()) -> ComponentName:
    """The name, if it can be one.  `taken`: entry points that are installed.

    Raises `BadName` and `NameTaken`.
    """
    if not _NAME.fullmatch(text):
        raise BadName(text, "is no word in lower case; digits and single hyphens may follow")
    if len(text) > LONGEST:
        raise BadName(text, f"has more than {LONGEST} letters")
    if keyword.iskeyword(text) or text in _CEL:
        raise BadName(text, "is a word of Python or of CEL")
    if text.startswith("reactor-"):
        raise BadName(text, "gets reactor- before it by itself")
    name = ComponentName(text)
    if text in OURS or text in {"reactor", "settings"}:
        raise BadName(text, "is Reactor's own name for something else")
    if name.component in {each.replace("-", "_") for each in taken}:
        raise NameTaken(text)
    return name


class BadName(ReactorError):
    """Nothing can be called so."""

    def __init__(self, text: str, why: str) -> None:
        super().__init__(text, why)
        self.text, self.why = text, why

    def __str__(self) -> str:
        near = re.sub(r"[^a-z0-9]+", "-", self.text.lower()).strip("-0123456789")
        near = near.removeprefix("reactor-")[:LONGEST]
        hint = f"{near.strip('-')!r}" if _NAME.fullmatch(near.strip("-")) else "'label-bugs'"
        if hint == repr(self.text):
            hint = "another one"
        return f"a component can't be called {self.text!r}, which {self.why}; try {hint}"


class NameTaken(ReactorError):
    """Another package that is installed has this name."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return (
            f"a component package {self.text!r} is installed already (`reactor components` lists"
            " them), and two of one name are left out both; choose another name"
        )
