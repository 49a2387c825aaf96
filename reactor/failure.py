"""What may go wrong in an action, and what is done about it.

Three kinds of errors: *passing* ones may be gone at the next try (retried by the action's
policy), *permanent* ones will come again (the action is barred at once), and for the rest nobody
knows (not retried, but on offer again until it has failed too often).  Besides, an action may
ask its process for something by raising one of the requests below.
"""

import socket
from collections.abc import Iterator, Mapping
from typing import Literal

from reactor.errors import ReactorError

Kind = Literal["passing", "permanent", "unclear"]

_PASSING_STATUS = frozenset({408, 425, 429})  # HTTP; and every 5xx
_LONGEST_LINE = 500  # characters of an error that are kept
_MOST_CAUSES = 10


class PassingError(ReactorError):
    """Something failed that may work at the next try: raise it from an action to be retried."""


class PassingLater(PassingError):
    """The same, but whoever raises it has tried already: the action is not run again at once."""


class RulesUnknown(PassingLater):
    """What the repository says of effects can't be read now: whoever wants one is asked again."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return f"its effects wait until it is known what the repository allows: {self.why}"


class WrongResult(ReactorError):
    """An action returned what its signature does not say, or what can't be kept."""

    def __init__(self, action: str, problem: str) -> None:
        super().__init__(action, problem)
        self.action, self.problem = action, problem

    def __str__(self) -> str:
        return f"{self.action} {self.problem}"


class ActionTimeout(ReactorError):
    """One try of an action took longer than its `timeout_s`."""

    def __init__(self, action: str, timeout_s: float) -> None:
        super().__init__(action, timeout_s)
        self.action, self.timeout_s = action, timeout_s

    def __str__(self) -> str:
        return f"{self.action} was given up after {self.timeout_s:g} s (its timeout_s)"


class LoopBlocked(ReactorError):
    """An action (or a condition) held up the whole worker: it did not await what it waited for."""

    def __init__(self, where: str, after_s: float) -> None:
        super().__init__(where, after_s)
        self.where, self.after_s = where, after_s

    def __str__(self) -> str:
        return (
            f"stopped at {self.where}, where it held up the whole worker for {self.after_s:g} s;"
            " await what takes long; an action may also be a plain `def`, which runs in a thread"
        )


class ActionCrash(ReactorError):
    """An action tried to end more than itself: it exited, cancelled itself, or panicked."""

    def __init__(self, action: str, raised: str) -> None:
        super().__init__(action, raised)
        self.action, self.raised = action, raised

    def __str__(self) -> str:
        return f"{self.action} raised {self.raised}; an action may only return or raise an error"


class ReplanRequested(ReactorError):
    """Raised by an action: plan afresh, without this action in the next planning.

    `conditions` are flags to set.  No failure is counted.
    """

    def __init__(self, reason: str = "", conditions: Mapping[str, bool] | None = None) -> None:
        super().__init__(reason, dict(conditions or {}))
        self.reason, self.conditions = reason, dict(conditions or {})

    def __str__(self) -> str:
        return self.reason or "another plan was asked for"


class TerminateAction(ReactorError):
    """Raised by an action: it has nothing more to do; the process goes on without a result."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason or "the action ended itself"


class TerminateProcess(ReactorError):
    """Raised by an action: the whole process ends TERMINATED."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason or "an action ended the process"


_PASSING = (PassingError, ActionTimeout, ConnectionError, TimeoutError, socket.gaierror)
_PERMANENT = (
    ActionCrash,
    LoopBlocked,
    WrongResult,
    TypeError,
    ValueError,  # pydantic's ValidationError and decoding errors among them
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    ImportError,
    NameError,
    NotImplementedError,
    RecursionError,
)


def kind_of(error: Exception, *, passing: tuple[type[Exception], ...] = ()) -> Kind:
    """Whether the error can pass.  `passing`: further classes that can, by the policy.

    Clients' errors are known by the HTTP status that they carry (`status`, `status_code`, or
    `response.status_code`), or by what caused them, so that no client needs to be imported here.
    """
    if isinstance(error, (*_PASSING, *passing)):
        return "passing"
    status = http_status(error)
    if status is not None:
        return "passing" if status in _PASSING_STATUS or status >= 500 else "permanent"
    if isinstance(error, _PERMANENT):
        return "permanent"
    return "passing" if any(isinstance(c, _PASSING) for c in _causes(error)) else "unclear"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What the error was raised from, and so on; no further than is sane."""
    for _ in range(_MOST_CAUSES):
        if error.__cause__ is None:
            return
        error = error.__cause__
        yield error


def http_status(error: Exception) -> int | None:
    """The HTTP error status that an exception carries, 400 to 599, if there is one."""
    response = getattr(error, "response", None)
    for holder, name in ((error, "status"), (error, "status_code"), (response, "status_code")):
        status = getattr(holder, name, None)
        if isinstance(status, int) and 400 <= status <= 599:
            return status
    return None


def in_one_line(error: BaseException) -> str:
    """Class and message, on one line of bounded length."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - other people's __str__ must not hide their error
        message = "(its message could not be made)"
    text = " ".join(f"{type(error).__name__}: {message}".split())
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"
