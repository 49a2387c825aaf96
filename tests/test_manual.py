"""Reference pages of packages: made of what is installed, and of nothing else."""

import re
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, SecretStr

from reactor import action, component, condition
from reactor.command import Command, Role
from reactor.github import AddLabels, Issue
from reactor.manual import manual
from reactor.package import Package
from reactor.platform import Platform


class Knobs(BaseModel):
    urgent_at: float = Field(0.7, description="Above this `x | y` it is *urgent*.")
    words: dict[Annotated[str, Field(max_length=9)], tuple[str, ...]] = Field(
        {"bug": ("broken",) * 99}, description="Many."
    )
    tone: str | None = None
    token: SecretStr = SecretStr("hunter2-hunter2")
    must: int = 3


class Verdict(BaseModel):
    text: str


class Mark(Command):
    """Mark it."""

    name = "mark"
    needs = Role.TRIAGE


@component(settings=Knobs, effects=(AddLabels,), events=("issues.opened",))
class CourtComponent:
    """Judges <b>issues</b>."""

    def __init__(self, knobs: Knobs) -> None: ...

    @action(pre=["is_late", "issue.title != '' || true"], cost=0.1, value=0.9)
    async def judge(
        self, issue: Issue, earlier: Verdict | None = None
    ) -> tuple[Verdict, AddLabels]:
        """Say what it is."""
        raise NotImplementedError

    @action(trigger=Mark, can_rerun=True, timeout_s=5)
    async def mark(self, command: Mark) -> None:
        """Do what was asked for."""

    @condition
    def is_late(self, issue: Issue) -> bool:
        """It has waited for long."""
        return True


@pytest.fixture
def pages() -> dict[str, str]:
    court = Package(
        name="court", components=(CourtComponent,), distribution="reactor-court", version="1.2"
    )
    return manual(Platform(packages=[court]))


def test_each_package_has_a_page_and_one_lists_them(pages: dict[str, str]) -> None:
    assert set(pages) == {"index.md", "court.md"}
    row = "| [court](court.md) | reactor-court 1.2 | 2 | Judges &lt;b>issues&lt;/b>. |"
    assert row in pages["index.md"].splitlines()


def test_an_action_tells_what_it_takes_gives_wants_is_worth_and_needs(
    pages: dict[str, str],
) -> None:
    told = pages["court.md"].partition("### court.judge\n")[2].partition("###")[0]

    for line in (
        "Say what it is.",
        "- Takes: `Issue`, `Verdict` if there is one",
        "- Gives: `Verdict`",
        "- Wants: `AddLabels`",
        "- Worth: value 0.9, cost 0.1",
        "- `court.is_late` is true",
        "- `has(Issue)` is true",
    ):
        assert line in told.splitlines()


def test_settings_are_told_with_types_and_defaults_but_for_secrets(pages: dict[str, str]) -> None:
    rows = [line for line in pages["court.md"].splitlines() if line.startswith("| `")]

    assert (
        "| `urgent_at` | `float` | `0.7` | Above this <code>x &#124; y</code> it is \\*urgent\\*. |"
        in rows
    )
    (words,) = (row for row in rows if row.startswith("| `words`"))
    assert "`dict[str, tuple[str, ...]]`" in words
    assert len(words) < 250
    assert "| `tone` | <code>str &#124; None</code> | none |  |" in rows
    assert "| `token` | `SecretStr` | a secret |  |" in rows
    assert "hunter2" not in pages["court.md"]


def test_commands_conditions_and_effects_are_told(pages: dict[str, str]) -> None:
    page = pages["court.md"]

    assert "| `/mark` | Mark it. | triage |" in page
    assert "| `court.is_late` | It has waited for long. |" in page
    assert "| `AddLabels` | Put labels on; those already there stay. |" in page
    assert "- Runs: for each new `Mark`, more than once, for 5 s at most" in page


def test_no_cell_of_a_table_breaks_its_row(pages: dict[str, str]) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", pages["court.md"], re.MULTILINE)

    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_the_same_platform_gives_the_same_pages(pages: dict[str, str]) -> None:
    court = Package(
        name="court", components=(CourtComponent,), distribution="reactor-court", version="1.2"
    )

    assert manual(Platform(packages=[court])) == pages
