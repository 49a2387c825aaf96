"""What the pages say exists: targets, commands, files, settings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from typer.main import get_command

from reactor.cli.app import build

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE_PATH = re.compile(r"`((?:reactor|streams|components|tests|tools|config|docs)/[\w./-]*)`")
CODE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def test_every_link_of_a_page_leads_to_a_file(pages: list[Path]) -> None:
    links = ((page, link) for page in pages for link in LINK.findall(page.read_text("utf-8")))
    local = ((page, link) for page, link in links if "://" not in link)

    assert [
        f"{page.name}: {link}" for page, link in local if not (page.parent / link).exists()
    ] == []


def test_every_file_that_a_page_names_exists(root: Path, pages: list[Path]) -> None:
    named = ((page, name) for page in pages for name in CODE_PATH.findall(page.read_text("utf-8")))

    assert [f"{page.name}: {name}" for page, name in named if not (root / name).exists()] == []


def test_every_make_target_on_a_page_exists(root: Path, pages: list[Path]) -> None:
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE))

    used = {name for page in pages for name in _after("make", page)}

    assert used >= {"demo", "test", "install", "check"}
    assert used - targets == set()


def test_every_command_on_a_page_exists_and_every_command_is_on_one(pages: list[Path]) -> None:
    commands = set(get_command(build()).commands)  # type: ignore[attr-defined]

    used = {name for page in pages for name in _after("reactor", page)}

    assert used - commands == set()
    assert commands - used == set()


def test_every_python_example_on_a_page_is_python(pages: list[Path]) -> None:
    examples = [
        code
        for page in pages
        for language, code in CODE.findall(page.read_text("utf-8"))
        if language == "python"
    ]

    assert len(examples) > 2
    for example in examples:
        ast.parse(example)


def _after(program: str, page: Path) -> Iterator[str]:
    """The words that follow `program` where a page shows commands."""
    text = page.read_text("utf-8")
    shown = [line for language, code in CODE.findall(text) if language == "console"
             for line in code.splitlines()]  # fmt: skip
    shown += re.findall(r"`([^`\n]+)`", text)
    for line in shown:
        yield from re.findall(rf"(?:^|[\s/]){program} ([a-z]+)\b", line)
