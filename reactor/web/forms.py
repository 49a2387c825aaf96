"""`GET /api/forms` and `POST /api/forms/{id}`: what people are asked, and their answers.

A list is `{"forms": [...]}` with the fields of `reactor.waiting.FormRequest`.  An answer is
`{"value": ...}` to a form and `{"approved": true|false}` to a confirmation, with `"by"` (who
answers) and `"id"` if its sender may have to send it again.  202: it is durable, and on its way
to its process; of several, the first one counts.
"""

import secrets
from collections.abc import Mapping
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from reactor.answering import AnswerDesk, UnknownForm
from reactor.payload import JSON, BadPayload, parse
from reactor.refusal import Refused
from reactor.waiting import Answer, AnswerRefused
from reactor.web.answers import json_answer, refused_with

LARGEST_ANSWER = 256 * 1024  # bytes; people type less
_LONGEST_ID = 128  # characters of an answer's id, and of a name
_KNOWN = frozenset({"value", "approved", "by", "id"})


class Forms:
    """Endpoints over an `AnswerDesk`."""

    def __init__(self, desk: AnswerDesk) -> None:
        self._desk = desk

    async def listed(self, _: Request) -> Response:
        """Every open form, the newest first."""
        forms = await self._desk.open_forms()
        return json_answer({"forms": [asdict(form) for form in forms]})

    async def one(self, request: Request) -> Response:
        """One open form."""
        try:
            return json_answer(asdict(await self._desk.form(request.path_params["form"])))
        except UnknownForm as unknown:
            raise unknown_form(unknown) from unknown

    async def answer(self, request: Request) -> Response:
        """Take an answer."""
        answer = answer_said(request.path_params["form"], await document(request))
        try:
            taken = await self._desk.take(answer)
        except UnknownForm as unknown:
            raise unknown_form(unknown) from unknown
        except AnswerRefused as refused:
            return refused_with(_unfit(refused), faults=refused.problems)
        told = {"form": answer.form_id, "answer": answer.id, "status": "accepted"}
        return json_answer(told | {"process": taken.form.process_id}, status=202)


async def document(request: Request) -> dict[str, object]:
    """The JSON object that was sent.

    A page of somebody else's can have a browser send forms and plain text to us, but no JSON:
    for that it would have to ask first, and nobody answers.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Refused(415, "media_type", "an answer is JSON", where="header Content-Type",
                      fix=f"send it as {JSON}")  # fmt: skip
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_ANSWER:
            raise Refused(413, "too_large", f"the answer has more than {LARGEST_ANSWER:,} bytes",
                          where="body", fix="send less")  # fmt: skip
    try:
        return parse(bytes(body))
    except BadPayload as bad:
        raise Refused(400, "body", bad.reason, where=bad.where,
                      fix="send one JSON object, encoded as UTF-8") from bad  # fmt: skip


def answer_said(form_id: str, told: Mapping[str, object]) -> Answer:
    """The answer that a program sends.  Raises `Refused`."""
    by, answer_id = told.get("by", ""), told.get("id", "") or secrets.token_hex(12)
    faults = [f"{name!r} means nothing here" for name in sorted(told.keys() - _KNOWN)]
    if ("value" in told) == ("approved" in told):
        faults.append("give either `value` or `approved`")
    if not isinstance(told.get("approved", True), bool):
        faults.append("`approved` is true or false")
    faults += [
        f"`{name}` is a text of at most {_LONGEST_ID} characters that can be printed"
        for name, text in (("by", by), ("id", answer_id))
        if not isinstance(text, str) or len(text) > _LONGEST_ID or not text.isprintable()
    ]
    if faults:
        raise Refused(400, "answer", "; ".join(faults), where="body",
                      fix='send {"value": ...} or {"approved": true}, with "by"')  # fmt: skip
    approved = bool(told["approved"]) if "approved" in told else None
    return Answer(
        id=str(answer_id),
        form_id=form_id,
        by=str(by),
        value=told.get("value"),
        approved=approved,
    )


def unknown_form(_: UnknownForm) -> Refused:
    """What is said of it."""
    return Refused(
        404,
        "unknown_form",
        "nobody waits for an answer to this form",
        where="path",
        fix="it was answered, or has expired, or its process has ended: GET /api/forms lists"
        " those that are open",
    )


def _unfit(refused: AnswerRefused) -> Refused:
    return Refused(
        422,
        "answer_refused",
        "the answer is not what the form asks for",
        where="body",
        fix="mend what `faults` lists, by the `schema` of the form, and answer again",
    )
