"""Recording: what provided services answer is noted, so that the journal keeps it.

    services = recording({Permissions: permissions, ...})

In place of each service stands one that hands every call on and notes what came of it, for the
process on whose behalf it is called (`reactor.calls`); whoever has it can't tell the difference.
In a replay (`reactor.recalling`) it gives the answer of then instead, and hands the call on only
so that the replay's own store knows of it.

All public methods that the type of a service declares are recorded.  One that records itself for
the rest says which in `recorded_methods`; where no JSON can be made of what a method returns, the
record says so, and a process that calls it is never replayed from its records alone.
"""

from collections.abc import Callable, Mapping
from types import new_class
from typing import Any

from reactor.calls import Heard, heard_now
from reactor.journal import ServiceCallData
from reactor.recalling import Recollections, recollections_now
from reactor.service_calls import Method, methods_of

_BEHIND = "__wrapped__"
_UNTOLD_BY = frozenset({"Clock"})  # without a record, the time of the tick is as good


def recording(services: Mapping[type, object]) -> Mapping[type, object]:
    """The same services, each with its calls noted."""
    return {kind: recorded(kind, service) for kind, service in services.items()}


def recorded(kind: type, service: object) -> object:
    """What stands in for the service, which is provided by that type; itself, if it does so."""
    if behind(service) is not service:
        return service
    methods = {
        name: _way_of(method)(method, getattr(service, name))
        for name, method in methods_of(kind).items()
    }
    return _standing_in(kind, service, methods) if methods else service


def behind(service: object) -> object:
    """The service itself, for whoever asks it on nobody's behalf."""
    return getattr(service, _BEHIND) if _BEHIND in vars(type(service)) else service


def _standing_in(kind: type, service: object, methods: Mapping[str, Callable[..., Any]]) -> object:
    def find(self: object, name: str) -> Any:
        if name in methods:
            return methods[name]
        if name == _BEHIND:
            return service
        if name == "__class__":
            return made
        return getattr(service, name)

    def fill(body: dict[str, Any]) -> None:
        body["__slots__"] = ()
        body[_BEHIND] = None  # by which one that stands in is known; `find` says what is behind
        body["__module__"] = kind.__module__
        body["__getattribute__"] = find

    made = new_class(kind.__name__, (kind,), exec_body=fill)
    return object.__new__(made)


def _way_of(method: Method) -> Callable[[Method, Callable[..., Any]], Callable[..., Any]]:
    if not method.is_async:
        return _calling
    return _watching if method.is_lasting else _awaiting


def _watching(method: Method, ask: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: object, **kwargs: object) -> object:
        answer = await ask(*args, **kwargs)
        heard = heard_now()
        if heard is None:
            return answer
        if (recollections := recollections_now()) is not None:
            told = recollections.lasting(heard, method.label)
            answer = answer if told is None else told
        if heard.known.is_news(method.label, answer):
            heard.note(method.answered(method.asked(args, kwargs), answer))
        return answer

    return call


def _awaiting(method: Method, ask: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: object, **kwargs: object) -> object:
        heard = heard_now()
        if heard is None:
            return await ask(*args, **kwargs)
        asking = _Call(heard, method, method.asked(args, kwargs))
        try:
            result = await ask(*args, **kwargs)
        except Exception as error:
            if asking.is_recalled(method.failed(asking.asked, error)):
                return asking.answer_of_then()
            raise
        except BaseException:  # nobody waits any more
            heard.note(method.cut_off(asking.asked))
            raise
        return asking.answer_of_then() if asking.is_recalled(asking.told(result)) else result

    return call


def _calling(method: Method, ask: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: object, **kwargs: object) -> object:
        heard = heard_now()
        if heard is None:
            return ask(*args, **kwargs)
        asking = _Call(heard, method, method.asked(args, kwargs))
        try:
            result = ask(*args, **kwargs)
        except Exception as error:
            if asking.is_recalled(method.failed(asking.asked, error)):
                return asking.answer_of_then()
            raise
        return asking.answer_of_then() if asking.is_recalled(asking.told(result)) else result

    return call


class _Call:
    """One call on behalf of a process, which is noted as soon as it is answered."""

    def __init__(self, heard: Heard, method: Method, asked: str) -> None:
        self.asked = asked
        self._heard, self._method = heard, method
        self._then: ServiceCallData | None = None

    def told(self, result: object) -> ServiceCallData:
        """How the result is noted."""
        return self._method.answered(self.asked, result)

    def is_recalled(self, now: ServiceCallData) -> bool:
        """Whether there is an answer of then.  `now`: what is noted where there is none."""
        if (recollections := recollections_now()) is not None:
            self._then = self._found(recollections)
        self._heard.note(self._then or now)
        return self._then is not None

    def answer_of_then(self) -> object:
        """The same as then; raises what was raised then."""
        assert self._then is not None, "nothing is recalled of it"
        heard = self._heard
        return self._method.result_of(self._then, action=heard.action, timeout_s=heard.timeout_s)

    def _found(self, recollections: Recollections) -> ServiceCallData | None:
        recollection = recollections.of(self._heard.process_id)
        found = (
            recollection.call(self._method, self.asked, tick=self._heard.tick)
            if recollection
            else None
        )
        if found is not None and self._method.is_kept(found):
            return {**found}
        if self._method.service not in _UNTOLD_BY:
            recollections.miss(self._heard.process_id, self._method.label)
        return None
