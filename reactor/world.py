"""The state of the world, as a process sees it before each planning.

Every condition that the repertoire speaks of is true, false or unknown, and each is evaluated at
most once per tick.  Expressions are evaluated again only when one of their variables changed.
Condition methods with a cost stay unknown until a planner looks into them, because its choice
depends on it (`Observation.resolve`).  No planner can wait for an async one, so it is asked
between two plannings: `AskFirst` ends the first, and the second one knows.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import cast

from reactor.asking import Asking, NoWorth
from reactor.blackboard import Blackboard, Entry
from reactor.breakers import Breakers, reasons_of
from reactor.conditions import Asked, Condition, Rule
from reactor.expression import Evaluated
from reactor.history import History
from reactor.installed import ConditionMethod
from reactor.plan import Truth
from reactor.repertoire import Repertoire
from reactor.status import ProcessHead
from reactor.view import View

_NOT_LOOKED_INTO = Evaluated(Truth.UNKNOWN, "not looked into, as the choice did not depend on it")


class AskFirst(Exception):
    """A planning can't be ended before `Observation.look_into` was awaited for this condition."""

    def __init__(self, condition: str) -> None:
        super().__init__(condition)
        self.condition = condition


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known in one tick."""

    view: View
    state: Mapping[str, Truth]
    reasons: Mapping[str, str]  # why a condition is what it is, where that is not plain
    worths: Mapping[str, tuple[float, float]]  # cost and value, where they depend on the board
    unpriced: Mapping[str, str]  # actions whose cost or value can't be told now, and why
    resting: Mapping[str, str]  # actions whose component is left alone for a while, and why
    resolve: Callable[[str], Truth]  # looks into a condition that is unknown; raises `AskFirst`
    look_into: Callable[[str], Awaitable[None]]  # asks a condition method that is async
    close: Callable[[], None]  # the choice is made: giving reasons for it asks nobody any more


@dataclass(frozen=True, slots=True)
class _Remembered:
    """What an expression came out as, and for which entries."""

    seqs: list[int]  # by variable; 0 where it was absent
    found: Evaluated


class _Findings:
    """What conditions came out as in one tick; those that cost something are asked later."""

    def __init__(
        self,
        asking: Asking,
        conditions: Mapping[str, Condition],
        view: View,
        found: dict[str, Evaluated],
        reasons: dict[str, str],
    ) -> None:
        self._asking, self._conditions, self._view = asking, conditions, view
        self._found, self._reasons = found, reasons
        self._is_open = True

    def resolve(self, key: str) -> Truth:
        """What it is, looked into if need be.  Raises `AskFirst`."""
        if self._is_open and self._found[key] is _NOT_LOOKED_INTO:
            method = self._method(key)
            if method.signature.is_async:
                raise AskFirst(key)
            self._learn(key, self._asking.condition(method, self._view))
        return self._found[key].truth

    async def look_into(self, key: str) -> None:
        """Ask a condition method that is async."""
        self._learn(key, await self._asking.condition_async(self._method(key), self._view))

    def close(self) -> None:
        """Ask nobody any more."""
        self._is_open = False

    def _learn(self, key: str, answer: Evaluated) -> None:
        self._found[key], self._reasons[key] = answer, answer.reason

    def _method(self, key: str) -> ConditionMethod:
        condition = self._conditions[key]
        assert isinstance(condition, Asked), "all other conditions are known from the beginning"
        return condition.method


class World:
    """Looks at the board of one process, tick after tick."""

    def __init__(
        self,
        repertoire: Repertoire,
        board: Blackboard,
        services: Mapping[type, object],
        head: Callable[[], ProcessHead],
    ) -> None:
        self._repertoire, self._board, self._head = repertoire, board, head
        self._asking = Asking(board, services)
        self._breakers = cast("Breakers | None", services.get(Breakers))
        self._view = View(board)
        self._rules: dict[str, _Remembered] = {}

    async def observe(self, history: History) -> Observation:
        """Look at the board.  Raises `InfrastructureError` where a component's method does."""
        if self._view.version != self._board.version:
            self._view = View(self._board)
        view = self._view
        state = self._plain(view, history)
        found = {key: self._evaluate(key, rule) for key, rule in self._repertoire.by_kind.rules}
        for key, asked in self._repertoire.by_kind.asked:
            found[key] = await self._ask(asked)
        for key, available in self._repertoire.by_kind.available:
            why = await available.service.why_away(self._head())
            found[key] = Evaluated(Truth.FALSE if why else Truth.TRUE, why)
        state |= {key: evaluated.truth for key, evaluated in found.items()}
        reasons = {key: evaluated.reason for key, evaluated in found.items() if evaluated.reason}
        worths, unpriced = self._worths(view)

        findings = _Findings(self._asking, self._repertoire.conditions, view, found, reasons)
        return Observation(
            view=view,
            state=state,
            reasons=reasons,
            worths=worths,
            unpriced=unpriced,
            resting=await self._resting(),
            resolve=lambda key: findings.resolve(key) if key in found else state[key],
            look_into=findings.look_into,
            close=findings.close,
        )

    def _plain(self, view: View, history: History) -> dict[str, Truth]:
        """The conditions that need no evaluation: entries, marks and flags."""
        by_kind, ran = self._repertoire.by_kind, history.ran(self._board.clears)
        present: set[str] = set()
        for kind in {type(entry.value) for entry in view.newest_first}:
            present |= self._repertoire.made_true_by(kind)
        present |= {
            k for k, has in by_kind.has_named if any(view.entries(has.kind, has.name, has.but))
        }
        present |= {k for k, mark in by_kind.ran if mark.action in ran}
        present |= {k for k, flag in by_kind.flags if self._board.flag(flag.name)}
        present |= {
            k for k, new in by_kind.new if find_trigger(view, history, new.action, new.kind)
        }
        return {key: Truth.TRUE if key in present else Truth.FALSE for key in by_kind.plain_keys}

    def _evaluate(self, key: str, rule: Rule) -> Evaluated:
        seqs = [self._view.seqs.get(name, 0) for name in rule.names]
        known = self._rules.get(key)
        if known is not None and known.seqs == seqs:
            return known.found
        facts = self._view.by_name
        values: dict[str, object] = {n: facts[n].value for n in rule.names if n in facts}
        if rule.settings is not None:
            values["settings"] = rule.settings
        found = rule.expression.evaluate(values)
        self._rules[key] = _Remembered(seqs, found)
        return found

    async def _ask(self, asked: Asked) -> Evaluated:
        method = asked.method
        if method.mark.cost > 0:
            return _NOT_LOOKED_INTO
        if method.signature.is_async:
            return await self._asking.condition_async(method, self._view)
        return self._asking.condition(method, self._view)

    async def _resting(self) -> dict[str, str]:
        if self._breakers is None:
            return {}
        reasons = reasons_of(await self._breakers.why_away(self._head()))
        return {
            name: f"left out, as {reasons[action.component.name]}"
            for name, action in (self._repertoire.actions.items() if reasons else ())
            if action.component.name in reasons
        }

    def _worths(self, view: View) -> tuple[dict[str, tuple[float, float]], dict[str, str]]:
        worths: dict[str, tuple[float, float]] = {}
        unpriced: dict[str, str] = {}
        for action in self._repertoire.priced:
            try:
                worths[action.name] = self._asking.worth(action, view)
            except NoWorth as error:
                unpriced[action.name] = f"left out, as {error}"
        return worths, unpriced


def find_trigger(view: View, history: History, action: str, kind: type) -> Entry | None:
    """The oldest entry of that type which the action has not run for."""
    fresh = [e for e in view.entries(kind) if not history.has_consumed(action, e.seq)]
    return fresh[-1] if fresh else None
