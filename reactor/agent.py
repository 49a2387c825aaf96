"""What an author of agents writes: agents, the states they go through, and the goals they reach.

    @state
    @dataclass(frozen=True)
    class BugTicket(TicketCategory):
        ticket: Ticket

        @achieves_goal("A ticket is resolved")
        @action(cost=0.1)
        def log_in_tracker(self) -> ResolvedTicket: ...

    @agent("Sorts tickets and sees that each is resolved.", planner="utility")
    class TicketAgent:
        @action
        def triage_ticket(self, ticket: Ticket) -> TicketCategory: ...

As all marks, these only describe.  Imports nothing that is slow to import.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from reactor.action import component
from reactor.blackboard import snake_case
from reactor.marks import (
    API_VERSION,
    ComponentMark,
    GoalMark,
    StateMark,
    mark_of,
    put_goal,
    put_mark,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reactor.effect import Effect

__all__ = ["achieves_goal", "agent", "state"]

F = TypeVar("F", bound=Callable[..., object])
C = TypeVar("C", bound=type)


def agent(
    description: str,
    /,
    *,
    planner: str = "goap",
    name: str = "",
    settings: "type[BaseModel] | None" = None,
    effects: "Sequence[type[Effect]]" = (),
    events: Sequence[str] = (),
    flags: Sequence[str] = (),
    uses_llm: bool = False,
    api: int = API_VERSION,
) -> Callable[[C], C]:
    """Mark a class that is a component of its own: its actions work towards its goals.

    They are in nobody else's pool of actions: an `AgentInvocation`, a reaction's `agent:`, or
    `Scope.from_agents` names it.

    Args:
        description: One sentence: what it is for.
        planner: "goap" (the cheapest way to a goal), "utility", "hybrid", or "supervisor" (a
            model picks among the actions); whoever runs it may choose another.
        name: Left out: the class name in snake_case without a trailing "agent".
        settings: As for `component`; so are the rest.
        effects: The kinds of effects that its actions may return.
        events: The events it is for, for people: who names an agent has chosen already.
        flags: Named booleans that it sets, besides those in a `post`.
        uses_llm: It calls a model.
        api: The version of this interface that it was written for.
    """

    def mark(cls: C) -> C:
        marked = component(
            name=name or _agent_name(cls),
            description=description,
            settings=settings,
            effects=effects,
            events=events,
            flags=flags,
            uses_llm=uses_llm,
            api=api,
        )(cls)
        said = mark_of(marked, ComponentMark)
        assert said is not None
        return put_mark(marked, replace(said, is_agent=True, planner=planner))

    return mark


def achieves_goal(
    description: str,
    /,
    *,
    value: float = 0.0,
    tags: Sequence[str] = (),
    examples: Sequence[str] = (),
    export: bool = False,
) -> Callable[[F], F]:
    """Mark an action, above or below `@action`, as one that reaches a goal.

    The goal has the action's name, and holds when the action has run and its result is there.

    Args:
        description: One sentence: what is reached.
        value: Number from 0 to 1, for choosing among goals.
        tags: Words to find it by.
        examples: Wishes that it fulfils, as people would say them.
        export: It may be offered to the outside, under its own name.
    """

    def mark(method: F) -> F:
        said = GoalMark(
            description=description,
            value=value,
            tags=tuple(tags),
            examples=tuple(examples),
            export=export,
        )
        return put_goal(method, said)

    return mark


def state(cls: C) -> C:
    """Mark a class of values as a state: a stage of the work, with actions of its own.

    When an action returns a state, every other state goes out of sight, so that of all states
    only the new one's actions are on offer.  Subclasses are states, too.  Its actions take what
    they need from `self` and, as parameters, from the blackboard.  Like everything on the
    blackboard it is a frozen dataclass or model, defined at the top of a module or of a class.
    """
    return put_mark(cls, StateMark())


def _agent_name(cls: type) -> str:
    name = snake_case(cls.__name__)
    return name.removesuffix("_agent") or name
