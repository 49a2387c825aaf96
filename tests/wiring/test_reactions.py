"""Reactions of the settings, made ready to run on what is installed."""

from dataclasses import dataclass

import pytest

from reactor import Package, Platform, Start, achieves_goal, action, agent, component
from reactor.reaction import Reaction
from reactor.settings import Settings
from reactor.wiring.platform import BadReactions, listeners


@dataclass(frozen=True)
class Ticket:
    text: str


@dataclass(frozen=True)
class Resolved:
    text: str


@component
class Watcher:
    @action
    def watch(self, ticket: Ticket) -> None:
        """Do nothing."""


@agent("Resolves tickets.", planner="hybrid")
class TicketAgent:
    @achieves_goal("Resolved.")
    @action
    def resolve(self, ticket: Ticket) -> Resolved:
        return Resolved(ticket.text)


@agent("Works towards nothing.", planner="utility")
class DreamerAgent:
    @action
    def dream(self, ticket: Ticket) -> None: ...


COMPONENTS = (Watcher, TicketAgent, DreamerAgent)
PLATFORM = Platform(packages=[Package(name="tickets", components=COMPONENTS)])


def ready(**fields: object) -> Start:
    """What a process of such a reaction is started with."""
    reaction = Reaction.model_validate({"name": "r", "on": "issues"} | fields)
    (listener,) = listeners(Settings(reactions=(reaction,)), PLATFORM)
    return listener.ready(Start(process_id="p", delivery="d", reaction="r", subject="", facts=[]))


def test_a_reaction_runs_everything_by_worth() -> None:
    start = ready()

    assert (start.planner, start.goals, start.agent) == ("utility", None, "")
    assert list(PLATFORM.repertoire(start.scope).actions) == ["watcher.watch"]


def test_a_reaction_may_run_an_agent_as_that_declares() -> None:
    start = ready(agent="ticket")

    assert (start.planner, start.agent) == ("hybrid", "ticket")
    assert list(PLATFORM.repertoire(start.scope).actions) == ["ticket.resolve"]


def test_a_reaction_may_choose_another_planner_for_an_agent() -> None:
    assert ready(agent="ticket", planner="goap").planner == "goap"


def test_a_reaction_may_run_for_a_goal() -> None:
    start = ready(agent="ticket", goal="ticket.resolve", planner=None)

    assert start.goals == frozenset({"ticket.resolve"})
    assert start.planner == "hybrid"


def test_a_reaction_may_let_a_model_decide() -> None:
    start = ready(goal="has(Resolved)", agent="ticket", planner="supervisor")

    assert (start.planner, start.goals) == ("supervisor", frozenset({"has(Resolved)"}))


def test_a_reaction_for_a_goal_plans_towards_it() -> None:
    start = ready(goal="has(Ticket)")

    aims = PLATFORM.repertoire(start.scope, start.goals).real_aims
    assert start.planner == "goap"
    assert [aim.name for aim in aims] == ["has(Ticket)"]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"agent": "tickets"}, "no agent 'tickets'; installed agents: dreamer, ticket"),
        ({"agent": "ticket", "goal": "ticket.resolv"}, r"did you mean ticket\.resolve\?"),
        (
            {"agent": "dreamer", "planner": "supervisor"},
            r"planner supervisor plans towards goals, and the scope .* has none",
        ),
        ({"planner": "goap"}, "planner goap plans towards goals, and the scope platform has none"),
    ],
)
def test_what_a_reaction_asks_for_must_be_there(fields: dict[str, object], fault: str) -> None:
    with pytest.raises(BadReactions, match=fault):
        ready(**fields)
