"""One answer of whichever model can give it: fallbacks, circuits, budgets, one cap on all calls."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from reactor.ai.budget import Limits, Taken
from reactor.ai.calling import Attempts, Called, Caller, Payer
from reactor.ai.circuit import FAILURES, LONG_REST_S, REST_S, Circuits
from reactor.ai.errors import BudgetSpent, ModelRefused, ModelUnavailable
from reactor.ai.exchange import Message, Reply, Request, Usage
from reactor.ai.prices import ANSWER_TOKENS, Price
from reactor.ai.scripted import ScriptedModels
from reactor.errors import InfrastructureError
from reactor.tally import Tally

REQUEST = Request(model="a", messages=(Message(role="user", text="Hello"),))
PRICE = Price(prompt=0.0025)
TODAY = "20260314"
USED = Usage(prompt_tokens=100, completion_tokens=10, cost_usd=0.25)
FINE = Reply(text="fine", usage=Usage(prompt_tokens=100, completion_tokens=10))


def down(model: str = "a", retry_in_s: float | None = None) -> ModelUnavailable:
    return ModelUnavailable(model, "down", retry_in_s)


@dataclass
class Bench:
    """A caller over a script, with a clock that is moved by pauses."""

    models: ScriptedModels
    now_s: float = 0.0
    pauses: list[float] = field(default_factory=list)
    called: list[Called] = field(default_factory=list)
    used: list[tuple[str, Usage]] = field(default_factory=list)
    limits: Limits = field(default_factory=Limits)
    purses: "Purse | None" = None
    price: Price = PRICE

    def __post_init__(self) -> None:
        self.circuits = Circuits(lambda: self.now_s)

    async def pause(self, length_s: float) -> None:
        self.pauses.append(length_s)
        self.now_s += length_s

    async def call(self, *candidates: str, attempts: int = 4, spent_usd: float = 0.0) -> Reply:
        caller = Caller(
            models=self.models,
            circuits=self.circuits,
            purses=self.purses,
            limits=self.limits,
            price_of=lambda _: self.price,
            observers=(self.called.append,),
            pause=self.pause,
        )
        tally = Tally()
        tally.add("cost_usd", spent_usd)
        payer = Payer(
            repository="github.com/1",
            tally=tally,
            on_usage=lambda model, usage: self.used.append((model, usage)),
        )
        return await caller.call(REQUEST, candidates or ("a",), Attempts(attempts), payer)

    @property
    def asked(self) -> list[str]:
        return [request.model for request in self.models.requests]


class Purse:
    """Fits `Purses`, and shows what was done with it."""

    def __init__(self, spent: str = "") -> None:
        self.spent_purse, self.taken, self.corrected = spent, [0.0], [0.0]

    async def take(self, amount_usd: float, limits: Mapping[str, float]) -> Taken:
        if not self.spent_purse:
            self.taken.append(amount_usd)
        return Taken(TODAY, self.spent_purse)

    async def correct(self, by_usd: float, purses: tuple[str, ...], *, day: str) -> None:
        assert day == TODAY
        self.corrected.append(by_usd)

    async def spent(self, purse: str) -> float:
        return sum(self.taken) + sum(self.corrected)


@pytest.fixture
def bench() -> Callable[..., Bench]:
    return lambda *answers, **more: Bench(ScriptedModels(list(answers)), **more)


async def test_a_call_counts_for_whoever_pays(bench: Callable[..., Bench]) -> None:
    made = bench(FINE)

    assert await made.call() == replace(FINE, usage=USED)
    assert made.used == [("a", USED)]
    assert made.called == [Called(model="a", outcome="stop", usage=USED)]


async def test_the_next_model_is_asked_where_one_fails(bench: Callable[..., Bench]) -> None:
    made = bench(down("a"), ModelRefused("b", "too_long"), FINE)

    assert (await made.call("a", "b", "c")).text == "fine"
    assert made.asked == ["a", "b", "c"]
    assert made.pauses == []


async def test_one_that_refuses_is_not_asked_again(bench: Callable[..., Bench]) -> None:
    made = bench(ModelRefused("a", "content"), down("b"), FINE)

    assert (await made.call("a", "b")).text == "fine"
    assert made.asked == ["a", "b", "b"]


async def test_what_fails_is_tried_again_after_growing_pauses_up_to_the_cap(
    bench: Callable[..., Bench],
) -> None:
    made = bench(*[down()] * 9)

    with pytest.raises(ModelUnavailable):
        await made.call(attempts=4)

    assert len(made.asked) == 4
    assert made.pauses == sorted(made.pauses)
    assert len(set(made.pauses)) == len(made.pauses) == 3


async def test_a_provider_is_left_alone_for_as_long_as_it_says(
    bench: Callable[..., Bench],
) -> None:
    made = bench(down(retry_in_s=7), FINE)

    await made.call()

    assert made.pauses == [7]


async def test_nobody_waits_for_minutes(bench: Callable[..., Bench]) -> None:
    made = bench(down(retry_in_s=600), FINE)

    with pytest.raises(ModelUnavailable):
        await made.call()

    assert made.pauses == []


async def test_a_refusal_of_all_is_told(bench: Callable[..., Bench]) -> None:
    made = bench(ModelRefused("a", "key"), ModelRefused("b", "model"))

    with pytest.raises(ModelRefused) as refused:
        await made.call("a", "b")

    assert refused.value.model == "a"


async def test_a_model_that_keeps_failing_rests_and_is_then_tried_once(
    bench: Callable[..., Bench],
) -> None:
    made = bench(*[down()] * FAILURES, down(), FINE, FINE)
    for _ in range(FAILURES):
        with pytest.raises(ModelUnavailable):
            await made.call(attempts=1)

    with pytest.raises(ModelUnavailable, match="rests"):
        await made.call()
    asked_at_rest = len(made.asked)
    made.now_s += REST_S
    with pytest.raises(ModelUnavailable, match="down"):
        await made.call(attempts=1)
    assert not made.circuits.is_closed("a")
    made.now_s += REST_S
    answered = await made.call()

    assert asked_at_rest == FAILURES
    assert answered.text == "fine"
    assert made.circuits.is_closed("a")


async def test_a_wrong_key_lets_a_model_rest_for_long_and_others_go_on(
    bench: Callable[..., Bench],
) -> None:
    made = bench(ModelRefused("a", "key"), FINE, FINE)

    await made.call("a", "b")
    await made.call("a", "b")
    made.now_s += LONG_REST_S - 1

    assert made.asked == ["a", "b", "b"]
    assert not made.circuits.is_closed("a")


async def test_a_model_that_is_too_slow_is_unavailable() -> None:
    class Slow(ScriptedModels):
        async def complete(self, request: Request) -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

    caller = Caller(models=Slow([]), circuits=Circuits(lambda: 0.0))
    request = Request(model="a", messages=REQUEST.messages, timeout_s=0.01)

    with pytest.raises(ModelUnavailable, match=r"0\.01 s"):
        await caller.call(request, ("a",), Attempts(1), Payer())


async def test_a_call_that_is_given_up_says_nothing_of_its_model() -> None:
    class Hanging(ScriptedModels):
        async def complete(self, request: Request) -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

    circuits = Circuits(lambda: 0.0)
    caller = Caller(models=Hanging([]), circuits=circuits)
    call = asyncio.create_task(caller.call(REQUEST, ("a",), Attempts(1), Payer()))
    await asyncio.sleep(0)

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert circuits.is_closed("a")


async def test_the_price_is_taken_before_and_corrected_after(bench: Callable[..., Bench]) -> None:
    purse = Purse()
    made = bench(FINE, down(), purses=purse, limits=Limits(per_day=5))

    await made.call()
    with pytest.raises(ModelUnavailable):
        await made.call(attempts=1)

    assert await purse.spent("all") == USED.cost_usd


async def test_a_call_that_took_too_long_has_cost_what_was_thought(
    bench: Callable[..., Bench],
) -> None:
    late = ModelUnavailable("a", "it took too long", is_late=True)
    made = bench(late, down(), purses=Purse(), limits=Limits(per_day=5), price=Price(answer=0.0005))

    with pytest.raises(ModelUnavailable):
        await made.call(attempts=2)

    assert made.purses is not None
    assert await made.purses.spent("all") == ANSWER_TOKENS * 0.0005


async def test_an_answer_that_is_paid_for_is_not_thrown_away(bench: Callable[..., Bench]) -> None:
    class Failing(Purse):
        async def correct(self, by_usd: float, purses: tuple[str, ...], *, day: str) -> None:
            raise InfrastructureError("redis", "down")

    made = bench(FINE, purses=Failing(), limits=Limits(per_day=5))

    assert (await made.call()).text == "fine"
    assert made.used == [("a", USED)]


async def test_nothing_is_asked_once_the_budget_of_the_day_is_spent(
    bench: Callable[..., Bench],
) -> None:
    made = bench(FINE, purses=Purse("github.com/1"), limits=Limits(per_repository_day=5))

    with pytest.raises(BudgetSpent, match=r"5 USD .* github\.com/1 in a day"):
        await made.call()

    assert made.asked == []


async def test_nothing_is_asked_once_a_process_has_spent_its_own(
    bench: Callable[..., Bench],
) -> None:
    made = bench(FINE, limits=Limits(per_process=1))

    with pytest.raises(BudgetSpent, match="one process"):
        await made.call(spent_usd=1.0)

    assert made.asked == []


async def test_calls_at_the_same_time_do_not_spend_the_same_money_of_a_process() -> None:
    class Slow(ScriptedModels):
        async def complete(self, request: Request) -> Reply:
            await asyncio.sleep(0)  # the others begin meanwhile
            return await super().complete(request)

    tally = Tally()
    caller = Caller(
        models=Slow([FINE] * 5),
        circuits=Circuits(lambda: 0.0),
        limits=Limits(per_process=2 * USED.cost_usd),
        price_of=lambda _: Price(answer=USED.cost_usd / 10),
    )
    payer = Payer(tally=tally, on_usage=lambda _, usage: tally.add("cost_usd", usage.cost_usd))

    async def call() -> str:
        try:
            request = replace(REQUEST, max_tokens=10)
            return (await caller.call(request, ("a",), Attempts(1), payer)).text
        except BudgetSpent:
            return "spent"

    said = await asyncio.gather(*(call() for _ in range(5)))

    assert said == ["fine", "fine", "spent", "spent", "spent"]
    assert tally.at_most("cost_usd") == tally.used["cost_usd"] == 2 * USED.cost_usd
