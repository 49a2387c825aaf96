"""Reactions: which events start which invocation.

Pure matching; the `when` expression is compiled by whoever holds the reactions.
"""

from datetime import timedelta
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from reactor.effect import Mode
from reactor.event_patterns import malformed, matches
from reactor.options import ProcessOptions


class Reaction(BaseModel):
    """One entry of `reactions` in the settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", description="Part of the process id: never reuse it."
    )
    on: tuple[str, ...] = Field(
        description="Events: issues.opened, issues, * or **; one or a list."
    )
    when: str | None = Field(None, description="A CEL expression over the facts of the event.")
    planner: Literal["utility", "hybrid", "goap", "supervisor"] | None = Field(
        None,
        description="How to decide; supervisor: a model picks, towards a `goal` or an agent's."
        " Left out: as the agent declares, goap where a goal is named, otherwise utility.",
    )
    scope: tuple[str, ...] = Field(
        (), description="Component packages whose actions may run; none named: all that are there."
    )
    agent: str | None = Field(
        None, description="The agent to run; it has a scope of its own, so name no `scope` as well."
    )
    goal: tuple[str, ...] = Field(
        (),
        description="Goals to run for: names, or `has(Type)`; one or a list. None named: all in"
        " scope.",
    )
    terminate_when_stuck: bool = Field(
        True, description="Nothing left to do is the normal end, not a fault."
    )
    max_actions: int = Field(50, ge=1, description="Most actions in one process.")
    deadline_s: float | None = Field(None, gt=0, description="Longest life of one process.")
    context: Literal["subject", "repository"] | None = Field(
        None,
        description="What the facts belong to that its actions save beyond the process: one issue"
        " or pull request, or all of its repository.",
    )
    max_wakes: int = Field(
        5,
        ge=0,
        description="How often a process is tried again, with growing pauses, that is stuck on an"
        " error that can pass; then it is FAILED.",
    )
    concurrent: bool = Field(
        False, description="Read-only actions that do not touch each other run together."
    )
    effects: Mode = Field(
        "observe",
        description="What happens to effects; observe: they are recorded, approve: each waits for"
        " a person and is sent then, live: they are sent.",
    )
    own_events: bool = Field(False, description="Also react to what our own app did.")

    @field_validator("on", "scope", "goal", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("on")
    @classmethod
    def _patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        if bad := malformed(patterns):
            raise ValueError(f"not an event pattern: {', '.join(bad)} (issues.opened, issues, *)")
        if not patterns:
            raise ValueError("name at least one event, or *")
        return patterns

    @model_validator(mode="after")
    def _one_scope(self) -> Self:
        if self.agent and self.scope:
            raise ValueError("an agent has a scope of its own; leave out `scope` or `agent`")
        return self

    @model_validator(mode="after")
    def _towards_a_goal(self) -> Self:
        if self.planner == "supervisor" and not (self.goal or self.agent):
            raise ValueError("a supervisor works towards a goal; name a `goal`, or an `agent`")
        return self

    def process_options(self, *, subject: str) -> ProcessOptions:
        """How its processes are run; `subject` is a `Subject.key`."""
        # a subject is "<host>/<repository id>#<number>", or what is wider than that
        contexts = {"subject": subject, "repository": subject.partition("#")[0]}
        return ProcessOptions(
            context_id=contexts[self.context] if self.context else None,
            max_actions=self.max_actions,
            deadline=timedelta(seconds=self.deadline_s) if self.deadline_s else None,
            terminate_when_stuck=self.terminate_when_stuck,
            max_wakes=self.max_wakes,
            concurrent=self.concurrent,
        )

    def listens_to(self, event: str, action: str | None, *, is_typed: bool) -> bool:
        """Whether the event starts this reaction, `when` aside."""
        return any(matches(pattern, event, action, is_typed=is_typed) for pattern in self.on)
