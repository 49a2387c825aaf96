"""What is installed: components, and their actions and conditions, read and validated.

Made by `reactor.registration` and nowhere else; from then on they never change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from reactor.effect import Effect
from reactor.marks import ActionMark, ComponentMark, ConditionMark, GoalMark, RetryPolicy
from reactor.package import Package
from reactor.plan.problem import Aim, Truth
from reactor.signature import Signature

_ONCE = RetryPolicy(attempts=1)
_DEFAULT_RETRY = RetryPolicy()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Component:
    """One component, instantiated."""

    mark: ComponentMark
    package: Package
    instance: object
    settings: BaseModel | None

    @property
    def name(self) -> str:
        """What the names of its actions begin with."""
        return self.mark.name

    def may_return(self, kind: type[Effect]) -> bool:
        """Whether it has declared effects of this kind."""
        return issubclass(kind, self.mark.effects)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConditionMethod:
    """A method that says whether something holds."""

    name: str  # "component.method", or "component.State.method"
    component: Component
    mark: ConditionMark
    signature: Signature
    call: Callable[..., object]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Worth:
    """A cost or a value that may depend on the blackboard."""

    amount: float  # what it is, or what it is estimated at while inputs are missing
    call: Callable[..., object] | None = None
    signature: Signature = field(default_factory=Signature)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Action:
    """One action of a component, ready to be planned with and run."""

    name: str  # "component.method", or "component.State.method"
    component: Component
    mark: ActionMark
    signature: Signature
    call: Callable[..., object]
    cost: Worth
    value: Worth
    pre: Mapping[str, Truth] = field(default_factory=dict)  # by condition key
    effects: Mapping[str, bool] = field(default_factory=dict)  # by key: what may be hoped for
    state: type | None = None  # the state that it belongs to
    goal: GoalMark | None = None  # the goal that it reaches

    @property
    def retry(self) -> RetryPolicy:
        """The declared policy; otherwise three tries, or one where a repeat could do harm."""
        return self.mark.retry or (_DEFAULT_RETRY if self.mark.idempotent else _ONCE)

    @property
    def trigger(self) -> type | None:
        """The type whose entries it runs for, each once; None after a fault."""
        return self.mark.trigger if isinstance(self.mark.trigger, type) else None

    @property
    def has_fixed_worth(self) -> bool:
        """Whether cost and value never change."""
        return self.cost.call is None and self.value.call is None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EffectExecutor:
    """What makes the changes of one kind of effect, ready to be called."""

    kind: type[Effect]
    action: Action  # in no plan: how it is called, by whose code, and what its errors name
    effect: str  # the parameter that takes the effect
    attempt: str = ""  # the one that takes the attempt; "" where it wants none

    @property
    def name(self) -> str:
        """As an action's: "component.method"."""
        return self.action.name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InstalledGoal:
    """A goal of a component, or of a package as a whole."""

    aim: Aim
    package: Package
    component: Component | None  # the one whose action reaches it
    gives: tuple[type, ...]  # what is on the blackboard once it holds, as far as types tell
    mark: GoalMark

    @property
    def name(self) -> str:
        """The action's, or the one that the package gave it."""
        return self.aim.name
