"""Without a model nothing of models is loaded; with one, nothing but its own address is asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.models import answers
from tests.fixtures.models.server import StubModels
from tests.fixtures.watched import Watch

# of starting Python a few times on a busy machine, and of importing LiteLLM
pytestmark = pytest.mark.timeout(300)

QUESTION = """
import asyncio, sys
from reactor.adapters.litellm_models import LitellmModels, Provided
from reactor.ai.exchange import Message, Request

async def main():
    request = Request(model="a", messages=(Message(role="user", text="Hello"),))
    there = Provided(model="openai/gpt-4o-mini", api_base=sys.argv[1], api_key="sk-of-the-test")
    with LitellmModels({"a": there}) as models:
        price = await models.estimate(request)
        print(price > 0, (await models.complete(request)).text)

asyncio.run(main())
"""


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path / "noted")


def run(watch: Watch, *words: str) -> str:
    """What the words of Python print, in an environment without any model."""
    bare = {k: v for k, v in os.environ.items() if "LLM" not in k and "API_KEY" not in k}  # noqa: TID251
    command, environ = [sys.executable, *words], {**bare, **watch.environ}
    ended = subprocess.run(
        command, env=environ, cwd=watch.noted.parent, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("components",),
        ("receive", "-e", "issues", "-p", "{samples}/issues.opened.urgent.json"),
    ],
)
def test_without_a_model_no_client_of_one_is_loaded_and_nobody_is_asked(
    words: tuple[str, ...], watch: Watch, samples: Path
) -> None:
    said = run(watch, "-m", "reactor", *[word.format(samples=samples) for word in words])

    assert said
    assert (watch.imported, watch.went_out) == (set(), [])


@pytest.mark.long  # LiteLLM takes seconds to import, on a busy machine many
def test_asking_a_model_goes_to_its_address_and_to_no_other(
    watch: Watch, stub_models: StubModels
) -> None:
    stub_models.script(answers.text("Hello yourself"))

    said = run(watch, "-c", QUESTION, stub_models.url)

    assert said.splitlines()[-1] == "True Hello yourself"
    assert "litellm" in watch.imported
    assert watch.went_out == []


def test_the_watch_sees_what_is_loaded_and_lets_nobody_out(watch: Watch) -> None:
    tried = (
        "import socket, tiktoken\n"
        "try: socket.create_connection(('192.0.2.1', 80))\n"
        "except ConnectionRefusedError as error: print(error)\n"
        "try: socket.getaddrinfo('example.invalid', 80)\n"
        "except ConnectionRefusedError as error: print(error)"
    )

    said = run(watch, "-c", tried)

    assert said.splitlines() == [
        "192.0.2.1 is not this machine",
        "example.invalid is not this machine",
    ]
    assert "tiktoken" in watch.imported
    assert watch.went_out
