"""Ticket triage by states: each kind of ticket is a state that brings its own way of resolving it.

The entry action sorts a ticket and gives a `TicketCategory`; which subclass it is decides which
action is on offer then.  One and the same agent runs under the utility planner, for it has only
one thing to do at a time, and under GOAP, which plans ahead over all three routes.
"""

from dataclasses import dataclass

import pytest

from reactor import (
    AgentInvocation,
    Package,
    Platform,
    Scope,
    Status,
    UtilityInvocation,
    achieves_goal,
    action,
    agent,
    state,
)


@dataclass(frozen=True)
class Ticket:
    id: str
    description: str
    customer_id: str


@dataclass(frozen=True)
class ResolvedTicket:
    id: str
    resolution: str
    handled_by: str


@state
@dataclass(frozen=True)
class TicketCategory:
    """What a ticket is.  The ticket travels in the state, so that nothing else is needed."""

    ticket: Ticket


@dataclass(frozen=True)
class CriticalTicket(TicketCategory):
    @achieves_goal("Somebody is on it now.", value=0.9)
    @action
    def escalate(self) -> ResolvedTicket:
        """Wake whoever is on call."""
        return ResolvedTicket(self.ticket.id, "escalated to on-call", "critical response team")


@dataclass(frozen=True)
class BugTicket(TicketCategory):
    @achieves_goal("The bug will not be forgotten.", value=0.6)
    @action
    def log(self) -> ResolvedTicket:
        """Put it into the tracker."""
        return ResolvedTicket(self.ticket.id, "logged in the tracker", "engineering")


@dataclass(frozen=True)
class GeneralTicket(TicketCategory):
    @achieves_goal("The customer can help themselves.", value=0.3)
    @action
    def answer(self) -> ResolvedTicket:
        """Send what is written already."""
        return ResolvedTicket(self.ticket.id, "answered with FAQ links", "support")


@agent("Sorts support tickets and sees that each is resolved.", planner="utility")
class TicketAgent:
    @action
    def triage_ticket(self, ticket: Ticket) -> TicketCategory:
        """Sort by what the customer says."""
        if "down" in ticket.description:
            return CriticalTicket(ticket)
        if "bug" in ticket.description:
            return BugTicket(ticket)
        return GeneralTicket(ticket)


PLATFORM = Platform(packages=[Package(name="support", components=(TicketAgent,))])

ROUTES = [
    ("The site is down", "CriticalTicket.escalate", "critical response team"),
    ("There is a bug in the form", "BugTicket.log", "engineering"),
    ("How do I change my name?", "GeneralTicket.answer", "support"),
]


@pytest.mark.parametrize("planner", ["utility", "hybrid", "goap"])
@pytest.mark.parametrize(("description", "route", "handled_by"), ROUTES)
def test_each_ticket_goes_its_own_route(
    description: str, route: str, handled_by: str, planner: str
) -> None:
    invocation = AgentInvocation.on(PLATFORM).returning(ResolvedTicket).with_planner(planner)

    process = invocation.run(Ticket("T-1", description, "C-7"))

    assert [run.action for run in process.history] == ["ticket.triage_ticket", f"ticket.{route}"]
    assert process.status is Status.COMPLETED
    assert process.head.goal == f"ticket.{route}"
    resolved = process.board.last(ResolvedTicket)
    assert resolved is not None
    assert resolved.handled_by == handled_by


def test_a_utility_invocation_over_the_agents_scope_ends_the_same_way() -> None:
    invocation = UtilityInvocation.on(PLATFORM).with_scope(Scope.from_agents("ticket"))

    process = invocation.terminate_when_stuck().run(Ticket("T-1", "The site is down", "C-7"))

    assert process.status is Status.COMPLETED
    assert process.board.last(ResolvedTicket) == ResolvedTicket(
        "T-1", "escalated to on-call", "critical response team"
    )
