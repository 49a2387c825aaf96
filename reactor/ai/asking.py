"""Asking until the answer is usable: prompt -> call -> tools -> read -> told what was wrong.

One cap holds for all calls of one answer, whether they failed on the way or gave what could not
be read; only calls that end in the use of tools have a cap of their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from reactor.ai.answers import Answers
from reactor.ai.calling import Attempts, Caller, Payer
from reactor.ai.errors import BadAnswer
from reactor.ai.exchange import Message, Reply, Request
from reactor.ai.output import Output, Unreadable
from reactor.ai.tools import Tool

T = TypeVar("T")

_SHOWN_BACK = 4000  # characters of a bad answer that the model is shown again
_FEEDBACK = """\
That answer could not be used:
{fault}
Give the whole answer again, mended."""
_CUT_OFF = "It was cut off before its end; give a shorter one."
_NO_MORE_TOOLS = "No more tools may be called for this answer; answer with what is known now."


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a model, and how long it may take to answer it."""

    request: Request
    candidates: tuple[str, ...]
    tools: tuple[Tool, ...] = ()
    attempts: int = 4
    tool_rounds: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Asks on somebody's account."""

    caller: Caller
    answers: Answers
    payer: Payer

    async def text(self, question: Question) -> str:
        """Any text that is not empty.  Raises `BadAnswer` and what `Caller.call` raises."""
        return await self._ask(question, _some_text, "text")

    async def value(self, question: Question, output: Output[T]) -> T:
        """A value of the type.  Raises `BadAnswer` and what `Caller.call` raises."""
        request = replace(question.request, answer=output.answer)
        return await self._ask(replace(question, request=request), output.read, output.name)

    async def _ask(self, question: Question, read: Callable[[str], T], wanted: str) -> T:
        first = question.request.to(question.candidates[0])
        known = await self.answers.find(first) if not question.tools else None
        if known is not None:
            try:
                value = read(known)
                self.payer.on_reply(first, Reply(text=known))
                return value
            except Unreadable:  # it was kept for a type that has changed since
                pass
        reader = _Reader(self, question)
        value, text = await reader.run(read, wanted)
        if not question.tools:  # what tools say may be another thing tomorrow
            await self.answers.keep(first, text)
        return value


class _Reader:
    """The conversation of one question."""

    def __init__(self, asker: Asker, question: Question) -> None:
        self._asker, self._question = asker, question
        self._attempts = Attempts(question.attempts)
        self._rounds_left = question.tool_rounds if question.tools else 0
        self._messages = question.request.messages
        self._told: tuple[Message, ...] = ()  # the last bad answer, and what was wrong with it
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in question.tools}

    async def run(self, read: Callable[[str], T], wanted: str) -> tuple[T, str]:
        fault = ""
        while self._attempts.left > 0:
            reply = await self._call()
            if reply.calls and self._rounds_left > 0:
                await self._use_tools(reply)
                continue
            try:
                return _read(reply, read), reply.text
            except Unreadable as unreadable:
                fault = str(unreadable)
            if reply.finish != "refused":  # the same question again fares better than a quarrel
                self._tell_fault(reply, fault)
        raise BadAnswer(wanted, self._attempts.made, fault)

    async def _call(self) -> Reply:
        question = self._question
        schemas = tuple(tool.schema for tool in question.tools) if self._rounds_left else ()
        request = replace(question.request, messages=(*self._messages, *self._told), tools=schemas)
        asker = self._asker
        return await asker.caller.call(request, question.candidates, self._attempts, asker.payer)

    async def _use_tools(self, reply: Reply) -> None:
        """Let its calls be answered; the call of the model was no attempt at an answer."""
        self._rounds_left -= 1
        self._attempts.left += 1
        asked = Message(role="assistant", text=reply.text, calls=reply.calls)
        self._messages, self._told = (*self._messages, *self._told, asked), ()
        for call in reply.calls:
            tool = self._tools.get(call.name)
            known = ", ".join(self._tools)
            told = await tool.answer(call) if tool else f"There is no such tool; there are: {known}"
            if self._rounds_left == 0:
                told = f"{told}\n{_NO_MORE_TOOLS}"
            self._messages = (*self._messages, Message(role="tool", text=told, answers=call.id))

    def _tell_fault(self, reply: Reply, fault: str) -> None:
        """In the place of what was told before: older answers would only lead astray."""
        self._told = (
            Message(role="assistant", text=reply.text[:_SHOWN_BACK] or "(nothing)"),
            Message(role="user", text=_FEEDBACK.format(fault=fault)),
        )


def _read(reply: Reply, read: Callable[[str], T]) -> T:
    """Raises `Unreadable`."""
    if reply.finish == "refused":
        raise Unreadable("The model did not want to answer.")
    if reply.calls:
        raise Unreadable(_NO_MORE_TOOLS)
    try:
        return read(reply.text)
    except Unreadable as fault:
        raise Unreadable(
            f"{fault}\n{_CUT_OFF}" if reply.finish == "length" else str(fault)
        ) from None


def _some_text(text: str) -> str:
    if not text.strip():
        raise Unreadable("It was empty.")
    return text.strip()
