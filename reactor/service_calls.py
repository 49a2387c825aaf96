"""Calls of provided services in writing: what was asked, as a digest, and what came of it, as JSON.

    method = methods_of(Permissions)["role"]
    told = method.answered(method.asked((repository, "ann"), {}), Role.WRITE)
    method.result_of(told)   # Role.WRITE again, or the error that was raised

Results are written and read by what the method is annotated to return; what no JSON can be made
of is said to be not kept.  No class is ever imported by a name that was read.
"""

import builtins
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, get_type_hints, runtime_checkable

from pydantic import BaseModel, TypeAdapter
from pydantic_core import from_json, to_json, to_jsonable_python

from reactor.censoring import Censor
from reactor.errors import ReactorError
from reactor.failure import ActionTimeout, PassingError, in_one_line, kind_of
from reactor.journal import ServiceCallData, ServiceErrorData
from reactor.status import ProcessHead

_LASTING = frozenset({"why_away"})  # asked in every tick, and nearly always answered as before
_REPEATABLE = frozenset({"Permissions", "RulesOfRepositories"})
_NO_JSON = "no JSON can be made of it"
_CUT_OFF = "it was cut off"
_DIGITS = 16  # of a digest
_ANY_MORE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_SCALARS = (str, int, float, bool, type(None))


class NotKept(Exception):
    """The record of a call holds no answer that could be given once more; the message says why."""


@runtime_checkable
class RecordsItself(Protocol):
    """A service of which only some methods are recorded as calls; the others see to themselves."""

    recorded_methods: ClassVar[frozenset[str]]


class RecordedError(ReactorError):
    """A service raised this then; its class is not known here any more, or can't be made anew."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line

    def __str__(self) -> str:
        return self.line.partition(": ")[2] or self.line


class _Passing(RecordedError, PassingError):
    """May be gone at the next try."""


class _Permanent(RecordedError, LookupError):
    """Will come again."""


class _CutOff(ActionTimeout, TimeoutError):
    """The call took longer than somebody would wait: the action's own limit, or one within it."""


_KINDS: Mapping[str, type[RecordedError]] = {"passing": _Passing, "permanent": _Permanent}


