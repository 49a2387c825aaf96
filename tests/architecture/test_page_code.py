"""What stands on the pages as code runs, and what stands there as a command can be given so."""

import inspect
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from typer.main import get_command

from reactor.cli.app import build
from reactor.settings import Settings, load
from tests.architecture.repository import ROOT

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (?:[^#\n]*?[ /])?reactor ((?:.*\\\n)*.*)$", re.MULTILINE)
REMARK = re.compile(r"\s#.*")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of that language, in order."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for said, text in found if said == language]


def commands(page: Path) -> Iterator[list[str]]:
    """What follows `reactor` in the commands that a page shows, one by one."""
    for text in blocks(page, "console"):
        for words in COMMAND.findall(text):
            split = shlex.split(REMARK.sub("", words.replace("\\\n", " ")))
            ends = (i for i, word in enumerate(split) if word in {"|", ">", "&&", "||", "&"})
            yield split[: next(ends, len(split))]


def settings() -> Iterator[str]:
    """The blocks that are an operator's settings; others are a repository's own file."""
    for page in PAGES:
        if page.stem != "repositories":
            for text in blocks(page, "yaml"):
                if set(yaml.safe_load(text)) <= set(Settings.model_fields):
                    yield text


# The tutorial has a test of its own, which writes its files.
with_python = [page for page in PAGES if blocks(page, "python") and page.stem != "tutorial"]
with_commands = [page for page in PAGES if any(commands(page))]


@pytest.mark.parametrize("page", with_python, ids=lambda page: page.stem)
async def test_the_python_of_a_page_runs_from_top_to_bottom_and_its_tests_pass(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType(f"page_{page.stem}")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    for number, code in enumerate(blocks(page, "python"), 1):
        exec(compile(code, f"{page.name}, block {number}", "exec"), module.__dict__)
        tests = [name for name in vars(module) if name.startswith("test_")]
        for name in tests:
            result = vars(module).pop(name)()
            if inspect.isawaitable(result):
                await result


@pytest.mark.parametrize("page", with_commands, ids=lambda page: page.stem)
def test_the_commands_of_a_page_can_be_given_so(page: Path) -> None:
    refused = [fault for words in commands(page) if (fault := fault_of(words))]

    assert refused == []


def fault_of(words: list[str]) -> str:
    """What the command line says against it; nothing is run, and what is left out is no fault."""
    command: Any = get_command(build())
    context = command.context_class(command, info_name="reactor")
    given = list(words)
    while given and given[0] in getattr(command, "commands", ()):
        command = command.commands[given.pop(0)]
        context = command.context_class(command, info_name=command.name, parent=context)
    if not given or "--help" in given:
        return ""
    try:
        command.parse_args(context, given)
    except Exception as error:  # noqa: BLE001 - the classes of the click within typer have no public names
        if type(error).__name__ != "MissingParameter":
            return f"reactor {' '.join(words)}: {error}"
    return ""


def test_a_command_is_found_however_it_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ reactor forms   # what waits\n$ A=b .venv/bin/reactor trace octo/hello#7\n"
        "$ make install\n$ reactor send \\\n    --event issues\n$ reactor up --data d &\n```\n"
    )

    assert list(commands(page)) == [
        ["forms"],
        ["trace", "octo/hello#7"],
        ["send", "--event", "issues"],
        ["up", "--data", "d"],
    ]


def test_what_the_command_line_does_not_know_would_be_found() -> None:
    assert "No such option" in fault_of(["replay", "--sinze", "1d"])
    assert fault_of(["replay", "--since", "1d"]) == ""


@pytest.mark.parametrize("text", list(settings()))
def test_the_settings_of_a_page_are_settings(text: str, tmp_path: Path) -> None:
    (tmp_path / "reactor.yaml").write_text(text, encoding="utf-8")
    secrets = {"KAFKA_SASL_USERNAME": "reactor", "KAFKA_SASL_PASSWORD": "secret"}

    load(tmp_path / "reactor.yaml", secrets)
