"""Tasks that a model does while some of its answers are bad, and the calls that this takes.

The stub of a provider (that of the tests, over HTTP, through LiteLLM) answers `TASKS` questions
for a typed judgement; `PERCENT` of a hundred of its answers are bad in one way, or in any of them.
Which ones follows from seed, kind, task and call: each run with one seed is the same.  The stub
learns nothing from being told what was wrong, so each call is as likely to fail as the first: all
`ATTEMPTS` of a task do by `PERCENT ** ATTEMPTS`, which is one task in 1,975.

    benchmarks/answers.py          seed 1
    benchmarks/answers.py 7        seed 7

    floor   the first answer as it stands, read as JSON and validated
    ours    `Ai.create_object`: cleaned, validated, asked again with what was wrong, within its cap
"""

import asyncio
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reactor.adapters.litellm_models import LitellmModels, Provided
from reactor.ai import Ai, BadAnswer, Choices, Defaults, ModelUnavailable, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from tests.fixtures.models import answers
from tests.fixtures.models.answers import Answer
from tests.fixtures.models.server import StubModels, serving

TASKS, PERCENT, ATTEMPTS = 100, 15, 4
AT_ONCE = 4
TIMEOUT_S = 2.0  # of one call, where answers may be too slow: many times what a good one takes
PATIENCE_S = 60.0  # where none is: a busy machine is no bad answer
SLOW_S = 60.0


class Judgement(BaseModel):
    """What is asked for."""

    model_config = ConfigDict(frozen=True)

    comment: str
    urgency: float = Field(ge=0, le=1)


JUDGED: Mapping[str, object] = {"comment": "It is [broken].", "urgency": 0.9}

_SLOW = "too slow"
BAD: Mapping[str, Callable[[], Answer]] = {
    **answers.bad(JUDGED),
    _SLOW: lambda: answers.slow(answers.value(JUDGED), SLOW_S),
}


@dataclass(frozen=True)
class Outcome:
    """What became of the tasks."""

    done: int
    calls: int
    bad: int  # answers
    most_calls: int  # for one task
    done_by_floor: int


class Provider:
    """Answers badly now and then."""

    def __init__(self, kind: str, seed: str) -> None:
        self._kind, self._seed = kind, seed
        self.may_be_slow = kind not in BAD or kind == _SLOW
        self.asked: Counter[str] = Counter()
        self.bad = 0

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """To one request."""
        task = str(request["messages"][1]["content"]).partition("\n")[0]
        self.asked[task] += 1
        answer = self.said(task, self.asked[task])
        self.bad += answer is not None
        return answer or answers.value(JUDGED)

    def said(self, task: str, call: int) -> Answer | None:
        """What is bad about the answer to that call; None for a good one."""
        digest = hashlib.sha256(f"{self._seed}, {self._kind}, {task}, {call}".encode()).digest()
        if int.from_bytes(digest[:4]) % 100 >= PERCENT:
            return None
        kinds = [BAD[self._kind]] if self._kind in BAD else list(BAD.values())
        return kinds[int.from_bytes(digest[4:8]) % len(kinds)]()


def question(number: int) -> str:
    """A task in words."""
    return f"Judge issue {number}."


def is_done_by_floor(answer: Answer | None) -> bool:
    """Whether the first answer will do as it stands."""
    if answer is None:
        return True
    if answer.status != 200 or answer.is_cut or answer.after_s or isinstance(answer.body, str):
        return False
    content = answer.body["choices"][0]["message"]["content"]
    try:
        Judgement.model_validate(json.loads(content or ""))
    except (ValueError, ValidationError):
        return False
    return True


async def at_once(_: float) -> None:
    """The pauses between calls are none of this."""


async def ask(models: LitellmModels, stub: StubModels, provider: Provider) -> Outcome:
    """All tasks, some of them at once."""
    stub.answering = provider.answer
    circuits = Circuits(lambda: 0.0, failures=TASKS)  # what they do is none of this either
    caller = Caller(models=models, circuits=circuits, pause=at_once)
    timeout_s = TIMEOUT_S if provider.may_be_slow else PATIENCE_S
    defaults = Defaults(timeout_s=timeout_s, attempts=ATTEMPTS)
    ai = Ai(Runtime(caller=caller, choices=Choices(models={"stub": ()}), defaults=defaults))
    gate = asyncio.Semaphore(AT_ONCE)

    async def is_done(number: int) -> bool:
        async with gate:
            try:
                judged = await ai.create_object(question(number), Judgement)
            except (BadAnswer, ModelUnavailable):
                return False
            return judged == Judgement.model_validate(JUDGED)

    done = await asyncio.gather(*map(is_done, range(TASKS)))
    floor = [is_done_by_floor(provider.said(question(n), 1)) for n in range(TASKS)]
    return Outcome(
        done=sum(done),
        calls=provider.asked.total(),
        bad=provider.bad,
        most_calls=max(provider.asked.values()),
        done_by_floor=sum(floor),
    )


async def main(seed: str) -> None:
    """Measure, and print."""
    print(
        f"{TASKS} tasks each, {PERCENT} % of the answers bad (seed {seed}), {ATTEMPTS} calls at most"
    )
    print(
        f"{'bad answers':<17}{'floor':>7}{'ours':>7}{'calls':>7}{'of floor':>10}{'most':>6}{'bad':>5}"
    )
    with serving(StubModels()) as stub:
        there = Provided(model="openai/gpt-4o-mini", api_base=stub.url, api_key="k")
        with closing(LitellmModels({"stub": there})) as models:
            for kind in (*BAD, "any of these"):
                found = await ask(models, stub, Provider(kind, seed))
                print(
                    f"{kind:<17}{found.done_by_floor / TASKS:>7.0%}{found.done / TASKS:>7.0%}"
                    f"{found.calls:>7}{found.calls / TASKS:>10.2f}{found.most_calls:>6}"
                    f"{found.bad:>5}",
                    flush=True,
                )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if sys.argv[1:] else "1"))
