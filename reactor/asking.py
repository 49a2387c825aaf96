"""Asking components: their condition methods, and the costs and values they work out.

What a component raises becomes an answer ("unknown, because ..."), never an error of the tick;
only trouble with a server goes through, as it is waited out elsewhere.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import cast

from reactor.blackboard import Blackboard
from reactor.errors import InfrastructureError
from reactor.expression import Evaluated
from reactor.failure import in_one_line
from reactor.installed import Action, ConditionMethod, Worth
from reactor.plan import Truth
from reactor.signature import Signature
from reactor.view import Arguments, Missing, View, find_arguments


class NoWorth(Exception):
    """The cost or value of an action can't be told now; the message says why."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Calls methods of components with what is on the board."""

    board: Blackboard
    services: Mapping[type, object]

    def condition(self, method: ConditionMethod, view: View) -> Evaluated:
        """Whether it holds; for a method that is not async."""
        arguments = find_arguments(method.signature, view)
        if isinstance(arguments, Missing):
            return Evaluated(Truth.FALSE, str(arguments))
        try:
            return _truth_of(method.call(**self._with_services(method.signature, arguments)))
        except InfrastructureError:
            raise
        except Exception as error:  # noqa: BLE001 - a component may raise anything
            return Evaluated(Truth.UNKNOWN, in_one_line(error))

    async def condition_async(self, method: ConditionMethod, view: View) -> Evaluated:
        """Whether it holds; for a method that is async."""
        arguments = find_arguments(method.signature, view)
        if isinstance(arguments, Missing):
            return Evaluated(Truth.FALSE, str(arguments))
        call = cast("Callable[..., Awaitable[object]]", method.call)
        try:
            return _truth_of(await call(**self._with_services(method.signature, arguments)))
        except InfrastructureError:
            raise
        except Exception as error:  # noqa: BLE001 - a component may raise anything
            return Evaluated(Truth.UNKNOWN, in_one_line(error))

    def worth(self, action: Action, view: View) -> tuple[float, float]:
        """Cost and value; the estimate where inputs are missing.  Raises `NoWorth`."""
        cost = self._amount("cost", action.cost, view)
        if cost < 0:
            raise NoWorth(f"its cost came out as {cost:g}, below 0")
        return cost, self._amount("value", action.value, view)

    def _amount(self, what: str, worth: Worth, view: View) -> float:
        if worth.call is None:
            return worth.amount
        arguments = find_arguments(worth.signature, view)
        if isinstance(arguments, Missing):
            return worth.amount
        try:
            amount = worth.call(**self._with_services(worth.signature, arguments))
        except InfrastructureError:
            raise
        except Exception as error:
            raise NoWorth(f"its {what} can't be worked out: {in_one_line(error)}") from error
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise NoWorth(f"its {what} came out as a {type(amount).__name__}, not a number")
        if not math.isfinite(amount):
            raise NoWorth(f"its {what} came out as {amount}")
        return float(amount)

    def _with_services(self, signature: Signature, arguments: Arguments) -> dict[str, object]:
        injected = {
            parameter: self.board.spawn() if kind is Blackboard else self.services[kind]
            for parameter, kind in signature.injected.items()
        }
        return arguments.values | injected


def _truth_of(answer: object) -> Evaluated:
    if isinstance(answer, bool):
        return Evaluated(Truth.of(answer), "")
    return Evaluated(Truth.UNKNOWN, f"it returned a {type(answer).__name__}, not true or false")
