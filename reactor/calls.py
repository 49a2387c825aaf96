"""What a process is told from outside, while it is told: answers of services and of models.

    with hearing(heard := Heard(process_id=..., tick=1)):
        ...  # whatever is called in here, also in tasks and threads begun here, is noted in it
    heard.calls, heard.answers

Who asks on behalf of a process notes here what came of it; who runs the process puts it into the
journal.  A replay finds here on whose behalf, and in which tick, it is asked.  Where nothing
hears, as in the sending of effects, nothing is noted.
"""

from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from types import TracebackType

from pydantic_core import to_json

from reactor.journal import ModelAnswerData, ServiceCallData

LONGEST_RESULT = 20_000  # bytes of JSON of one result that are kept
LONGEST_RECORD = 200_000  # of all that one run of an action, or one planning, was told
MOST_CALLS = 200  # of those

_TOO_LONG = "it was too long"


class Known:
    """What a process was told last of what holds for a while: only changes of it are noted."""

    __slots__ = ("_answers", "_first")

    def __init__(self, *, is_new: bool = True) -> None:
        """`is_new`: else it goes on from what was stored, and the first answer is noted anew."""
        self._answers: dict[str, str] = {}
        self._first = "" if is_new else None

    def is_news(self, what: str, answer: str) -> bool:
        """Whether it has changed; at first nothing is in the way: ""."""
        if self._answers.get(what, self._first) == answer:
            return False
        self._answers[what] = answer
        return True


@dataclass(slots=True, kw_only=True)
class Heard:
    """What is told in one planning, or in one run of an action with all its tries."""

    process_id: str
    tick: int  # of the process, as `TickData.tick` counts; 0: it is about to begin
    planning: bool = True  # nothing was chosen yet
    action: str = ""  # that runs
    timeout_s: float = 0.0  # of it
    known: Known = field(default_factory=Known)  # by the process
    calls: list[ServiceCallData] = field(default_factory=list)
    answers: list[ModelAnswerData] = field(default_factory=list)
    _size: int = field(default=0, init=False)  # of the results, in bytes

    def by(self, action: str, *, timeout_s: float) -> "Heard":
        """Another one, for that action of the same tick."""
        return Heard(
            process_id=self.process_id,
            tick=self.tick,
            planning=False,
            action=action,
            timeout_s=timeout_s,
            known=self.known,
        )

    def note(self, call: ServiceCallData) -> None:
        """A service has answered; what is too long or too much is cut, and that is told."""
        if len(self.calls) >= MOST_CALLS:
            return  # a replay finds no record of it, and says so
        if "result" in call and (size := len(to_json(call["result"]))) > 4:  # not null or true
            self._size += size
            if size > LONGEST_RESULT or self._size > LONGEST_RECORD:
                del call["result"]
                call["not_kept"] = _TOO_LONG
        if self.planning:
            call["planning"] = True
        self.calls.append(call)


_HEARD: ContextVar[Heard | None] = ContextVar("reactor_heard", default=None)


def heard_now() -> Heard | None:
    """Where to note what is told here and now; None: nobody wants to know."""
    return _HEARD.get()


class hearing:  # noqa: N801 - read as a word of the `with` statement
    """What is told within the block is noted there, and no longer where it was before."""

    __slots__ = ("_heard", "_token")

    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def __enter__(self) -> None:
        self._token: Token[Heard | None] = _HEARD.set(self._heard)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not GeneratorExit:  # a coroutine that was dropped ends in a context of others
            _HEARD.reset(self._token)
