"""Questions in writing, and answers read: between what actions ask and what is kept of it.

Pure but for the catalog of types.  What an action asks wrongly is a failure of the action
(`WrongResult`); what is answered wrongly is refused with all faults (`AnswerRefused`).
"""

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from reactor.blackboard import UnknownValue
from reactor.catalog import AmbiguousTypeName, TypeCatalog, UnknownTypeName, stable_name
from reactor.encoded import Encoded, UnstorableValue
from reactor.failure import WrongResult, in_one_line
from reactor.installed import Action
from reactor.result import Either, One, Shape
from reactor.status import Run
from reactor.wait_for import Question
from reactor.waiting import Answer, AnswerRefused, Confirmation, FormRequest, form_id

NO_ANSWER = object()
"""What an expired form without a default is answered with."""


def write_form(
    question: Question, action: Action, catalog: TypeCatalog, *, run: tuple[str, int], now: datetime
) -> FormRequest:
    """The question as it is kept.  `run`: the process and the number of its run.

    Raises `WrongResult`.
    """
    model = question.model
    if not _may_be(action.signature.result, model):
        problem = f"waits for a {model.__name__}, which it does not declare to return"
        raise WrongResult(action.name, problem)
    if question.default is not None and not isinstance(question.default, model):
        problem = f"has a default that is no {model.__name__}"
        raise WrongResult(action.name, problem)
    try:
        default = _written(question.default, catalog)
        payload = _written(question.payload, catalog)
        schema = TypeAdapter(model).json_schema() if question.kind == "form" else {}
    except UnstorableValue as error:
        raise WrongResult(action.name, f"asks with what can't be kept: {error}") from error
    except Exception as error:
        problem = f"asks for a {model.__name__}, of which no form can be made"
        raise WrongResult(action.name, f"{problem}: {in_one_line(error)}") from error
    process_id, number = run
    return FormRequest(
        id=form_id(process_id, number),
        process_id=process_id,
        action=action.name,
        kind=question.kind,
        model=stable_name(model),
        title=question.title,
        text=question.text,
        schema=schema,
        payload_type=payload.type_name if payload else "",
        payload=payload.json.decode() if payload else "",
        asked_at=now,
        expires_at=now + question.expires if question.expires is not None else None,
        default=default.json.decode() if default else "",
    )


def read_answer(
    answer: Answer, form: FormRequest, catalog: TypeCatalog, *, now: datetime
) -> object:
    """The fact that the answer is, or `NO_ANSWER`.  Raises `AnswerRefused`."""
    if answer.expired:
        return _read_default(form, catalog, now)
    if form.kind == "confirm":
        if answer.approved is None:
            raise _refused(form, "say whether it is approved: true or false")
        return Confirmation(approved=answer.approved, by=answer.by)
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(catalog.named(form.model))
        value = adapter.validate_json(to_json(answer.value))
        catalog.check(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        raise _refused(form, *(_fault(fault["loc"], fault["msg"]) for fault in faults)) from None
    except (UnknownTypeName, AmbiguousTypeName, UnstorableValue) as error:
        raise _refused(form, str(error)) from error
    except Exception as error:  # validators are other people's code, and raise anything
        raise _refused(form, in_one_line(error)) from error
    return value


def answered_run(form: FormRequest, asked: Run, *, epoch: int, now: datetime) -> Run:
    """What the history says of an answer; `asked`: the run that asked."""
    return Run(
        action=form.action,
        started_at=form.asked_at,
        duration_s=(now - form.asked_at).total_seconds(),
        outcome="answered",
        epoch=epoch,
        consumed=asked.consumed,
    )


def _read_default(form: FormRequest, catalog: TypeCatalog, now: datetime) -> object:
    if form.expires_at is None or now < form.expires_at:
        raise _refused(form, "it has not expired")
    if not form.default:
        return NO_ANSWER
    value = catalog.decode(form.model, form.default.encode())
    if isinstance(value, UnknownValue):
        raise _refused(form, f"its default can't be read any more: {form.model}")
    return value


def _may_be(shape: Shape, kind: type) -> bool:
    """Whether a single value of that class is of the shape."""
    match shape:
        case One(declared):
            return issubclass(kind, declared)
        case Either(options):
            return any(_may_be(option, kind) for option in options)
        case _:  # a person fills in one form, and no list or tuple of them
            return False


def _written(value: object, catalog: TypeCatalog) -> Encoded | None:
    if value is None:
        return None
    catalog.check(value)
    return catalog.encode(value)


def _refused(form: FormRequest, *problems: str) -> AnswerRefused:
    return AnswerRefused(form.id, problems, is_open=True)


def _fault(place: tuple[int | str, ...], message: str) -> str:
    where = ".".join(map(str, place))
    return f"{where}: {message}" if where else message
