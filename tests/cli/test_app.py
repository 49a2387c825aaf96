"""The command itself."""

from importlib.metadata import version

from tests.cli.conftest import Run


def test_it_tells_its_version(run: Run) -> None:
    result = run("--version")

    assert (result.exit_code, result.stdout) == (0, f"reactor {version('webhook-reactor')}\n")
