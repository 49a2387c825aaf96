"""The commands that change an issue or pull request, and `/help`: their words, and who may."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator

from reactor import Command, Role
from reactor.github import LabelName, Number, Person


def _as_written_by_people(word: object) -> object:
    """`not-planned` is `not_planned`, in whatever case."""
    return word.lower().replace("-", "_") if isinstance(word, str) else word


Reason = Annotated[Literal["completed", "not_planned"], BeforeValidator(_as_written_by_people)]


class LabelCommand(Command):
    """Put labels on."""

    name: ClassVar[str] = "label"
    needs: ClassVar[Role] = Role.TRIAGE

    names: tuple[LabelName, ...]


class RemoveLabelCommand(Command):
    """Take labels off."""

    name: ClassVar[str] = "remove-label"
    needs: ClassVar[Role] = Role.TRIAGE

    names: tuple[LabelName, ...]


class AssignCommand(Command):
    """Give it to people; to yourself if you name nobody."""

    name: ClassVar[str] = "assign"
    needs: ClassVar[Role] = Role.TRIAGE

    people: tuple[Person, ...] = ()


class UnassignCommand(Command):
    """Take it from people; from yourself if you name nobody."""

    name: ClassVar[str] = "unassign"
    needs: ClassVar[Role] = Role.TRIAGE

    people: tuple[Person, ...] = ()


class CloseCommand(Command):
    """Close it, as completed or not-planned."""

    name: ClassVar[str] = "close"
    needs: ClassVar[Role] = Role.TRIAGE
    author_may: ClassVar[bool] = True

    reason: Reason = "completed"


class ReopenCommand(Command):
    """Open it again."""

    name: ClassVar[str] = "reopen"
    needs: ClassVar[Role] = Role.TRIAGE


class DuplicateOfCommand(Command):
    """Close it as a duplicate of another issue."""

    name: ClassVar[str] = "duplicate-of"
    needs: ClassVar[Role] = Role.TRIAGE

    number: Number


class HelpCommand(Command):
    """List what you may ask for here."""

    name: ClassVar[str] = "help"
    needs: ClassVar[Role] = Role.READ
