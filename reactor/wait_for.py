"""Ask a person, from within an action.

    from reactor import wait_for

    @action
    async def get_feedback(self, draft: Draft) -> HumanFeedback:
        return wait_for.form(HumanFeedback, title=f"What about {draft.title}?")

Neither function returns: the action ends here, the process waits (days, if need be, and whichever
worker goes on), and the answer lands on the blackboard as the result of the action, which is not
run again.  So say in one action what there is to ask, and in another one what follows from it.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeVar

from reactor.errors import ReactorError
from reactor.waiting import Confirmation

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an action asks, with its values still as objects."""

    kind: Literal["form", "confirm"]
    model: type
    title: str
    text: str = ""
    payload: object = None
    expires: timedelta | None = None
    default: object = None


class WaitRequested(ReactorError):
    """Raised by an action: its result is what a person answers."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.question = question

    def __str__(self) -> str:
        return f"waits for an answer to {self.question.title!r}"


def form(
    model: type[T],
    *,
    title: str,
    text: str = "",
    expires: timedelta | None = None,
    default: T | None = None,
) -> T:
    """Wait until a person has filled in a `model`; it must be what the action returns.

    `expires`: how long to wait; then `default` is the answer, and without one nothing came of it.
    """
    question = Question(
        kind="form", model=model, title=title, text=text, expires=expires, default=default
    )
    raise WaitRequested(question)


def confirm(
    payload: object,
    text: str,
    *,
    expires: timedelta | None = None,
    default: bool | None = None,
) -> Confirmation:
    """Wait until a person has said yes or no to `payload`; the action returns `Confirmation`.

    A rejection is a fact as well: `Confirmation(approved=False, by=...)`.
    """
    said = None if default is None else Confirmation(approved=default, by="timer")
    question = Question(
        kind="confirm",
        model=Confirmation,
        title=text.partition("\n")[0],
        text=text,
        payload=payload,
        expires=expires,
        default=said,
    )
    raise WaitRequested(question)
