"""What a page shows of a command's output is what the command prints."""

import json
import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner, Result

from reactor.adapters.jinja_templates import JinjaTemplates
from reactor.ai import fence
from reactor.cli.app import build
from reactor.github import Issue
from reactor.github.facts import facts_of
from reactor.github.repository_yaml import read_repository_file
from reactor.testing import event, issue
from tests.architecture.repository import ROOT
from tests.fixtures.logging_left import logging_left_as_it_was

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
CHOICE = re.compile(r"[a-z_]+\.[a-z_]+ [+-]\d\.\d+|would add label [\w-]+")


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page, in order: language, text."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def planned(page: str) -> Iterator[tuple[str, str]]:
    """Each `reactor plan` on the page, with each piece of output that is shown for it."""
    command = ""
    for language, text in blocks(page):
        if language == "console":
            command = text.removeprefix("$ ").strip()
        elif language == "text" and command.startswith("reactor plan"):
            yield command, text


def shows(page: str, printed: str) -> bool:
    """Whether these lines stand in what was printed, one below the other.

    `...` alone stands for any lines, and within a line for anything.
    """
    asked = [re.sub(r"([\[\]?*])", r"[\1]", line).replace("...", "*") for line in page.splitlines()]
    lines = printed.splitlines()
    return any(_begins(asked, lines[start:]) for start in range(len(lines)))


def _begins(asked: list[str], lines: list[str]) -> bool:
    match asked:
        case []:
            return True
        case [first, *rest] if first.strip() == "*":
            return any(_begins(rest, lines[start:]) for start in range(len(lines) + 1))
        case [first, *rest]:
            return bool(lines) and fnmatchcase(lines[0], first) and _begins(rest, lines[1:])
    raise AssertionError(asked)


def run(command: str) -> Result:
    """Run what is shown after `reactor`."""
    with logging_left_as_it_was():
        return CliRunner().invoke(build(), shlex.split(command)[1:])


@pytest.mark.parametrize(("command", "text"), list(planned("docs/planning.md")))
def test_a_decision_on_the_page_is_what_the_planner_decides(
    command: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)

    printed = run(command).stdout

    assert shows(text, printed), f"{text}\nis not in\n{printed}"


def test_every_case_of_the_planners_is_on_the_page() -> None:
    cases = re.findall(r"id: (.+)", (ROOT / "docs" / "planners.yaml").read_text(encoding="utf-8"))
    shown = "".join(text for _, text in planned("docs/planning.md"))

    assert len(cases) == 5
    assert [case for case in cases if case not in shown] == []


def test_a_decision_that_is_not_made_would_be_found() -> None:
    printed = "one\n  goal  answered\n  plan  ask\ntwo"

    assert shows("one\n  ...\n  plan  ask\n", printed)
    assert not shows("one\n  plan  ask\n", printed)
    assert not shows("two\n  ...\n  plan  ask\n", printed)


def test_the_choices_on_the_front_page_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = blocks("README.md")
    at = next(i for i, (_, text) in enumerate(shown) if "reactor receive -e issues" in text)
    command = shown[at][1].removeprefix("$ .venv/bin/").strip()

    told = CHOICE.findall(" ".join(shown[at + 1][1].split()))
    made = CHOICE.findall(run(command).stdout)

    assert len(told) > 8
    assert [choice for choice in told if choice not in made] == []


def test_every_line_of_json_on_a_page_is_json() -> None:
    pages = [str(page.relative_to(ROOT)) for page in ROOT.glob("docs/*.md")]
    lines = [
        line
        for page in pages
        for language, text in blocks(page)
        if language == "json"
        for line in text.splitlines()
    ]

    assert len(lines) > 2
    assert all(json.loads(line) for line in lines)


def test_the_template_on_the_page_of_models_fences_what_strangers_wrote(tmp_path: Path) -> None:
    (template,) = (text for language, text in blocks("docs/models.md") if language == "jinja")
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "judge.jinja").write_text(template, encoding="utf-8")
    opened = event("issues.opened", issue=issue("Slow", body="Ask me."))
    (written,) = (value for _, value in facts_of(opened) if isinstance(value, Issue))
    labels = SimpleNamespace(labels=["bug", "question"])

    prompt = JinjaTemplates(tmp_path).render(
        "shown", "judge", {"issue": written, "settings": labels}
    )

    assert prompt.startswith("Labels: bug, question\n")
    assert fence("Slow") in prompt
    assert "\nAsk me.\n" in prompt


def test_the_files_of_a_repository_on_their_page_have_no_faults() -> None:
    files = [text for language, text in blocks("docs/repositories.md") if language == "yaml"]

    assert len(files) > 1
    for text in files:
        read_repository_file(text)  # raises, with every fault


def test_a_file_of_a_repository_is_checked_as_its_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".github").mkdir()
    file = tmp_path / ".github" / "reactor.yml"
    (session,) = (
        text for language, text in blocks("docs/repositories.md") if language == "console"
    )
    first, fault, second, summary = session.splitlines()

    file.write_text("mode: approve\nlables: [bug]\n", encoding="utf-8")
    refused = run(first.removeprefix("$ "))
    file.write_text("mode: approve\nlabels: [bug]\n", encoding="utf-8")
    read = run(second.removeprefix("$ "))

    assert (refused.exit_code, read.exit_code) == (1, 0)
    assert fault in refused.output
    assert summary in read.output
