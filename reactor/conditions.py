"""The conditions that a state of the world is made of, and what each is called.

A key is what planners and people see: `has(Issue)`, `has(issue: Issue)`, `ran(triage.label)`,
`new(Comment) for triage.answer`, the name of a flag or of a condition method, or the source of
an expression.  All keys of a platform come from one `Vocabulary`, so equal keys mean the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from reactor.expression import Expression
from reactor.installed import ConditionMethod


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
class Rule:
    """An expression over the blackboard, and over one component's settings."""

    expression: Expression
    names: tuple[str, ...]  # of the facts it depends on, sorted
    settings: object | None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A condition method of a component."""

    method: ConditionMethod


Condition = Has | New | Ran | Flag | Rule | Asked


class Vocabulary:
    """Every condition that the actions and goals of one platform speak of, by key."""

    def __init__(self, types: Iterable[type]) -> None:
        self.conditions: dict[str, Condition] = {}
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
