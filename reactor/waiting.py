"""Waiting for a person: what is asked, and what is answered.  Shapes only.

A request stands in the head of the process that waits (`ProcessHead.forms`) until it is answered
or the process ends, so who has the head knows what is open.  Values travel as JSON, named by the
stable name of their type (`reactor.catalog`), so that whoever shows or passes on a form needs no
component installed; the process alone reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from reactor.errors import ReactorError


@dataclass(frozen=True, slots=True, kw_only=True)
class FormRequest:
    """A question to a person, as it is kept and shown."""

    id: str  # "<process id>-<number>": the same after a crash
    process_id: str
    action: str  # the action that waits for the answer
    kind: Literal["form", "confirm"]
    model: str  # stable name of the answer's type; "form": the model, "confirm": `Confirmation`
    title: str  # one line
    text: str = ""  # more of it, for people
    schema: Mapping[str, object] = field(default_factory=dict)  # JSON schema of `Answer.value`
    payload_type: str = ""  # with "confirm": stable name of the type of what is to be confirmed
    payload: str = ""  # and that itself, as JSON
    asked_at: datetime  # aware, UTC
    expires_at: datetime | None = None  # from then on an expired answer is let in
    default: str = ""  # JSON of the answer that counts then; "": nothing came of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What somebody, or a timer, answers to a request."""

    id: str  # who sends it makes it up; one that was heard before changes nothing
    form_id: str
    by: str = ""  # who answered: a login, a mail address, "timer"
    value: object = None  # to a form: JSON-ready, as `FormRequest.schema` says
    approved: bool | None = None  # to a confirmation
    expired: bool = False  # nobody answered in time: the default counts; only a timer sets it


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A person's yes or no, as a fact on the blackboard."""

    approved: bool
    by: str = ""


Wish = Literal["kill", "terminate", "pause", "resume"]
"""What somebody outside wants of a process.  The newest wish holds, until another one is made."""


class AnswerRefused(ReactorError):
    """An answer changes nothing: nobody waits for it (any more), or it is not as it must be."""

    def __init__(self, form_id: str, problems: tuple[str, ...], *, is_open: bool) -> None:
        super().__init__(form_id, problems, is_open)
        self.form_id, self.problems = form_id, problems
        self.is_open = is_open  # a better answer would be heard

    def __str__(self) -> str:
        what_now = "; answer again" if self.is_open else ""
        return f"the answer to {self.form_id} is refused: {'; '.join(self.problems)}{what_now}"


def process_of(form_id: str) -> str:
    """The id of the process that a form belongs to."""
    return form_id.rpartition("-")[0]


def form_id(process_id: str, number: int) -> str:
    """The id of the request that the `number`th run of a process made."""
    return f"{process_id}-{number}"


def expiry(form: FormRequest) -> Answer:
    """What a timer answers when nobody did; always the same, so that it counts once."""
    return Answer(id=f"{form.id}-expired", form_id=form.id, by="timer", expired=True)
