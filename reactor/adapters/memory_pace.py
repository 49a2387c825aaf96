"""The pace in memory; fits `reactor.pace.Pace`."""

from collections import defaultdict

from reactor.adapters.moments import micros
from reactor.pace import Ask, Budget, Rates, Told, Turn
from reactor.ports import Clock


class MemoryPace:
    """Nothing is awaited within a method, so each is one atomic step."""

    def __init__(self, clock: Clock, rates: Rates) -> None:
        self._clock, self._rates = clock, rates
        self._budgets: defaultdict[tuple[str, str], Budget] = defaultdict(Budget)

    async def turn(self, ask: Ask) -> Turn:
        """By the budget of its account."""
        budget = self._budgets[ask.host, ask.account]
        return budget.turn(ask, self._rates, micros(self._clock.now()))

    async def told(self, ask: Ask, told: Told | None) -> float:
        """To the budget of its account."""
        budget = self._budgets[ask.host, ask.account]
        return budget.told(ask, told, self._rates, micros(self._clock.now()))
