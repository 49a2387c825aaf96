"""What models answered, as the journal keeps it: written with the action, read by a replay.

    models = RecordedModels.of(records)   # those of one process, or of many

An answer is found by all that was asked, so a replay that asks something else is told so.
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import cast

from reactor.ai.errors import ModelRefused
from reactor.ai.exchange import Finish, Reply, Request, ToolCall
from reactor.journal import JournalRecord, ModelAnswerData, ModelCallData

LONGEST = 20_000  # characters of an answer that are kept


def answer_data(request: Request, reply: Reply) -> ModelAnswerData:
    """One answer, for the journal."""
    calls = [ModelCallData(id=c.id, name=c.name, arguments=c.arguments) for c in reply.calls]
    size = len(reply.text) + sum(len(call["name"] + call["arguments"]) for call in calls)
    is_cut = size > LONGEST
    return ModelAnswerData(
        request=request.content_digest,
        model=request.model,
        text=reply.text[:LONGEST],
        calls=[] if is_cut else calls,
        finish=reply.finish,
        is_cut=is_cut,
    )


class RecordedModels:
    """Fits the port `Models`: the same answers to the same requests, in the order of the records."""

    def __init__(self, answers: Iterable[ModelAnswerData]) -> None:
        self._answers: dict[str, deque[ModelAnswerData]] = defaultdict(deque)
        for answer in answers:
            self._answers[answer["request"]].append(answer)

    @classmethod
    def of(cls, records: Iterable[JournalRecord]) -> "RecordedModels":
        """With all that these records hold."""
        ticks = (record.data for record in records if record.kind == "tick")
        return cls(
            answer
            for data in ticks
            for answer in cast("list[ModelAnswerData]", data.get("answers", []))
        )

    async def complete(self, request: Request) -> Reply:
        """What was answered.  Raises `ModelRefused` where the journal has no such answer."""
        kept = self._answers.get(request.content_digest)
        if not kept:
            raise ModelRefused(request.model, "request", "the journal has no answer to it")
        answer = kept.popleft()
        if answer["is_cut"]:
            raise ModelRefused(request.model, "request", "its answer was too long for the journal")
        return Reply(
            text=answer["text"],
            calls=tuple(ToolCall(**call) for call in answer["calls"]),
            finish=cast("Finish", answer["finish"]),
        )

    async def make_ready(self) -> None:
        """It is."""
