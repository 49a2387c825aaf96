"""Answers of models are in the journal, and a replay has them from there."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from reactor import (
    Package,
    PassingError,
    Platform,
    Process,
    RetryPolicy,
    UtilityInvocation,
    action,
    component,
)
from reactor.ai import Ai, BadAnswer, ModelRefused, ModelUnavailable
from reactor.ai.calling import Attempts, Caller, Payer
from reactor.ai.circuit import Circuits
from reactor.ai.exchange import Message, Reply, Request, ToolCall, Usage
from reactor.ai.recorded import LONGEST, answer_data, failure_data, recalled_caller
from reactor.ai.scripted import ScriptedModels
from reactor.calls import Heard, hearing
from reactor.journal import JournalRecord, ModelAnswerData
from reactor.recalling import recalling
from reactor.recording import recording
from reactor.testing import FakeAi, ran

AT = datetime(2026, 3, 1, tzinfo=UTC)
REQUEST = Request(model="fake", messages=(Message(role="user", text="How many?"),))


@dataclass(frozen=True)
class Number:
    value: int


@component(name="team")
class Team:
    """Asks twice, the second time after a failure of its own."""

    def __init__(self) -> None:
        self.tries = 0

    @action(value=0.5, retry=RetryPolicy(attempts=2, first_delay_s=0.0))
    async def count(self, ai: Ai) -> Number:
        self.tries += 1
        first = await ai.create_object("How many?", Number)
        if self.tries % 2:
            raise PassingError("once more")
        second = await ai.create_object("And then?", Number)
        return Number(first.value + second.value)


async def run(ai: Ai) -> Process:
    team = Package(name="team", components=(Team(),))
    platform = Platform(packages=[team], services=recording({Ai: ai}))
    return await UtilityInvocation.on(platform).terminate_when_stuck().run_async()


async def replay(process: Process) -> tuple[Process, Mapping[str, Sequence[str]]]:
    """From its journal as it is kept, as JSON; and which calls that does not tell."""
    records = [replace(r, data=json.loads(json.dumps(r.data))) for r in process.journal]
    with recalling({process.id: records}) as unrecorded:
        return await run(FakeAi().recalled()), unrecorded


async def test_a_replay_has_the_same_answers_bad_ones_included() -> None:
    recorded = await run(FakeAi(Number(1), "no number", Number(2), Number(30)))

    again, unrecorded = await replay(recorded)

    assert recorded.board.last(Number) == Number(32)
    assert again.board.last(Number) == Number(32)
    assert (ran(again), again.history[0].attempts) == (ran(recorded), 2)
    assert [len(tick.get("answers", [])) for tick in recorded.decisions] == [4]  # type: ignore[arg-type]
    assert again.decisions[0]["answers"] == recorded.decisions[0]["answers"]
    assert unrecorded == {}


async def test_what_came_of_an_action_that_failed_is_kept_as_well() -> None:
    recorded = await run(FakeAi(*["no number"] * 12))

    again, _ = await replay(recorded)

    assert recorded.history[0].outcome == "failed"
    assert BadAnswer.__name__ in recorded.history[0].error
    assert [run.error for run in again.history] == [run.error for run in recorded.history]


async def test_a_model_that_failed_then_fails_in_a_replay_in_the_same_way() -> None:
    recorded = await run(FakeAi(ModelUnavailable("fake", "it is down", 60.0)))

    again, unrecorded = await replay(recorded)

    assert "it is down" in recorded.history[0].error
    assert [(run.error, run.passing) for run in again.history] == [
        (run.error, run.passing) for run in recorded.history
    ]
    assert unrecorded == {}


async def test_that_no_model_was_to_be_had_is_known_to_a_replay() -> None:
    recorded = await run(FakeAi())

    again, _ = await replay(recorded)

    assert ran(recorded) == ran(again) == []
    assert again.journal[-1].data == recorded.journal[-1].data


def recorded(*answers: ModelAnswerData) -> dict[str, list[JournalRecord]]:
    """The records of a process whose only tick was told these."""
    told = {"tick": 1, "started_at": AT.isoformat(), "answers": list(answers)}
    return {"p-1": [JournalRecord(process_id="p-1", seq=2, kind="tick", at=AT, data=told)]}


async def ask(request: Request) -> Reply:
    caller = recalled_caller(Caller(models=ScriptedModels([]), circuits=Circuits(lambda: 0.0)))
    with hearing(Heard(process_id="p-1", tick=1)):
        return await caller.call(request, ("fake",), Attempts(4), Payer())


async def test_a_request_that_was_not_made_then_is_refused_and_noted() -> None:
    with recalling(recorded(answer_data(REQUEST, Reply(text="4")))) as unrecorded:
        first = await ask(REQUEST)
        known = dict(unrecorded)
        with pytest.raises(ModelRefused, match="the journal has no answer"):
            await ask(REQUEST)
        with pytest.raises(ModelRefused, match="the journal has no answer"):
            await ask(replace(REQUEST, temperature=0.9))

    assert (first.text, known) == ("4", {})
    assert unrecorded == {"p-1": ["model fake"]}


async def test_calls_of_tools_come_back_as_they_were_and_what_they_took() -> None:
    calls = (ToolCall(id="1", name="look", arguments='{"at": "it'),)
    usage = Usage(prompt_tokens=7, completion_tokens=3)
    reply = Reply(text="", calls=calls, finish="tools", usage=usage)

    with recalling(recorded(answer_data(REQUEST, reply))):
        again = await ask(REQUEST)

    assert again == reply


async def test_an_answer_that_is_too_long_for_the_journal_is_no_answer_to_a_replay() -> None:
    kept = answer_data(REQUEST, Reply(text="x" * (LONGEST + 1)))

    with (
        recalling(recorded(kept)) as unrecorded,
        pytest.raises(ModelRefused, match="too long"),
    ):
        await ask(REQUEST)
    assert len(kept["text"]) == LONGEST
    assert unrecorded == {"p-1": ["model fake"]}


async def test_the_failure_of_another_time_is_raised_as_it_was() -> None:
    kept = failure_data(REQUEST, ModelUnavailable("fake", "too slow", is_late=True))

    with recalling(recorded(kept)), pytest.raises(ModelUnavailable, match="too slow"):
        await ask(REQUEST)
