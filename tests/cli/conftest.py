"""The command line, run within the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from reactor.cli.app import build
from tests.fixtures.logging_left import logging_left_as_it_was

SAMPLES = Path(__file__).parents[2] / "reactor" / "samples"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Result]]:
    """Run `reactor WORDS...` in an empty folder, without any server in the environment."""
    for name in ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL", "GITHUB_WEBHOOK_SECRET", "HOST", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*words: str, stdin: bytes = b"") -> Result:
        return CliRunner().invoke(build(), words, input=stdin)

    with logging_left_as_it_was():
        yield run


@pytest.fixture
def samples() -> Path:
    """The payloads that come with the package."""
    return SAMPLES
