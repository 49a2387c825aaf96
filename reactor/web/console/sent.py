"""What was posted: the fields of a form on one of our pages, or the JSON of a program."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from reactor.payload import JSON, BadPayload, parse
from reactor.refusal import Refused

LARGEST = 256 * 1024  # bytes; people type less
WITHIN_S = 10.0  # or who sends a byte now and then keeps a connection for ever
_MOST_FIELDS = 2_000
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Sent:
    """A form has `fields`, in which a name may be several times; JSON is the `document`."""

    fields: tuple[tuple[str, str], ...] = ()
    document: Mapping[str, object] = field(default_factory=dict)
    is_form: bool = False

    def text(self, name: str, *, longest: int = 1_000) -> str:
        """One text; "" where there is none.  Raises `Refused` (400)."""
        if self.is_form:
            found: object = next((value for key, value in self.fields if key == name), "")
        else:
            found = self.document.get(name, "")
        if not isinstance(found, str) or len(found) > longest:
            raise _bad(f"{name!r} is a text of at most {longest:,} characters")
        return found.strip()

    def texts(self, name: str) -> list[str]:
        """Every value of a field."""
        return [value for key, value in self.fields if key == name]

    def flag(self, name: str) -> bool:
        """Yes or no: `true` or `false` of JSON, "yes" or "no" of a form.  Raises `Refused`."""
        found = self.document.get(name)
        if self.is_form:
            found = {"yes": True, "no": False}.get(self.text(name))
        if not isinstance(found, bool):
            raise _bad(f"{name!r} is {'yes or no' if self.is_form else 'true or false'}")
        return found

    def check_names(self, *known: str) -> None:
        """Raise `Refused` (400) for a name in JSON that means nothing: it may be misspelt."""
        if unknown := sorted(self.document.keys() - set(known)):
            raise _bad(f"{unknown[0][:64]!r} means nothing here; known: {', '.join(known)}")


def sent_of(request: Request) -> Sent:
    """What the guard has read; nothing where it has not."""
    sent = getattr(request.state, "sent", None)
    return sent if isinstance(sent, Sent) else Sent()


async def read_form(request: Request) -> Sent:
    """The form that was posted.  Raises `Refused`."""
    if _media_type(request) != _FORM:
        raise Refused(415, "media_type", "this is no form of ours", where="header Content-Type",
                      fix="send forms from their page; programs post JSON under /api")  # fmt: skip
    try:
        text = (await _body(request)).decode("ascii")
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError as bad:  # not ASCII, not UTF-8 once unquoted, too many
        raise _bad("the form can't be read") from bad
    return Sent(fields=tuple(pairs), is_form=True)


async def read_json(request: Request) -> Sent:
    """The JSON object that a program has posted.  Raises `Refused`.

    A page of somebody else's can have a browser send forms and plain text to us, but no JSON:
    for that it would have to ask first, and nobody answers.
    """
    if _media_type(request) != JSON:
        raise Refused(415, "media_type", "this takes JSON", where="header Content-Type",
                      fix=f"send one object as {JSON}, {{}} if there is nothing to say")  # fmt: skip
    try:
        return Sent(document=parse(await _body(request)))
    except BadPayload as bad:
        raise Refused(400, "body", bad.reason, where=bad.where,
                      fix="send one JSON object, encoded as UTF-8") from bad  # fmt: skip


async def _body(request: Request) -> bytes:
    """All of it, in time.  Raises `Refused`: 400 for who hangs up, 408, 413."""
    body = bytearray()
    try:
        async with asyncio.timeout(WITHIN_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST:
                    raise Refused(413, "too_large", f"this has more than {LARGEST:,} bytes",
                                  where="body", fix="send less")  # fmt: skip
    except TimeoutError:
        raise Refused(408, "slow", f"this did not arrive within {WITHIN_S:g} s", where="body",
                      fix="send it again") from None  # fmt: skip
    except ClientDisconnect:  # nobody waits for the answer
        raise Refused(400, "cut_off", "the sender hung up", where="body",
                      fix="send it again") from None  # fmt: skip
    return bytes(body)


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _bad(what: str) -> Refused:
    return Refused(400, "body", what, where="body", fix="mend it and send it again")
