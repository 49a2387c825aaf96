"""What people can ask for in words: a command is declared as a class, its words are the fields.

    class LabelCommand(Command):
        "Put labels on the issue."

        name: ClassVar[str] = "label"
        needs: ClassVar[Role] = Role.TRIAGE

        names: tuple[LabelName, ...]

`/label bug, urgent` makes `LabelCommand(names=("bug", "urgent"))`: each field takes one word, a
tuple at the end all that are left; a field with a default may be left out.  `Commands` knows the
declared ones, and says what is wrong with a call of theirs.  Pure; knows no GitHub.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from typing import Any, ClassVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from reactor.errors import ReactorError

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST_NAME = 40  # characters
_LONGEST_SHOWN = 50  # of a word that somebody wrote
_SHORTEST_SLIP = 4  # shorter names are one letter away from too many words


class Role(IntEnum):
    """What somebody may do in a repository; each may all that a lower one may."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5

    def __str__(self) -> str:
        return self.name.lower()


class Command(BaseModel):
    """Base of commands.  The first line of the docstring is what `/help` says."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: ClassVar[str] = ""  # "remove-label": lower case, without the slash
    needs: ClassVar[Role] = Role.WRITE  # in the repository
    author_may: ClassVar[bool] = False  # who opened the issue may as well, whatever the role


class FreeRequest(Command):
    """Ask for something in your own words."""

    name: ClassVar[str] = "ask"
    needs: ClassVar[Role] = Role.TRIAGE
    author_may: ClassVar[bool] = True

    text: str = Field(min_length=1)  # the line as it was written, by whoever asks


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, in the repository in question."""

    login: str
    role: Role
    is_author: bool = False  # of the issue or pull request
    usable: frozenset[str] | None = None  # names of commands that the repository lets in; None: all

    def may(self, kind: type[Command]) -> bool:
        """Whether the command is for them, there."""
        if self.usable is not None and kind.name not in self.usable:
            return False
        return self.role >= kind.needs or (self.is_author and kind.author_may)


class BadCommand(ReactorError):
    """A class can't be a command as it is."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind, self.reason = kind, reason

    def __str__(self) -> str:
        return f"{self.kind} can't be a command: {self.reason}"


class UnknownCommand(ReactorError):
    """Nobody has declared a command of this name; `nearest` is what may have been meant."""

    def __init__(self, name: str, nearest: str | None) -> None:
        super().__init__(name, nearest)
        self.name, self.nearest = name, nearest

    @property
    def is_slip(self) -> bool:
        """Whether it is one of ours but for one letter: then it is answered.

        Others are left alone unless they were said to us by name: people write of paths, and to
        other bots.
        """
        nearest = self.nearest
        return nearest is not None and len(nearest) >= _SHORTEST_SLIP and _slip(self.name, nearest)

    def __str__(self) -> str:
        meant = f"did you mean /{self.nearest}? " if self.nearest else ""
        return f"there is no command /{self.name}; {meant}/help lists them"


class WrongWords(ReactorError):
    """The command is there, but not with these words."""

    def __init__(self, name: str, reason: str, usage: str) -> None:
        super().__init__(name, reason, usage)
        self.name, self.reason, self.usage = name, reason, usage

    def __str__(self) -> str:
        return f"/{self.name} {self.reason}; write: {self.usage}"


class NotAllowed(ReactorError):
    """Who asks may not."""

    def __init__(self, kind: type[Command], asker: Asker) -> None:
        super().__init__(kind, asker)
        self.kind, self.asker = kind, asker

    def __str__(self) -> str:
        author = " or the author" if self.kind.author_may else ""
        has = "no role" if self.asker.role is Role.NONE else f"the role {self.asker.role}"
        return (
            f"/{self.kind.name} is for the role {self.kind.needs} and above{author}; "
            f"{self.asker.login} has {has} in this repository"
        )


class Commands:
    """Those that are declared, by name."""

    def __init__(self, kinds: Iterable[type[Command]]) -> None:
        """Raises `BadCommand`: no name or sentence, a name twice, words that can't be told."""
        self._kinds: dict[str, type[Command]] = {}
        for kind in kinds:
            _check(kind)
            other = self._kinds.setdefault(kind.name, kind)
            if other is not kind:
                raise BadCommand(
                    kind.__name__, f"/{kind.name} is {other.__name__}; give one another name"
                )

    def __iter__(self) -> Iterator[type[Command]]:
        return iter(sorted(self._kinds.values(), key=lambda kind: kind.name))

    def find(self, name: str) -> type[Command]:
        """Raises `UnknownCommand`."""
        if (kind := self._kinds.get(name)) is not None:
            return kind
        slips = [known for known in sorted(self._kinds) if _slip(name, known)]
        close = slips or get_close_matches(name, self._kinds, n=1)
        raise UnknownCommand(name, close[0] if close else None)

    def bind(self, name: str, words: Sequence[str]) -> Command:
        """The command with its words.  Raises `UnknownCommand` and `WrongWords`."""
        return bind(self.find(name), words)

    def help(self, may: Callable[[type[Command]], bool]) -> str:
        """Markdown: those that somebody may use."""
        usable = [kind for kind in self if may(kind)]
        if not usable:
            return "There is no command that you may use here."
        rows = ["| Command | What it does | Who may |", "|---|---|---|"]
        return "\n".join(rows + [_row(kind) for kind in usable])


