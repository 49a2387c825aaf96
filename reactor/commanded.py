"""What a process of commands has on its blackboard beside the commands themselves.

    SpokenCommands -> HeardCommands -> each command in turn -> CommandDone, or Declined -> an answer

Plain data, made where commands are heard and where they are done.
"""

from pydantic import BaseModel, ConfigDict, Field

REACTION = "commands"
"""The name of the reaction that hears commands; no other may have it."""


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class CalledCommand(_Fact):
    """A command as it was written."""

    name: str  # without the slash
    words: tuple[str, ...] = ()
    is_addressed: bool = False  # it was said to us by name


class SpokenCommands(_Fact):
    """What a text asks us for, in order, whoever may."""

    calls: tuple[CalledCommand, ...]
    left_out: int = 0  # how many more it had than are run


class RefusedCommand(_Fact):
    """One that will not be run."""

    sentence: str  # what is wrong with it, for whoever asked; repeats what they wrote
    is_about_rights: bool  # they may not, or nobody can tell; else there is no such command


class HeardCommands(_Fact):
    """What of it may be done, in order, and what may not."""

    calls: tuple[CalledCommand, ...] = ()
    refused: tuple[RefusedCommand, ...] = ()


class TakenCommand(_Fact):
    """The turn of a call has come."""

    number: int = Field(ge=1)  # among the calls


class CommandDone(_Fact):
    """An action that a command triggered has run to its end."""

    action: str  # "commands.label"
    refused: tuple[str, ...] = ()  # changes that will not be made, each with the reason
    held: tuple[str, ...] = ()  # changes that wait for approval


class Declined(_Fact):
    """Given by an action in place of what its command asks for: who asked is told the reason."""

    reason: str = Field(min_length=1)  # a sentence without its full stop