@dataclass(frozen=True)
class Method:
    """One method of a service, by the type that it is provided by."""

    service: str  # class name of that
    name: str
    function: Callable[..., Any]  # as the type declares it

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.service}.{self.name}"

    @property
    def is_lasting(self) -> bool:
        """Whether what it answers holds until it says something else: only changes are noted."""
        return self.name in _LASTING

    @property
    def is_repeatable(self) -> bool:
        """Whether it answers the same question alike: asked more often than then, it is as then."""
        return self.service in _REPEATABLE

    @cached_property
    def is_async(self) -> bool:
        """Whether it is awaited."""
        return inspect.iscoroutinefunction(self.function)

    def asked(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
        """The digest of what was asked; equal for arguments by place and by name."""
        said = [_plain(value) for value in self._values(args, kwargs)]
        return hashlib.sha256(to_json(said)).hexdigest()[:_DIGITS]

    def answered(self, asked: str, result: object) -> ServiceCallData:
        """What is noted of a result."""
        told = self._told(asked)
        try:
            if self._adapter is None:
                raise NotKept(_NO_JSON)
            told["result"] = from_json(self._adapter.dump_json(result, warnings="error"))
        except Exception:  # noqa: BLE001 - serializers are other people's code, and raise anything
            told["not_kept"] = _NO_JSON
        return told

    def failed(self, asked: str, error: Exception) -> ServiceCallData:
        """What is noted of an error."""
        told = self._told(asked)
        told["error"] = error_data(error)
        return told

    def cut_off(self, asked: str) -> ServiceCallData:
        """What is noted where nobody waited for the answer."""
        told = self._told(asked)
        told["not_kept"] = _CUT_OFF
        return told

    def result_of(self, told: ServiceCallData, *, action: str = "", timeout_s: float = 0.0) -> Any:
        """The result once more; raises what the service raised then.

        `action`: by whom it is asked now, and how long that may take.  Raises `NotKept`.
        """
        if "error" in told:
            raise error_of(told["error"])
        if told.get("not_kept") == _CUT_OFF:
            raise _named("ActionTimeout", _CutOff)(action, timeout_s)
        if "result" not in told or self._adapter is None:
            raise NotKept(told.get("not_kept", _NO_JSON))
        try:
            return self._adapter.validate_json(to_json(told["result"]))
        except Exception as error:
            raise NotKept(f"it can't be read any more: {in_one_line(error)}") from error

    def is_kept(self, told: ServiceCallData) -> bool:
        """Whether the answer can be given once more, by what the method returns now."""
        if "error" in told or told.get("not_kept") == _CUT_OFF:
            return True
        try:
            self.result_of(told)
        except NotKept:
            return False
        return True

    def _told(self, asked: str) -> ServiceCallData:
        return ServiceCallData(service=self.service, method=self.name, asked=asked)

    def _values(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> list[object]:
        """Those of all parameters, in their order; `inspect` would take ten times as long."""
        left = self._parameters[len(args) :]
        values = [*args, *(kwargs.get(each.name, each.default) for each in left)]
        known = {each.name for each in left}
        return [*values, *(item for item in kwargs.items() if item[0] not in known)]

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        """But for `self`, and for those that take whatever is left."""
        every = [*inspect.signature(self.function).parameters.values()][1:]
        return [each for each in every if each.kind not in _ANY_MORE]

    @cached_property
    def _adapter(self) -> TypeAdapter[Any] | None:
        """Made when it is first needed; None: no JSON can be made of what it returns."""
        try:
            returns = get_type_hints(self.function, include_extras=True)["return"]
        except NameError:  # an argument's type is known to type checkers only
            returns = self.function.__annotations__["return"]
        except Exception:  # noqa: BLE001 - whatever an annotation says
            return None
        if returns in (object, Any) or isinstance(returns, str):
            return None
        try:
            return TypeAdapter(returns)
        except Exception:  # noqa: BLE001 - pydantic says no in many ways
            return None


def methods_of(kind: type) -> Mapping[str, Method]:
    """Those of a service of that type that are recorded, by name."""
    only = kind.recorded_methods if isinstance(kind, RecordsItself) else None
    return {
        name: Method(kind.__name__, name, function)
        for name, function in inspect.getmembers_static(kind, inspect.isfunction)
        if not name.startswith("_") and (only is None or name in only)
    }


def error_data(error: Exception) -> ServiceErrorData:
    """An error, for the journal; what looks like a secret is not in it."""
    censor = Censor()
    told = ServiceErrorData(
        type=type(error).__name__, line=censor.text(in_one_line(error)), kind=kind_of(error)
    )
    if all(type(each) in _SCALARS for each in error.args):
        args = [censor.text(each) if isinstance(each, str) else each for each in error.args]
        told["args"] = args
    return told


def error_of(told: ServiceErrorData) -> Exception:
    """The error once more: of its class where that is loaded, else one that reads the same."""
    known = [each for each in _errors() if each.__name__ == told["type"]]
    if len(known) == 1 and "args" in told:
        try:
            made = known[0](*told["args"])
        except Exception:  # noqa: BLE001 - its constructor takes something else
            pass
        else:
            return made
    return _named(told["type"], _KINDS.get(told["kind"], RecordedError))(told["line"])


def _errors() -> Iterator[type[Exception]]:
    """Those that may be made anew."""
    for each in vars(builtins).values():
        if isinstance(each, type) and issubclass(each, Exception):
            yield each
    seen = {ReactorError}
    yield ReactorError
    left = [ReactorError]
    while left:
        for each in left.pop().__subclasses__():
            if each not in seen and not issubclass(each, (RecordedError, _CutOff)):
                seen.add(each)
                left.append(each)
                yield each


def _named(name: str, kind: type) -> Callable[..., Exception]:
    """The class under another name, since that stands in the records."""
    made: Callable[..., Exception] = type(name, (kind,), {})
    return made


def _plain(value: object) -> Any:
    """What an argument says, in JSON's own types: equal for equal values."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, ProcessHead):  # its times and its usage say nothing of what is asked
        return value.id
    if isinstance(value, BaseModel):
        return [_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return [_plain(getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, Mapping):
        pairs = [[_plain(key), _plain(item)] for key, item in value.items()]
        return sorted(pairs, key=to_json)
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=to_json)
    return to_jsonable_python(value, fallback=lambda other: type(other).__name__)