def bind(kind: type[Command], words: Sequence[str]) -> Command:
    """A command of this class with these words.  Raises `WrongWords`."""
    left, given = list(words), dict[str, object]()
    for name, field in kind.model_fields.items():
        if _is_rest(field.annotation):
            taken: object = tuple(left)
            left.clear()
        else:
            taken = left.pop(0) if left else ()
        if taken != ():
            given[name] = taken
        elif field.is_required():
            raise WrongWords(kind.name, f"needs {_shown(name, field)}", usage(kind))
    if left:
        raise WrongWords(kind.name, f'has no place for "{left[0][:_LONGEST_SHOWN]}"', usage(kind))
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise WrongWords(kind.name, _fault(error), usage(kind)) from None


def usage(kind: type[Command]) -> str:
    """How it is written: `/label NAMES...`, and in brackets what may be left out."""
    words = (
        _shown(name, field) if field.is_required() else f"[{_shown(name, field)}]"
        for name, field in kind.model_fields.items()
    )
    return " ".join((f"/{kind.name}", *words))


def _shown(name: str, field: FieldInfo) -> str:
    word = name.replace("_", "-").upper()
    return f"{word}..." if _is_rest(field.annotation) else word


def who_may(kind: type[Command]) -> str:
    """For people: `triage, author`."""
    return f"{kind.needs}, author" if kind.author_may else str(kind.needs)


def _row(kind: type[Command]) -> str:
    return f"| `{usage(kind)}` | {summary(kind).replace('|', '&#124;')} | {who_may(kind)} |"


def summary(kind: type[Command]) -> str:
    """What it does, in a sentence; "" where it does not say."""
    return inspect.cleandoc(kind.__dict__.get("__doc__") or "").partition("\n")[0]


def _fault(error: ValidationError) -> str:
    """The first one; what pydantic says of it is for programmers."""
    fault = error.errors(include_url=False, include_context=False)[0]
    where = str(fault["loc"][0]).replace("_", "-").upper() if fault["loc"] else "its words"
    if fault["type"] in ("value_error", "assertion_error"):
        return f"does not take this {where}: {fault['msg'].partition(', ')[2]}"
    if isinstance(word := fault["input"], str):
        return f'does not take "{word[:_LONGEST_SHOWN]}" as {where}'
    return f"does not take these words as {where}"


def _check(kind: type[Command]) -> None:
    kind.model_rebuild()
    if not _NAME.fullmatch(kind.name) or len(kind.name) > _LONGEST_NAME:
        raise BadCommand(
            kind.__name__,
            f"its name is {kind.name!r}; set `name` to lower-case words with hyphens between,"
            f" {_LONGEST_NAME} characters at most",
        )
    if not summary(kind):
        raise BadCommand(kind.__name__, "/help would have nothing to say; write a docstring")
    fields = list(kind.model_fields.items())
    for number, (name, field) in enumerate(fields, 1):
        if _holds_many(field.annotation) and not _is_rest(field.annotation):
            raise BadCommand(kind.__name__, f"{name} is one word; for several: `tuple[..., ...]`")
        if _is_rest(field.annotation) and number < len(fields):
            raise BadCommand(kind.__name__, f"{name} takes all words that are left; put it last")
        if field.is_required() and not all(each.is_required() for _, each in fields[:number]):
            raise BadCommand(kind.__name__, f"{name} must be given, so put it before what need not")


def _is_rest(annotation: Any) -> bool:
    return get_origin(annotation) is tuple and get_args(annotation)[1:] == (...,)


def _holds_many(annotation: Any) -> bool:
    kinds = (annotation, get_origin(annotation), *map(get_origin, get_args(annotation)))
    return any(kind in (tuple, list, set, frozenset, dict) for kind in kinds)


def _slip(written: str, meant: str) -> bool:
    """Whether one letter is missing, too many or another, or two neighbours changed places."""
    if written == meant or abs(len(written) - len(meant)) > 1:
        return False
    at = next(
        (i for i, (a, b) in enumerate(zip(written, meant, strict=False)) if a != b),
        min(len(written), len(meant)),
    )
    ours, theirs = meant[at:], written[at:]
    return (
        ours[1:] == theirs[1:]
        or ours[1:] == theirs
        or ours == theirs[1:]
        or (ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:])
    )
