"""Answers of each bad kind, again and again: the task is done all the same, within the cap."""

import asyncio
import hashlib
from collections import Counter
from typing import Any

import pytest
from pydantic import BaseModel, Field

from reactor.adapters.litellm_models import LitellmModels
from reactor.ai import Ai, BadAnswer, Choices, Defaults, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from tests.fixtures.models import answers
from tests.fixtures.models.answers import Answer
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine

TASKS, PERCENT = 30, 15


class Judgement(BaseModel):
    comment: str
    urgency: float = Field(ge=0, le=1)


JUDGED: dict[str, object] = {"comment": "It is [broken].", "urgency": 0.9}
BAD = answers.bad(JUDGED)


async def at_once(_: float) -> None:
    """The pauses between calls are none of this."""


async def judge(
    models: LitellmModels, tasks: int = TASKS, timeout_s: float = 60.0
) -> list[Judgement]:
    """So many tasks, some of them at once."""
    caller = Caller(models=models, circuits=Circuits(lambda: 0.0, failures=TASKS), pause=at_once)
    defaults = Defaults(timeout_s=timeout_s)
    ai = Ai(Runtime(caller=caller, choices=Choices(models={"small": ()}), defaults=defaults))
    gate = asyncio.Semaphore(4)

    async def one(number: int) -> Judgement:
        async with gate:
            return await ai.create_object(f"Judge issue {number}.", Judgement)

    return await asyncio.gather(*map(one, range(tasks)))


def is_bad(call: str) -> bool:
    """So many of a hundred, the same ones each time."""
    return int.from_bytes(hashlib.sha256(call.encode()).digest()[:4]) % 100 < PERCENT


@pytest.mark.parametrize("kind", BAD)
async def test_every_task_is_done_while_some_answers_are_bad(
    kind: str, stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    asked: Counter[str] = Counter()
    were_bad: list[bool] = []

    def answer(request: dict[str, Any]) -> Answer:
        task = request["messages"][1]["content"].partition("\n")[0]
        asked[task] += 1
        were_bad.append(is_bad(f"{kind}, {task}, call {asked[task]}"))
        return BAD[kind]() if were_bad[-1] else answers.value(JUDGED)

    stub_models.answering = answer

    judged = await judge(litellm_models)

    assert judged == [Judgement.model_validate(JUDGED)] * TASKS
    assert sum(were_bad) > 0
    repeated = 0 if kind in answers.NEED_NO_SECOND_CALL else sum(were_bad)
    assert len(stub_models.requests) == TASKS + repeated


@pytest.mark.long  # of waiting for time-outs
async def test_every_task_is_done_while_some_answers_come_too_late(
    stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    first = answers.value(JUDGED)
    late = answers.slow(first, 600)
    asked: Counter[str] = Counter()

    def answer(request: dict[str, Any]) -> Answer:
        task = request["messages"][1]["content"]
        asked[task] += 1
        return late if is_bad(f"late, {task}, call {asked[task]}") else first

    stub_models.answering = answer

    judged = await judge(litellm_models, timeout_s=3)

    assert judged == [Judgement.model_validate(JUDGED)] * TASKS
    assert len(stub_models.requests) > TASKS


async def test_one_that_always_answers_badly_is_not_asked_for_ever(
    stub_models: StubModels, litellm_models: LitellmModels
) -> None:
    stub_models.answering = lambda asked: answers.wrong_type()

    with pytest.raises(BadAnswer, match="usable Judgement in 4 attempts"):
        await judge(litellm_models, tasks=1)

    assert len(stub_models.requests) == 4
