"""Picking: a model says which tools it wants to be called, and nobody calls them here.

For whoever carries the calls out by other means than `Ai.with_tools`.  A reply without a usable
call is answered with what was wrong, within the one cap on all calls of the question.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from reactor.ai.asking import Asker, Question
from reactor.ai.calling import Attempts
from reactor.ai.errors import BadAnswer
from reactor.ai.exchange import Message, Reply, Request, ToolCall, ToolSchema
from reactor.ai.output import Unreadable

T = TypeVar("T")

_SHOWN_BACK = 4000  # characters of a reply that the model is shown again
_FEEDBACK = """\
That could not be used:
{fault}
Call at least one of the tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picking:
    """Tools to pick from."""

    asker: Asker
    tools: tuple[ToolSchema, ...]

    async def pick(self, question: Question, read: Callable[[Reply], T]) -> T:
        """What `read` makes of a reply; it raises `Unreadable` to have the model asked again.

        Raises `BadAnswer` and what `Caller.call` raises.
        """
        first = replace(question.request, tools=self.tools).to(question.candidates[0])
        known = await self.asker.answers.find(first)
        if known is not None:
            try:
                found = read(reply := _reply(known))
                self.asker.payer.on_reply(first, reply)
                return found
            except (Unreadable, ValueError, KeyError, TypeError):  # kept in another shape
                pass
        reply, found = await self._ask(question, read)
        await self.asker.answers.keep(first, _written(reply))
        return found

    async def _ask(self, question: Question, read: Callable[[Reply], T]) -> tuple[Reply, T]:
        attempts, fault = Attempts(question.attempts), ""
        request = replace(question.request, tools=self.tools)
        while attempts.left > 0:
            reply = await self._call(request, question, attempts)
            try:
                return reply, _read(reply, read)
            except Unreadable as unreadable:
                fault = str(unreadable)
            if reply.finish != "refused":
                request = _with_fault(question.request, reply, fault, self.tools)
        raise BadAnswer("choice of tools", attempts.made, fault)

    async def _call(self, request: Request, question: Question, attempts: Attempts) -> Reply:
        asker = self.asker
        return await asker.caller.call(request, question.candidates, attempts, asker.payer)


def _read(reply: Reply, read: Callable[[Reply], T]) -> T:
    """Raises `Unreadable`."""
    if reply.finish == "refused":
        raise Unreadable("The model did not want to answer.")
    if not reply.calls:
        raise Unreadable("No tool was called.")
    return read(reply)


def _with_fault(
    request: Request, reply: Reply, fault: str, tools: tuple[ToolSchema, ...]
) -> Request:
    """The question, and the last reply in words: a call that nobody answers is no valid turn."""
    calls = "\n".join(f"{call.name}({call.arguments})" for call in reply.calls)
    said = "\n".join(filter(None, (reply.text, calls)))[:_SHOWN_BACK] or "(nothing)"
    told = (
        Message(role="assistant", text=said),
        Message(role="user", text=_FEEDBACK.format(fault=fault)),
    )
    return replace(request, messages=(*request.messages, *told), tools=tools)


def _written(reply: Reply) -> str:
    calls = [[call.id, call.name, call.arguments] for call in reply.calls]
    return json.dumps({"text": reply.text, "calls": calls})


def _reply(written: str) -> Reply:
    """Raises `ValueError`, `KeyError` and `TypeError` for what was not written by `_written`."""
    kept = json.loads(written)
    calls = tuple(
        ToolCall(id=str(id_), name=str(name), arguments=str(arguments))
        for id_, name, arguments in kept["calls"]
    )
    return Reply(text=str(kept["text"]), calls=calls, finish="tools")
