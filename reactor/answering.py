"""The desk where people find what they are asked, and hand in answers.

An answer is looked at here, so that whoever gives it learns at once what is wrong with it; then
it is put on the signals topic, and the worker that has the process lets it in.  Needs no
component to be installed: a form brings the schema of its answer along.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reactor.errors import ReactorError
from reactor.ports import Boards, Clock, OpenForms
from reactor.signal import answering, as_delivery
from reactor.topic import DeliveryLog, Position
from reactor.waiting import Answer, AnswerRefused, FormRequest, process_of

MOST_LISTED = 200


class UnknownForm(ReactorError):
    """Nobody waits for an answer to this form."""

    def __init__(self, form_id: str) -> None:
        super().__init__(form_id)
        self.form_id = form_id

    def __str__(self) -> str:
        return (
            f"nobody waits for an answer to {self.form_id!r}: it was answered or has expired, its"
            " process has ended, or there never was one; `reactor forms` lists those that are open"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """An answer that is durable, and on its way to its process."""

    answer: Answer
    form: FormRequest
    position: Position | None  # None: it is kept, and not on its topic yet


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDesk:
    """Lists open forms and takes answers.  Every method may raise `InfrastructureError`."""

    boards: Boards
    signals: DeliveryLog
    forms: OpenForms
    clock: Clock

    async def open_forms(self, *, limit: int = MOST_LISTED) -> list[FormRequest]:
        """What people are asked now, the newest first."""
        found = []
        for form_id in await self.forms.newest(limit=limit):
            try:
                found.append(await self.form(form_id))
            except UnknownForm:  # answered by now, or its process ended some other way
                await self.forms.remove(form_id)
        return found

    async def form(self, form_id: str) -> FormRequest:
        """One of them.  Raises `UnknownForm`."""
        stored = await self.boards.read(process_of(form_id))
        for form in stored.head.forms if stored else ():
            if form.id == form_id:
                return form
        raise UnknownForm(form_id)

    async def take(self, answer: Answer) -> Taken:
        """Return once the answer is durable.

        Raises `UnknownForm`, and `AnswerRefused` with all that is wrong with it.  Of several
        answers that are taken, the process heeds the first.
        """
        form = await self.form(answer.form_id)
        if faults := tuple(_faults(answer, form)):
            raise AnswerRefused(form.id, faults, is_open=True)
        delivery = as_delivery(answering(answer), at=self.clock.now())
        position = await self.signals.append(delivery)
        return Taken(answer=answer, form=form, position=position)


def _faults(answer: Answer, form: FormRequest) -> Iterator[str]:
    """What a person can see is wrong; the process looks again, with the types themselves."""
    if form.kind == "confirm":
        if answer.approved is None:
            yield "say whether it is approved: true or false"
        return
    if answer.approved is not None:
        yield "it is a form and no confirmation: fill it in"
        return
    from jsonschema import Draft202012Validator

    problems = Draft202012Validator(form.schema).iter_errors(answer.value)
    for problem in sorted(problems, key=lambda found: list(map(str, found.absolute_path))):
        where = ".".join(map(str, problem.absolute_path))
        yield f"{where}: {problem.message}" if where else problem.message
