"""A meal: a model picks who cooks and what was ordered, and the engine runs what it picks.

The same actions run with a scripted model, and with one that LiteLLM asks over HTTP.
"""

from dataclasses import dataclass

import pytest

from reactor import (
    Package,
    Platform,
    Process,
    Scope,
    Status,
    SupervisorInvocation,
    achieves_goal,
    action,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.ai import Ai
from reactor.settings import LlmSettings, Settings
from reactor.testing import FakeAi, ran
from reactor.wiring.models import models, stores_in_memory
from tests.fixtures.models import answers
from tests.fixtures.models.server import StubModels


@dataclass(frozen=True)
class UserInput:
    text: str


@dataclass(frozen=True)
class Cook:
    name: str
    age: int


@dataclass(frozen=True)
class Order:
    dish: str
    quantity: int


@dataclass(frozen=True)
class Meal:
    dish: str
    quantity: int
    ordered_by: str
    cooked_by: str


@component(name="meals")
class Meals:
    @action(read_only=True, description="Choose who is to cook.")
    async def choose_cook(self, user_input: UserInput) -> Cook:
        return Cook("Ada", 31)

    @action(read_only=True, description="Find out what was ordered.")
    async def take_order(self, user_input: UserInput) -> Order:
        return Order("soup", 2)

    @achieves_goal("A meal is served.")
    @action
    async def prepare_meal(self, cook: Cook, order: Order, user_input: UserInput) -> Meal:
        return Meal(order.dish, order.quantity, user_input.text.split(" ")[0], cook.name)


WISH = UserInput("Bob would like two plates of soup.")
SERVED = Meal("soup", 2, "Bob", "Ada")


def platform(ai: Ai) -> Platform:
    return Platform(packages=[Package(name="kitchen", components=(Meals,))], services={Ai: ai})


async def serve(ai: Ai) -> Process:
    invocation = SupervisorInvocation.on(platform(ai)).returning(Meal)
    return await invocation.with_scope(Scope.from_packages("kitchen")).run_async(WISH)


def test_a_meal_is_served_by_what_a_model_picks() -> None:
    ai = FakeAi(FakeAi.calls("choose_cook", "take_order"), FakeAi.calls("prepare_meal"))

    meal = (
        SupervisorInvocation.on(platform(ai))
        .returning(Meal)
        .with_scope(Scope.from_packages("kitchen"))
        .with_agent_name("kitchen help")
        .with_goal_description("Serve what was ordered.")
        .invoke(WISH)
    )

    assert meal == SERVED
    assert "Serve what was ordered." in ai.prompts[0]


async def test_what_a_model_picks_in_one_reply_runs_beside_each_other() -> None:
    ai = FakeAi(FakeAi.calls("take_order", "choose_cook"), FakeAi.calls("prepare_meal"))

    process = await serve(ai)

    assert ran(process) == [
        "supervisor.pick",
        "meals.choose_cook",
        "meals.take_order",
        "supervisor.pick",
        "meals.prepare_meal",
    ]
    assert [run.beside for run in process.history] == [0, 0, 1, 0, 0]


async def test_only_what_can_run_is_offered_and_the_engine_fills_in_what_is_known() -> None:
    ai = FakeAi(FakeAi.calls("choose_cook", "take_order"), FakeAi.calls("prepare_meal"))

    await serve(ai)

    offered = [[tool.name for tool in request.tools] for request in ai.requests]
    assert offered == [["choose_cook", "take_order"], ["prepare_meal"]]
    assert all("READY" in tool.description for r in ai.requests for tool in r.tools)
    assert "prepare_meal: has(Cook) is false" in ai.prompts[0]


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
async def test_the_same_actions_serve_the_same_meal_where_no_model_decides(planner: str) -> None:
    ai = FakeAi()

    invocation = SupervisorInvocation.on(platform(ai)).returning(Meal).with_planner(planner)
    process = await invocation.run_async(WISH)

    assert process.board.last(Meal) == SERVED
    assert ran(process)[-1] == "meals.prepare_meal"
    assert len(process.history) == 3
    assert ai.requests == ()


@pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine
async def test_a_meal_is_served_over_http(stub_models: StubModels) -> None:
    stub_models.script(
        answers.text("Let me think."),
        answers.tool_call("choose_cook", {}),
        answers.failure(429, retry_after="0"),
        answers.tool_call("take_order", "{}"),
        answers.tool_call("prepare_meal", {"cook": {"name": "Mallory", "age": 1}}),
    )
    small = {"model": "openai/gpt-4o-mini", "api_base": stub_models.url, "api_key": "sk-of-a-test"}
    settings = Settings(llm=LlmSettings.model_validate({"models": {"small": small}}))

    async with models(settings, stores_in_memory(settings, ManualClock())) as ai:
        process = await serve(ai)

    assert process.status is Status.COMPLETED
    assert process.board.last(Meal) == SERVED
    assert len(stub_models.requests) == 5
    assert process.head.usage["model_calls"] == 4
