"""What people are asked, and their answers: forms of processes that wait, and approvals."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from starlette.requests import Request

from reactor.answering import UnknownForm
from reactor.approvals import UnknownApproval, told_held
from reactor.refusal import Refused
from reactor.waiting import Answer, AnswerRefused, FormRequest
from reactor.web.console.areas import Change, Done, Resource, Unfit
from reactor.web.console.desks import HEARD_S, Desk
from reactor.web.console.fields import (
    Faults,
    Field,
    faults_by_field,
    fields_of,
    typed_into,
    value_of,
)
from reactor.web.console.sent import Sent, sent_of
from reactor.web.console.viewer import said_by
from reactor.web.forms import answer_said, unknown_form

_LONGEST_REASON = 1_000  # characters


class Asked:
    """Forms to fill in, and changes to approve."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def resources(self) -> tuple[Resource, ...]:
        """To look at; not live, as people type there."""
        return (
            Resource("/forms", "/api/forms", "forms.html", self._all, is_live=False),
            Resource("/forms/{id}", "/api/forms/{id}", "form.html", self._form, is_live=False),
            Resource("/approvals", "/api/approvals", "forms.html", self._waiting, is_live=False),
        )

    @property
    def changes(self) -> tuple[Change, ...]:
        """To do."""
        return (
            Change("/forms/{id}", "/api/forms/{id}", self._answer),
            Change("/approvals/{id}", "/api/approvals/{id}", self._rule),
        )

    async def _all(self, request: Request) -> Mapping[str, Any]:
        forms = await self._desk.answers.open_forms()
        return {"forms": [told_form(form) for form in forms], **await self._waiting(request)}

    async def _waiting(self, _: Request) -> Mapping[str, Any]:
        waiting = await self._desk.approvals.waiting()
        return {"approvals": [told_held(held) for held in waiting]}

    async def _form(self, request: Request) -> Mapping[str, Any]:
        return told_form(await self._found(request))

    async def _found(self, request: Request) -> FormRequest:
        try:
            return await self._desk.answers.form(request.path_params["id"])
        except UnknownForm as unknown:
            raise unknown_form(unknown) from unknown

    async def _answer(self, request: Request) -> Done:
        sent, form = sent_of(request), await self._found(request)
        fields = _filled(form, sent)
        try:
            answer = _said(form, sent, fields, by=said_by(request))
            taken = await self._desk.answers.take(answer)
        except Faults as faults:
            raise _unfit(form, fields, faults.by_field) from faults
        except AnswerRefused as refused:
            raise _unfit(form, fields, faults_by_field(refused.problems, fields)) from refused
        except UnknownForm as unknown:
            raise unknown_form(unknown) from unknown
        told = {"form": form.id, "answer": answer.id, "status": "accepted"}
        if sent.is_form:
            await self._desk.heard(form.id, within_s=HEARD_S)
        process = taken.form.process_id
        return Done(told | {"process": process}, f"/processes/{process}?said=answered")

    async def _rule(self, request: Request) -> Done:
        sent, approval = sent_of(request), request.path_params["id"]
        sent.check_names("approved", "by", "reason")
        is_approved, reason = (
            sent.flag("approved"),
            sent.text("reason", longest=_LONGEST_REASON),
        )
        try:
            ruled = await self._desk.approvals.rule(
                approval, is_approved=is_approved, by=said_by(request), reason=reason
            )
        except UnknownApproval as unknown:
            raise Refused(
                404,
                "unknown_approval",
                "nothing of this id waits for approval",
                where="path",
                fix="somebody ruled on it, or it has expired: see /forms for what waits",
            ) from unknown
        if sent.is_form:
            await self._desk.ruled(ruled.held, within_s=HEARD_S)
        process = ruled.held.intent.process_id
        told = {"approval": approval, "status": "accepted", "process": process}
        said = "approved" if is_approved else "rejected"
        return Done(told, f"/forms?said={said}")


def told_form(form: FormRequest) -> dict[str, Any]:
    """One, for pages and programs; `fields` are what a page makes of its schema."""
    told = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asdict(form).items()
    }
    return told | {"fields": [told_field(each) for each in _fields(form)]}


def told_field(field: Field) -> dict[str, Any]:
    """One field, for pages and programs."""
    schema = field.part.schema
    limits = {
        "minimum": "min",
        "maximum": "max",
        "maxLength": "maxlength",
        "minLength": "minlength",
    }
    return {
        "name": field.name,
        "place": ".".join(field.part.path),
        "label": field.label,
        "help": field.help,
        "kind": field.kind,
        "options": [asdict(option) for option in field.options],
        "given": list(field.given),
        "required": field.is_required,
        "whole": schema.get("type") == "integer",
        "limits": {
            ours: schema[theirs]
            for theirs, ours in limits.items()
            if isinstance(schema.get(theirs), int | float)
        },
    }


def _fields(form: FormRequest) -> tuple[Field, ...]:
    if form.kind == "confirm":
        return ()
    return fields_of(form.schema, json.loads(form.default) if form.default else None)


def _filled(form: FormRequest, sent: Sent) -> tuple[Field, ...]:
    fields = _fields(form)
    return typed_into(fields, sent.fields) if sent.is_form else fields


def _said(form: FormRequest, sent: Sent, fields: Sequence[Field], *, by: str) -> Answer:
    """Raises `Faults`, `Refused`."""
    if not sent.is_form:
        return answer_said(form.id, {**sent.document, "by": by})
    answer_id = secrets.token_hex(12)
    if form.kind == "confirm":
        return Answer(id=answer_id, form_id=form.id, by=by, approved=sent.flag("approved"))
    return Answer(id=answer_id, form_id=form.id, by=by, value=value_of(fields))


def _unfit(form: FormRequest, fields: Sequence[Field], faults: Mapping[str, str]) -> Unfit:
    told = told_form(form) | {"fields": [told_field(each) for each in fields]}
    return Unfit("form.html", told, faults)
