"""Answers of models are in the journal, and a replay has them from there."""

import json
from dataclasses import dataclass, replace

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
from reactor.ai import Ai, BadAnswer, Choices, ModelRefused, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from reactor.ai.exchange import Message, Reply, Request, ToolCall
from reactor.ai.recorded import LONGEST, RecordedModels, answer_data
from reactor.testing import FakeAi, ran

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
    platform = Platform(packages=[team], services={Ai: ai})
    return await UtilityInvocation.on(platform).terminate_when_stuck().run_async()


def replayed(process: Process) -> Ai:
    """The models of a replay, from the journal as it is kept: as JSON."""
    records = [replace(r, data=json.loads(json.dumps(r.data))) for r in process.journal]
    caller = Caller(models=RecordedModels.of(records), circuits=Circuits(lambda: 0.0))
    return Ai(Runtime(caller=caller, choices=Choices(models={"fake": ()})))


async def test_a_replay_has_the_same_answers_bad_ones_included() -> None:
    recorded = await run(FakeAi(Number(1), "no number", Number(2), Number(30)))

    again = await run(replayed(recorded))

    assert recorded.board.last(Number) == Number(32)
    assert again.board.last(Number) == Number(32)
    assert (ran(again), again.history[0].attempts) == (ran(recorded), 2)
    assert [len(tick.get("answers", [])) for tick in recorded.decisions] == [4]  # type: ignore[arg-type]


async def test_what_came_of_an_action_that_failed_is_kept_as_well() -> None:
    recorded = await run(FakeAi(*["no number"] * 12))

    again = await run(replayed(recorded))

    assert recorded.history[0].outcome == "failed"
    assert BadAnswer.__name__ in recorded.history[0].error
    assert [run.error for run in again.history] == [run.error for run in recorded.history]


async def test_a_request_that_was_not_made_then_is_refused() -> None:
    models = RecordedModels([answer_data(REQUEST, Reply(text="4"))])

    assert (await models.complete(REQUEST)).text == "4"
    with pytest.raises(ModelRefused, match="the journal has no answer"):
        await models.complete(REQUEST)
    with pytest.raises(ModelRefused, match="the journal has no answer"):
        await models.complete(replace(REQUEST, temperature=0.9))


async def test_calls_of_tools_come_back_as_they_were() -> None:
    calls = (ToolCall(id="1", name="look", arguments='{"at": "it'),)
    reply = Reply(text="", calls=calls, finish="tools")

    models = RecordedModels([answer_data(REQUEST, reply)])

    assert await models.complete(REQUEST) == reply


async def test_an_answer_that_is_too_long_for_the_journal_is_no_answer_to_a_replay() -> None:
    kept = answer_data(REQUEST, Reply(text="x" * (LONGEST + 1)))

    with pytest.raises(ModelRefused, match="too long"):
        await RecordedModels([kept]).complete(REQUEST)
    assert len(kept["text"]) == LONGEST
