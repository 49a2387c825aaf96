"""Without a model nothing of models is loaded; with one, nothing but its own address is asked."""

import json
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

JUDGED = {"kind": "fault", "urgency": 0.4, "sentiment": 0.5, "labels": ["bug"], "missing": []}
MODEL = {"REACTOR_LLM_MODEL": "openai/gpt-4o-mini", "REACTOR_LLM_API_KEY": "sk-of-the-test"}
BY_MODEL, BY_RULES = "triage.react_to_new_issue_by_model", "triage.react_to_new_issue"


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path / "noted")


def run(watch: Watch, *words: str, **named: str) -> str:
    """What the words of Python print, in an environment with no model but what is named."""
    bare = {k: v for k, v in os.environ.items() if "LLM" not in k and "API_KEY" not in k}  # noqa: TID251
    command, environ = [sys.executable, *words], {**bare, **watch.environ, **named}
    ended = subprocess.run(
        command, env=environ, cwd=watch.noted.parent, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def receive(watch: Watch, samples: Path, **named: str) -> list[str]:
    """How a new issue was judged, with a model that is set up."""
    payload = samples / "issues.opened.urgent.json"
    words = ("-m", "reactor", "receive", "-e", "issues", "-p", str(payload), "--json")
    (process,) = json.loads(run(watch, *words, **MODEL, **named))["processes"]
    chosen = [tick["chosen"] for tick in process["ticks"]]
    return [name for name in chosen if name in (BY_MODEL, BY_RULES)]


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
def test_a_model_is_asked_at_its_address_and_nobody_else_is_for_anything(
    watch: Watch, samples: Path, stub_models: StubModels
) -> None:
    stub_models.script(answers.value(JUDGED))

    told = receive(watch, samples, REACTOR_LLM_API_BASE=stub_models.url)

    assert told == [BY_MODEL]
    assert "litellm" in watch.imported
    assert (len(stub_models.requests), watch.went_out) == (1, [])


@pytest.mark.long
def test_without_a_network_rules_judge_and_the_provider_alone_was_tried(
    watch: Watch, samples: Path
) -> None:
    told = receive(watch, samples)

    assert told == [BY_MODEL, BY_RULES]
    assert {line.split()[-1] for line in watch.went_out} == {"api.openai.com"}


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
