"""The command itself."""

from collections.abc import Callable
from importlib.metadata import version

from typer.testing import Result


def test_it_tells_its_version(run: Callable[..., Result]) -> None:
    result = run("--version")

    assert (result.exit_code, result.stdout) == (0, f"reactor {version('webhook-reactor')}\n")
