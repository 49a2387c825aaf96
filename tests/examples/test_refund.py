"""Refund: which of several orders is meant?  Look it up if that works, ask if it does not.

Two actions bring about the same condition, at different costs.  The planner takes the cheaper
one; when that has failed, the dearer one takes over, and what was found before is kept.
"""

from dataclasses import dataclass
from typing import Protocol

import pytest
from pydantic import BaseModel

from reactor import (
    ActionContext,
    AgentInvocation,
    Package,
    Platform,
    Process,
    Status,
    achieves_goal,
    action,
    agent,
    estimate,
)


@dataclass(frozen=True)
class UserContext:
    user: str
    question: str


@dataclass(frozen=True)
class OrderSet:
    orders: tuple[str, ...]


@dataclass(frozen=True)
class Eligibility:
    order: str
    is_eligible: bool


@dataclass(frozen=True)
class Answer:
    text: str


class OrderBook(Protocol):
    """The shop's system, as far as the agent needs it."""

    def orders_of(self, user: str) -> tuple[str, ...]: ...

    def meant_by(self, question: str, orders: tuple[str, ...]) -> str: ...


class Customer(Protocol):
    """Somebody to ask."""

    def choose(self, orders: tuple[str, ...]) -> str: ...


class RefundSettings(BaseModel):
    asking_cost: float = 0.6


@agent("Answers whether an order can be refunded.", settings=RefundSettings)
class RefundAgent:
    def __init__(self, settings: RefundSettings, book: OrderBook, customer: Customer) -> None:
        self._settings, self._book, self._customer = settings, book, customer

    @action(cost=0.05)
    def find_orders(self, user_context: UserContext) -> OrderSet:
        return OrderSet(self._book.orders_of(user_context.user))

    @action(post=["order_set_disambiguated"], cost=0.15)
    def disambiguate(self, user_context: UserContext, found: OrderSet, ctx: ActionContext) -> None:
        """Tell from the question which order is meant."""
        ctx.bind("order", self._book.meant_by(user_context.question, found.orders))
        ctx.set_condition("order_set_disambiguated")

    @estimate(0.6)
    def asking_cost(self) -> float:
        """A person's patience is dear; how dear is the operator's to say."""
        return self._settings.asking_cost

    @action(post=["order_set_disambiguated"], cost=asking_cost)
    def ask_user_to_clarify(self, found: OrderSet, ctx: ActionContext) -> None:
        ctx.bind("order", self._customer.choose(found.orders))
        ctx.set_condition("order_set_disambiguated")

    @action(pre=["order_set_disambiguated"], cost=0.12)
    def check_eligibility(self, found: OrderSet, ctx: ActionContext) -> Eligibility:
        return Eligibility(str(ctx.board.get("order")), is_eligible=True)

    @achieves_goal("The customer knows.")
    @action(cost=0.1)
    def answer(self, eligibility: Eligibility) -> Answer:
        return Answer(f"{eligibility.order}: yes")


class Shop:
    def __init__(self, *, knows_which: bool = True) -> None:
        self._knows_which = knows_which

    def orders_of(self, user: str) -> tuple[str, ...]:
        return ("lamp", "chair")

    def meant_by(self, question: str, orders: tuple[str, ...]) -> str:
        if not self._knows_which:
            raise LookupError("both fit")
        return next(order for order in orders if order in question)

    def choose(self, orders: tuple[str, ...]) -> str:
        return orders[1]


def run(shop: Shop, *, asking_cost: float = 0.6) -> Process:
    package = Package(
        name="refund", components=(RefundAgent,), settings={"asking_cost": asking_cost}
    )
    platform = Platform(packages=[package], services={OrderBook: shop, Customer: shop})
    question = UserContext("ann", "Can I send the lamp back?")
    return AgentInvocation.on(platform).returning(Answer).run(question)


def steps(process: Process) -> list[str]:
    return [run.action.removeprefix("refund.") for run in process.history]


@pytest.mark.parametrize("asking_cost", [0.6, 0.85])
def test_the_cheaper_way_to_know_the_order_is_taken(asking_cost: float) -> None:
    process = run(Shop(), asking_cost=asking_cost)

    assert steps(process) == ["find_orders", "disambiguate", "check_eligibility", "answer"]
    assert process.board.last(Answer) == Answer("lamp: yes")


def test_the_plan_costs_what_its_actions_cost() -> None:
    process = run(Shop())

    first = process.decisions[0]
    assert first["plan"] == [
        "refund.find_orders",
        "refund.disambiguate",
        "refund.check_eligibility",
        "refund.answer",
    ]
    assert first["net_value"] == pytest.approx(-0.42)


def test_when_it_cannot_be_told_asking_takes_over() -> None:
    process = run(Shop(knows_which=False))

    assert steps(process) == [
        "find_orders",
        "disambiguate",
        "ask_user_to_clarify",
        "check_eligibility",
        "answer",
    ]
    assert process.history[1].outcome == "failed"
    assert process.status is Status.COMPLETED
    assert process.board.last(Answer) == Answer("chair: yes")


def test_asking_is_part_of_a_dearer_plan() -> None:
    process = run(Shop(knows_which=False))

    # 0.87 for the whole of it, of which finding the orders, 0.05, was spent before
    assert process.decisions[2]["net_value"] == pytest.approx(0.05 - 0.87)


def test_eligibility_is_never_checked_before_the_order_is_known() -> None:
    process = run(Shop())

    not_runnable = {
        (found["action"], unmet["condition"])
        for decision in process.decisions[:2]
        for found in decision["not_runnable"]  # type: ignore[attr-defined]  # see TickData
        for unmet in found["unmet"]
    }
    assert ("refund.check_eligibility", "order_set_disambiguated") in not_runnable
