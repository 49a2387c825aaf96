"""The command line, run within the test."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner, Result

from reactor.cli.app import build

SAMPLES = Path(__file__).parents[2] / "reactor" / "samples"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Result]]:
    """Run `reactor WORDS...` in an empty folder, without any server in the environment."""
    for name in ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL", "GITHUB_WEBHOOK_SECRET", "HOST", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*words: str, stdin: bytes = b"") -> Result:
        return CliRunner().invoke(build(), words, input=stdin)

    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield run
    # the commands set up logging for their process, which here is that of all tests
    structlog.reset_defaults()
    root.handlers[:], root.level = before


@pytest.fixture
def samples() -> Path:
    """The payloads that come with the package."""
    return SAMPLES
