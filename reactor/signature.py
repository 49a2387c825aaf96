"""What a method takes and gives: its signature, read once when its component is registered.

A parameter is an *input*, looked up on the blackboard, or *injected*: what the engine and the
platform's operator provide by type.  The method stays a plain function; only its annotations
are read.
"""

import inspect
import operator
import types
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce

from reactor.effect import Effect
from reactor.marks import Named
from reactor.result import NOTHING, Shape, UnreadableAnnotation, class_of, shape_of

_POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_UNIONS = (typing.Union, types.UnionType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A parameter that is looked up on the blackboard."""

    parameter: str
    kind: type  # what the entry must be an instance of
    named: bool = False  # the entry must have the parameter's name as well
    optional: bool = False  # no entry, no matter
    many: bool = False  # all visible entries, as a list
    has_default: bool = False  # without an entry it is left out of the call
    but: tuple[type, ...] = ()  # subclasses that do not count: they do it in their own way

    @property
    def name(self) -> str | None:
        """The name that the entry must have, if any."""
        return self.parameter if self.named else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a method takes and gives, and what is wrong with that."""

    inputs: tuple[Input, ...] = ()
    injected: Mapping[str, type] = field(default_factory=dict)  # parameter -> provided type
    result: Shape = NOTHING
    is_async: bool = False
    faults: tuple[str, ...] = ()  # sentences without a subject: "takes x without a type"

    @property
    def required(self) -> tuple[Input, ...]:
        """The inputs without which the method can't be called."""
        return tuple(entry for entry in self.inputs if not entry.optional)


def read_signature(
    method: Callable[..., object], *, provided: Collection[type], own: Input | None = None
) -> Signature:
    """The signature of a bound method.  `provided`: the types that are injected.

    `own`: what the first parameter of an unbound method takes, as `own_input` gives it.  Never
    raises: what can't be read is listed in `faults`.
    """
    is_async = inspect.iscoroutinefunction(method)
    try:
        hints = typing.get_type_hints(method, include_extras=True)
    except Exception as error:  # noqa: BLE001 - evaluating annotations can raise anything
        why = f"has annotations that can't be read ({error}); import their types at run time"
        return Signature(is_async=is_async, faults=(why,))
    if own is not None:
        hints[own.parameter] = own.kind
        hints = {name: _with_self(hint, own.kind) for name, hint in hints.items()}
    inputs, injected, faults = _read_parameters(method, hints, provided)
    if own is not None:
        inputs[0] = own
    try:
        result = shape_of(hints["return"]) if "return" in hints else None
    except UnreadableAnnotation as error:
        result = None
        faults.append(f"returns {error}")
    else:
        if result is None:
            faults.append("does not say what it returns; annotate it, with None for nothing")
    return Signature(
        inputs=tuple(inputs),
        injected=injected,
        result=result or NOTHING,
        is_async=is_async,
        faults=tuple(faults),
    )


def own_input(
    method: Callable[..., object], owner: type, *, but: tuple[type, ...] = ()
) -> Input | None:
    """What an unbound method of `owner` takes as itself; None where it takes nothing.

    `but`: the subclasses of `owner` that have such a method of their own.
    """
    parameters = list(inspect.signature(method).parameters.values())
    if not parameters or parameters[0].kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return None
    return Input(parameter=parameters[0].name, kind=owner, but=but)


def _read_parameters(
    method: Callable[..., object], hints: Mapping[str, object], provided: Collection[type]
) -> tuple[list[Input], dict[str, type], list[str]]:
    inputs: list[Input] = []
    injected: dict[str, type] = {}
    faults: list[str] = []
    for parameter in inspect.signature(method).parameters.values():
        name, hint = parameter.name, hints.get(parameter.name)
        if parameter.kind in _VARIADIC or parameter.kind is _POSITIONAL_ONLY:
            faults.append(f"takes {name} in a way that is not by name; make it a plain parameter")
        elif hint is None:
            faults.append(f"takes {name} without a type; annotate it")
        elif isinstance(hint, type) and hint in provided:
            injected[name] = hint
        else:
            has_default = parameter.default is not inspect.Parameter.empty
            try:
                inputs.append(_read_input(name, hint, has_default=has_default))
            except UnreadableAnnotation as error:
                faults.append(f"takes {name} as {error}")
    return inputs, injected, faults


def _read_input(parameter: str, hint: object, *, has_default: bool) -> Input:
    named, optional, many = False, has_default, False
    while True:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            hint = arguments[0]
            named |= any(mark is Named or isinstance(mark, Named) for mark in arguments[1:])
        elif origin in _UNIONS:
            hint, optional = _only_option(hint), True
        elif origin is list and not many:
            hint, many = arguments[0], True
        else:
            break
    kind = class_of(hint)
    if issubclass(kind, Effect):
        raise UnreadableAnnotation(f"{kind.__name__}, an effect: those are never on the blackboard")
    if getattr(kind, "_is_protocol", False):
        raise UnreadableAnnotation(f"{kind.__name__}, which nobody provides; give it in `services`")
    return Input(
        parameter=parameter,
        kind=kind,
        named=named,
        optional=optional,
        many=many,
        has_default=has_default,
    )


def _only_option(union: object) -> object:
    """`T` of `T | None`."""
    options = [option for option in typing.get_args(union) if option is not type(None)]
    if len(options) > 1:
        raise UnreadableAnnotation(f"{union}; take one type, or a base class of them")
    return options[0]


def _with_self(hint: object, owner: type) -> object:
    """The annotation with `Self` read as the owner."""
    if hint is typing.Self:
        return owner
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    read = tuple(_with_self(argument, owner) for argument in arguments)
    if read == arguments or origin is None:
        return hint
    return reduce(operator.or_, read) if origin in _UNIONS else origin[read]
