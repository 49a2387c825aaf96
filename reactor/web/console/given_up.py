"""What was given up: dead letters to inspect, drive again or drop, and effects to send again."""

import base64
from collections.abc import Mapping
from typing import Any, Protocol

from starlette.requests import Request

from reactor.dead import DeadDesk, Entry, NotDrivable, Selection, UnknownLetter
from reactor.given_up import told_effects, told_letter, told_letters
from reactor.ledger import Ledger
from reactor.ports import Clock
from reactor.refusal import Refused
from reactor.topic import DeadLetter
from reactor.unsent import NotGivenUp, in_order
from reactor.unsent import Selection as UnsentSelection
from reactor.unsent import listed as listed_unsent
from reactor.web.console.areas import Change, Done, Resource
from reactor.web.console.sent import Sent, sent_of
from reactor.web.console.viewer import said_by

MOST = 100  # letters, and effects, on one page
_LONGEST_BODY = 200_000  # characters that are shown
_WORDS = ("reason", "repo", "event", "delivery")
_MOST_IDS = 500  # that are done in one go


class Dead(Protocol):
    """Letters, and the bytes that they came with; `wiring.dead.DeadParts` fits."""

    @property
    def desk(self) -> DeadDesk:
        """Lists them, and does something about them."""
        ...

    async def original(self, letter: DeadLetter) -> bytes:
        """The body as it was sent."""
        ...


class GivenUpPages:
    """Both of them; not live, since the whole topic is read for its letters."""

    def __init__(self, dead: Dead, ledger: Ledger, clock: Clock) -> None:
        self._dead, self._ledger, self._clock = dead, ledger, clock

    @property
    def resources(self) -> tuple[Resource, ...]:
        """To look at."""
        return (
            Resource("/dead", "/api/dead", "dead.html", self._all, is_live=False),
            Resource("/dead/{id}", "/api/dead/{id}", "letter.html", self._one, is_live=False),
            Resource("/effects", "/api/effects", "effects.html", self._effects, is_live=False),
        )

    @property
    def changes(self) -> tuple[Change, ...]:
        """To do."""
        return (
            Change("/dead", "/api/dead", self._do),
            Change("/effects", "/api/effects", self._send_again),
        )

    async def _all(self, request: Request) -> Mapping[str, Any]:
        query = request.query_params
        words = {name: query.get(name, "").strip() for name in _WORDS}
        with_handled = query.get("all", "") == "yes"
        selection = Selection(
            reason=words["reason"],
            repo=words["repo"],
            event=words["event"],
            delivery=words["delivery"],
            is_handled_too=with_handled,
        )
        found = await self._dead.desk.listed(selection)
        return {
            "letters": told_letters(found[:MOST]),
            "found": len(found),
            "search": words | {"all": "yes" if with_handled else ""},
            **await self._effects(request),
        }

    async def _effects(self, _: Request) -> Mapping[str, Any]:
        found = await listed_unsent(self._ledger, UnsentSelection())
        return {"effects": told_effects(found[:MOST]), "effects_found": len(found)}

    async def _one(self, request: Request) -> Mapping[str, Any]:
        entry = await self._found(request.path_params["id"])
        body = await self._dead.original(entry.letter)
        told = told_letter(entry, body)
        text = str(told["body"])
        return told | {
            "body": text[:_LONGEST_BODY],
            "body_bytes": len(body),
            "body_base64": base64.b64encode(body).decode(),
            "is_cut": len(text) > _LONGEST_BODY,
            "is_text": text.encode("utf-8", "replace") == body,
        }

    async def _found(self, letter: str) -> Entry:
        try:
            return await self._dead.desk.one(letter)
        except UnknownLetter as unknown:
            raise Refused(
                404,
                "unknown_letter",
                "no dead letter has this id",
                where="path",
                fix="see /dead?all=yes for those that are there, retried and dropped ones included",
            ) from unknown

    async def _do(self, request: Request) -> Done:
        """Drive letters again, or drop them; each is told of by itself."""
        sent = sent_of(request)
        sent.check_names("do", "ids", "by")
        task, ids = sent.text("do"), _ids(sent)
        if task not in ("retry", "drop"):
            raise _bad("`do` is retry or drop")
        desk, by = self._dead.desk, said_by(request)
        done, skipped = list[str](), dict[str, str]()
        wanted = Selection(ids=tuple(ids), is_handled_too=True)
        async for entry in desk.chosen(wanted):
            if entry.id not in ids:
                continue
            try:
                if task == "retry":
                    await desk.retry(entry, by=by, at=self._clock.now())
                else:
                    await desk.drop(entry, by=by, at=self._clock.now())
            except NotDrivable as error:
                skipped[entry.id] = error.why
            else:
                done.append(entry.id)
        gone = [each for each in ids if each not in done and each not in skipped]
        skipped |= dict.fromkeys(gone, "there is none of this id")
        word = "retried" if task == "retry" else "dropped"
        told = {word: done, "skipped": skipped}
        return Done(told, f"/dead?said={'skipped' if skipped else word}")

    async def _send_again(self, request: Request) -> Done:
        """Have effects sent again that were given up."""
        sent = sent_of(request)
        sent.check_names("ids", "by")
        try:
            found = await listed_unsent(self._ledger, UnsentSelection(keys=tuple(_ids(sent))))
        except NotGivenUp as unknown:
            raise Refused(
                404, "unknown_effect", f"no effect {unknown.key[:64]!r} is given up", where="body",
                fix="it was driven again by now, or was done: see /effects",
            ) from unknown  # fmt: skip
        done = [
            each.intent.key
            for each in in_order(found)
            if await self._ledger.retry(each, now=self._clock.now())
        ]
        return Done({"retried": done}, "/dead?said=sent_again")


def _ids(sent: Sent) -> list[str]:
    """The ids that are meant, each once.  Raises `Refused`."""
    told = sent.texts("ids") if sent.is_form else sent.document.get("ids")
    ids = list(dict.fromkeys(each for each in told if isinstance(each, str) and each)) if (
        isinstance(told, list)
    ) else []  # fmt: skip
    if not ids and sent.is_form:
        raise Refused(400, "body", "nothing is chosen", where="the form",
                      fix="go back, and mark at least one")  # fmt: skip
    if not ids:
        raise _bad("`ids` lists at least one")
    if len(ids) > _MOST_IDS:
        raise _bad(f"at most {_MOST_IDS} in one go")
    return ids


def _bad(what: str) -> Refused:
    return Refused(400, "body", what, where="body", fix="mend it and send it again")
