"""What may be said at the head of every prompt: who is to answer, and how."""

from dataclasses import dataclass
from typing import Protocol


class PromptContributor(Protocol):
    """Something that adds to the instructions."""

    def contribution(self) -> str:
        """Its part of the instructions; "" for nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """Somebody with a voice."""

    name: str
    persona: str  # who that is: "an experienced maintainer of this project"
    voice: str = ""  # "friendly and brief"
    objective: str = ""

    def contribution(self) -> str:
        """Who the model is, how it speaks, and what for."""
        lines = [f"You are {self.name}: {self.persona}."]
        if self.voice:
            lines.append(f"Your voice: {self.voice}.")
        if self.objective:
            lines.append(f"Your objective: {self.objective}.")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleGoalBackstory:
    """Somebody with a task."""

    role: str
    goal: str
    backstory: str = ""

    def contribution(self) -> str:
        """What the model is, wants, and has behind it."""
        lines = [f"Your role: {self.role}.", f"Your goal: {self.goal}."]
        if self.backstory:
            lines.append(f"Your background: {self.backstory}.")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Instruction:
    """A sentence or more, as it stands."""

    text: str

    def contribution(self) -> str:
        """The text."""
        return self.text
