"""The conditions that a state of the world is made of, and what each is called.

A key is what planners and people see: `has(Issue)`, `has(issue: Issue)`, `ran(triage.label)`,
`new(Comment) for triage.answer`, the name of a flag or of a condition method, or the source of
an expression.  All keys of a platform come from one `Vocabulary`, so equal keys mean the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from reactor.expression import Expression
from reactor.installed import ConditionMethod
from reactor.status import ProcessHead


@runtime_checkable
class MayBeAway(Protocol):
    """A service that can't always be used: while it can't, nothing that takes it is planned."""

    condition: str  # the name by which preconditions may speak of it: "llm"

    async def why_away(self, head: ProcessHead) -> str:
        """Why that process can't use it now, as a clause; "" where it can.

        Asked in every tick, so it has to be quick.  Raises `InfrastructureError`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Has:
    """An entry of this type, and of this name where there is one, is in sight."""

    kind: type
    name: str | None = None
    but: tuple[type, ...] = ()  # subclasses that do not count

    def accepts(self, kind: type) -> bool:
        """Whether an entry of this very class counts, its name aside."""
        return issubclass(kind, self.kind) and not issubclass(kind, self.but)


@dataclass(frozen=True, slots=True)
class New:
    """An entry of this type is in sight for which the action has not run yet."""

    kind: type
    action: str


@dataclass(frozen=True, slots=True)
class Ran:
    """The action has run, since the board was last cleared."""

    action: str


@dataclass(frozen=True, slots=True)
class Flag:
    """A named boolean was set to true."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Available:
    """A service can be used now."""

    service: MayBeAway


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """An expression over the blackboard, and over one component's settings."""

    expression: Expression
    names: tuple[str, ...]  # of the facts it depends on, sorted
    settings: object | None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A condition method of a component."""

    method: ConditionMethod


Condition = Has | New | Ran | Flag | Available | Rule | Asked


class Vocabulary:
    """Every condition that the actions and goals of one platform speak of, by key."""

    def __init__(
        self, types: Iterable[type], services: Mapping[type, object] | None = None
    ) -> None:
        self.conditions: dict[str, Condition] = {}
        self._services = services or {}
        self.of_services = frozenset(
            service.condition
            for service in self._services.values()
            if isinstance(service, MayBeAway)
        )
        """The names of those that can't always be used."""
        names: dict[str, set[type]] = {}
        for kind in types:
            names.setdefault(kind.__name__, set()).add(kind)
        self._ambiguous = {name for name, kinds in names.items() if len(kinds) > 1}

    def label(self, kind: type) -> str:
        """The class name; with its module where two classes share it."""
        name = kind.__name__
        return f"{kind.__module__}.{kind.__qualname__}" if name in self._ambiguous else name

    def has(self, kind: type, name: str | None = None, but: tuple[type, ...] = ()) -> str:
        """The key of `Has`."""
        label = " but no ".join(self.label(each) for each in (kind, *but))
        return self._put(f"has({name}: {label})" if name else f"has({label})", Has(kind, name, but))

    def new(self, kind: type, action: str) -> str:
        """The key of `New`."""
        return self._put(f"new({self.label(kind)}) for {action}", New(kind, action))

    def ran(self, action: str) -> str:
        """The key of `Ran`."""
        return self._put(f"ran({action})", Ran(action))

    def flag(self, name: str) -> str:
        """The key of `Flag`."""
        return self._put(name, Flag(name))

    def available(self, kind: type) -> str | None:
        """The key of `Available` for the service of that type; None where it always is."""
        service = self._services.get(kind)
        if not isinstance(service, MayBeAway):
            return None
        return self._put(service.condition, Available(service))

    def of_service(self, name: str) -> str | None:
        """The same, by the name of its condition."""
        kinds = (k for k, s in self._services.items() if getattr(s, "condition", None) == name)
        return next((key for kind in kinds if (key := self.available(kind))), None)

    def asked(self, method: ConditionMethod) -> str:
        """The key of `Asked`."""
        return self._put(method.name, Asked(method))

    def rule(self, expression: Expression, *, owner: str, settings: object | None) -> str:
        """The key of `Rule`: with its component where the settings play a part."""
        names = tuple(sorted(expression.variables - {"settings"}))
        if "settings" not in expression.variables:
            return self._put(expression.source, Rule(expression, names, None))
        return self._put(f"{owner}: {expression.source}", Rule(expression, names, settings))

    def _put(self, key: str, condition: Condition) -> str:
        self.conditions.setdefault(key, condition)
        return key
