"""What models answered, as the journal keeps it: written with the action, read by a replay.

    ai = ai.recalled()   # asks nobody: within `recalling(records)` it is told what stands there

An answer is found by all that was asked, so a replay that asks something else is told so.  Bad
answers are there as well, and that there was none.
"""

from dataclasses import dataclass
from typing import cast

from reactor.ai.calling import Attempts, Caller, Payer
from reactor.ai.circuit import Circuits
from reactor.ai.errors import ModelRefused, ModelUnavailable
from reactor.ai.exchange import Finish, Reply, Request, ToolCall, Usage
from reactor.calls import heard_now
from reactor.journal import ModelAnswerData, ModelCallData
from reactor.recalling import recollections_now
from reactor.service_calls import error_data, error_of

LONGEST = 20_000  # characters of an answer that are kept


def answer_data(request: Request, reply: Reply) -> ModelAnswerData:
    """One answer, for the journal."""
    calls = [ModelCallData(id=c.id, name=c.name, arguments=c.arguments) for c in reply.calls]
    size = len(reply.text) + sum(len(call["name"] + call["arguments"]) for call in calls)
    is_cut = size > LONGEST
    told = ModelAnswerData(
        request=request.content_digest,
        model=request.model,
        text=reply.text[:LONGEST],
        calls=[] if is_cut else calls,
        finish=reply.finish,
        is_cut=is_cut,
    )
    usage = reply.usage
    if usage.prompt_tokens or usage.completion_tokens:
        told["tokens"] = [usage.prompt_tokens, usage.completion_tokens]
    return told


def failure_data(request: Request, error: Exception) -> ModelAnswerData:
    """That there was no answer, for the journal."""
    return ModelAnswerData(
        request=request.content_digest,
        model=request.model,
        text="",
        calls=[],
        finish="failed",
        is_cut=False,
        error=error_data(error),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledCaller(Caller):
    """Tells what was answered then, to the process that is replayed; nobody is asked."""

    async def call(
        self, request: Request, candidates: tuple[str, ...], attempts: Attempts, payer: Payer
    ) -> Reply:
        """Raises what was raised then, and `ModelRefused` where the journal has no such answer."""
        attempts.use()
        told = _told(request, candidates)
        if "error" in told:
            error = error_of(told["error"])
            payer.on_failure(request, error)
            raise error
        model, (asked, written) = told["model"], told.get("tokens", [0, 0])
        cost_usd = self.price_of(model).of(asked, written)
        usage = Usage(prompt_tokens=asked, completion_tokens=written, cost_usd=cost_usd)
        if asked or written:
            payer.on_usage(model, usage)
        reply = Reply(
            text=told["text"],
            calls=tuple(ToolCall(**call) for call in told["calls"]),
            finish=cast("Finish", told["finish"]),
            usage=usage,
        )
        payer.on_reply(request.to(model), reply)
        return reply

    async def why_away(self, candidates: tuple[str, ...], payer: Payer) -> str:
        """There is always the journal to be asked; that a model was away stands there as well."""
        return ""


def recalled_caller(like: Caller) -> RecalledCaller:
    """With the prices of a real one, and nothing else of it."""
    return RecalledCaller(models=_Nobody(), circuits=Circuits(lambda: 0.0), price_of=like.price_of)


def _told(request: Request, candidates: tuple[str, ...]) -> ModelAnswerData:
    recollections, heard = recollections_now(), heard_now()
    if recollections is None or heard is None:
        raise ModelRefused(request.model, "request", "nothing is replayed here")
    told = recollections.answer(
        heard, [request.to(model).content_digest for model in candidates], model=request.model
    )
    if told is None:
        raise ModelRefused(request.model, "request", "the journal has no answer to it")
    if told["is_cut"]:
        raise ModelRefused(request.model, "request", "its answer was too long for the journal")
    return told


class _Nobody:
    """Fits the port `Models`, and is never asked."""

    async def complete(self, request: Request) -> Reply:
        """Raises `ModelUnavailable`."""
        raise ModelUnavailable(request.model, "this is a replay")

    async def make_ready(self) -> None:
        """It is."""
