"""The stand-in for a provider that people try Reactor with: what is asked for, made up."""

import json
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from reactor.adapters.litellm_models import LitellmModels
from reactor.ai import Ai, Choices, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from tests.fixtures.models.made_up import TEXT, made_up
from tests.fixtures.models.server import StubModels

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Part:
    name: str
    of: "Part | None"


class Judgement(BaseModel):
    comment: str = Field(min_length=60, max_length=80)
    urgency: float = Field(ge=0, le=1)
    stars: int = Field(ge=1, le=5)
    labels: tuple[Literal["bug", "question"], ...] = Field(min_length=2, max_length=2)
    pair: tuple[int, str]
    colour: Colour
    seen_at: datetime
    on: date | None
    known: bool
    parts: dict[str, int]
    note: str = "as it was"


@pytest.fixture(params=["small", "plain"], ids=["by schema", "in words"])
def ai(
    request: pytest.FixtureRequest, litellm_models: LitellmModels, stub_models: StubModels
) -> Ai:
    stub_models.answering = made_up
    caller = Caller(models=litellm_models, circuits=Circuits(lambda: 0.0))
    return Ai(Runtime(caller=caller, choices=Choices(models={request.param: ()})))


@pytest.mark.parametrize("kind", [Judgement, Part, Colour, list[Part], int, bool])
async def test_whatever_is_asked_for_it_answers_in_one_call(
    ai: Ai, stub_models: StubModels, kind: type[Any]
) -> None:
    await ai.create_object("Judge this.", kind)

    assert len(stub_models.requests) == 1


async def test_a_text_says_that_it_is_made_up(ai: Ai) -> None:
    assert await ai.generate_text("Say something.") == TEXT


async def test_what_it_is_asked_about_holds(ai: Ai) -> None:
    assert await ai.evaluate_condition("it is broken", "The brakes squeak.")


async def test_of_tools_it_picks_the_first(ai: Ai) -> None:
    def look(colour: Colour) -> str:
        return colour

    looked = ai.with_tools(look)
    schemas = tuple(tool.schema for tool in looked._asking.tools)

    picked = await ai.pick("Look.", schemas, lambda reply: reply.calls[0])

    assert (picked.name, json.loads(picked.arguments)) == ("look", {"colour": "red"})
    assert await looked.generate_text("Look, and say what you saw.") == TEXT


def test_people_run_it_as_a_process_and_see_what_is_asked() -> None:
    command = [sys.executable, "-m", "tests.fixtures.models", "--show"]
    root = Path(__file__).parents[2]
    asked = {"model": "any", "messages": [{"role": "user", "content": "Are you there?"}]}

    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            url = running.stdout.readline().strip()
            request = urllib.request.Request(f"{url}/chat/completions", json.dumps(asked).encode())
            with urllib.request.urlopen(request, timeout=60) as response:
                answered = json.load(response)
            told = [running.stdout.readline().strip() for _ in range(2)]
        finally:
            running.terminate()

    assert answered["choices"][0]["message"]["content"] == TEXT
    assert told == ["--- user", "Are you there?"]
    assert running.returncode == 0
