"""One answer of whichever model can give it: circuits, budgets, fallbacks, usage.

    candidates -> those whose circuit is closed -> paid from the budgets -> asked
    -> one that fails hands on to the next; when all have failed, after a pause, again

Every call counts against the one cap of its answer, whatever it failed with.
"""

import asyncio
from collections.abc import Awaitable, Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from reactor.ai.budget import Limits, Purses, told
from reactor.ai.circuit import Call, Circuits
from reactor.ai.errors import BudgetSpent, ModelRefused, ModelUnavailable
from reactor.ai.exchange import Models, Reply, Request, Usage
from reactor.ai.prices import FREE, Price
from reactor.errors import InfrastructureError
from reactor.tally import Tally
from reactor.tracing import span

FIRST_PAUSE_S = 0.5  # it doubles
LONGEST_PAUSE_S = 20.0  # a provider that wants to be left alone for longer is given up
_COST = "cost_usd"  # in tallies

Pause = Callable[[float], Awaitable[None]]
OnUsage = Callable[[str, Usage], None]  # model, and what the call took
OnReply = Callable[[Request, Reply], None]
OnFailure = Callable[[Request, Exception], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One call that has ended, for logs and counters."""

    model: str
    outcome: str  # "stop", "length", "refused", "tools", "unavailable", or why it was refused
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """On whose account a call is made."""

    repository: str = ""  # "github.com/1296269"; "": of none
    tally: Tally = field(default_factory=Tally)  # of its process
    on_usage: OnUsage = lambda model, usage: None
    on_reply: OnReply = lambda request, reply: None  # also for one that was kept from before
    on_failure: OnFailure = lambda request, error: None  # no model has answered


@dataclass(frozen=True, slots=True)
class _Paid:
    """What was taken beforehand, and from what."""

    payer: Payer
    usd: float
    purses: tuple[str, ...] = ()  # of that day
    day: str = ""


@dataclass(slots=True)
class Attempts:
    """The calls that are left for one answer."""

    left: int
    made: int = 0

    def use(self) -> None:
        """One is made."""
        self.left -= 1
        self.made += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """What all calls of one worker share."""

    models: Models
    circuits: Circuits
    purses: Purses | None = None  # None: nothing is limited but what a process spends
    limits: Limits = field(default_factory=Limits)
    price_of: Callable[[str], Price] = lambda model: FREE
    observers: tuple[Callable[[Called], None], ...] = ()
    pause: Pause = asyncio.sleep

    async def call(
        self, request: Request, candidates: tuple[str, ...], attempts: Attempts, payer: Payer
    ) -> Reply:
        """What a model answers; its circuits, budgets and usage are seen to.

        Raises `ModelUnavailable`, `ModelRefused`, `BudgetSpent` and `InfrastructureError`.
        """
        try:
            return await self._call(request, candidates, attempts, payer)
        except (ModelUnavailable, ModelRefused, BudgetSpent) as error:
            payer.on_failure(request, error)
            raise

    async def _call(
        self, request: Request, candidates: tuple[str, ...], attempts: Attempts, payer: Payer
    ) -> Reply:
        pauses = _pauses()
        refused: dict[str, ModelRefused] = {}
        while True:
            failed: ModelUnavailable | None = None
            for call in self._begun(candidates, refused, attempts):
                try:
                    return await self._once(request.to(call.model), payer, call)
                except ModelUnavailable as error:
                    failed = error
                except ModelRefused as error:
                    refused[call.model] = error
            if len(refused) == len(candidates):
                raise refused[candidates[0]]
            if failed is None:
                raise _resting(candidates, refused)
            pause_s = max(next(pauses), failed.retry_in_s or 0.0)
            if attempts.left <= 0 or pause_s > LONGEST_PAUSE_S:
                raise failed
            await self.pause(pause_s)

    async def why_away(self, candidates: tuple[str, ...], payer: Payer) -> str:
        """Why nothing can be asked now, as a clause; "" where something can.

        Raises `InfrastructureError`.
        """
        of_process, limits = self.limits.per_process, self.limits.of_day(payer.repository)
        if of_process is not None and payer.tally.used.get(_COST, 0.0) >= of_process:
            return str(BudgetSpent("of one process", of_process))
        if not any(self.circuits.is_closed(model) for model in candidates):
            return str(_resting(candidates, {}))
        if self.purses is not None:
            for purse, limit in limits.items():
                if await self.purses.spent(purse) >= limit:
                    return str(BudgetSpent(told(purse), limit))
        return ""

    def _begun(
        self, candidates: tuple[str, ...], refused: Container[str], attempts: Attempts
    ) -> Iterator[Call]:
        """A call of each that may be asked, as far as there are attempts."""
        for model in candidates:
            may = model not in refused and attempts.left > 0
            if may and (call := self.circuits.begin(model)) is not None:
                attempts.use()
                yield call

    async def _once(self, request: Request, payer: Payer, call: Call) -> Reply:
        try:
            await self.models.make_ready()  # before its time begins to run
            price = self.price_of(request.model)
            estimate_usd = price.at_most(request.prompt_size, request.max_tokens)
            with self._held(estimate_usd, payer):
                paid = await self._pay(estimate_usd, payer)
                reply = await self._paid(request, paid, call)
        finally:
            call.dropped()  # where nobody knows how it does
        payer.on_reply(request, reply)
        return reply

    async def _paid(self, request: Request, paid: _Paid, call: Call) -> Reply:
        usage: Usage | None = Usage(cost_usd=paid.usd)  # of one that is cut off, nobody knows
        try:
            reply = await self._ask(request, call)
            usage = reply.usage
        except ModelRefused:
            usage = None
            raise
        except ModelUnavailable as error:
            usage = usage if error.is_late else None
            raise
        finally:
            if usage is not None:
                paid.payer.on_usage(request.model, usage)
            await self._correct((usage or Usage()).cost_usd - paid.usd, paid)
        return reply

    async def _ask(self, request: Request, call: Call) -> Reply:
        model = request.model
        try:
            with span("model", model=model) as step:
                reply = self._priced(request.model, await self._in_time(request))
                step.note(tokens=reply.usage.prompt_tokens + reply.usage.completion_tokens)
        except ModelUnavailable:
            call.failed()
            self._tell(Called(model=model, outcome="unavailable"))
            raise
        except ModelRefused as error:
            if error.refusal in ("key", "model"):  # nobody else fares better
                call.failed(for_long=True)
            else:
                call.answered()
            self._tell(Called(model=model, outcome=error.refusal))
            raise
        call.answered()
        self._tell(Called(model=model, outcome=reply.finish, usage=reply.usage))
        return reply

    def _priced(self, model: str, reply: Reply) -> Reply:
        usage = reply.usage
        cost_usd = self.price_of(model).of(usage.prompt_tokens, usage.completion_tokens)
        return replace(reply, usage=replace(usage, cost_usd=cost_usd))

    async def _in_time(self, request: Request) -> Reply:
        try:
            async with asyncio.timeout(request.timeout_s) as limit:
                return await self.models.complete(request)
        except TimeoutError:
            if not limit.expired():
                raise
            late = f"nothing came within {request.timeout_s:g} s"
            raise ModelUnavailable(request.model, late, is_late=True) from None

    @contextmanager
    def _held(self, amount_usd: float, payer: Payer) -> Iterator[None]:
        """The amount counts for its process while the call is under way.  Raises `BudgetSpent`."""
        of_process = self.limits.per_process
        if of_process is not None and payer.tally.at_most(_COST) >= of_process:
            raise BudgetSpent("of one process", of_process)
        with payer.tally.holding(_COST, amount_usd):
            yield

    async def _pay(self, amount_usd: float, payer: Payer) -> _Paid:
        limits = self.limits.of_day(payer.repository)
        if self.purses is None or not limits:
            return _Paid(payer, amount_usd)
        taken = await self.purses.take(amount_usd, limits)
        if taken.spent:
            raise BudgetSpent(told(taken.spent), limits[taken.spent])
        return _Paid(payer, amount_usd, tuple(limits), taken.day)

    async def _correct(self, by_usd: float, paid: _Paid) -> None:
        if self.purses is not None and paid.purses and by_usd:
            with suppress(InfrastructureError):  # an answer that is paid for is not thrown away
                await self.purses.correct(by_usd, paid.purses, day=paid.day)

    def _tell(self, called: Called) -> None:
        for observer in self.observers:
            observer(called)


def _pauses() -> Iterator[float]:
    pause_s = FIRST_PAUSE_S
    while True:
        yield pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _resting(candidates: tuple[str, ...], refused: dict[str, ModelRefused]) -> Exception:
    """Why none of them could be asked."""
    if refused:
        return next(iter(refused.values()))
    first, *others = candidates
    also = f", and so do {', '.join(others)}" if others else ""
    return ModelUnavailable(first, f"it has failed too often, and rests{also}")
