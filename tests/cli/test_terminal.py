"""Text in a pipe: a line stays a line."""

import pytest
from rich.text import Text

from reactor.cli.listing import show
from reactor.cli.terminal import console
from reactor.inventory import ToldComponents, ToldExecutor, ToldPackage


def test_nothing_is_wrapped_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(Text("word " * 200))

    assert capsys.readouterr().out.count("\n") == 1


def test_an_executor_without_a_description_leaves_no_empty_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    executor = ToldExecutor(name="lights.switch", description="", sends="Switch")
    package = ToldPackage(
        name="lights",
        distribution="reactor-lights",
        version="1",
        agents=[],
        actions=[],
        executors=[executor],
        commands=[],
        goals=[],
    )

    show(ToldComponents(packages=[package], disabled=[], faults=[]))

    assert "lights.switch  sends Switch" in capsys.readouterr().out.splitlines()[-1]
