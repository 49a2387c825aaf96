"""Assertions that tell what was decided instead, and why."""

import pytest

from reactor import action, component
from reactor.github import AddLabels, Issue, IssueOpened
from reactor.process import Process
from reactor.testing import (
    Workbench,
    event,
    expect_effects,
    expect_not_run,
    expect_ran,
    issue,
    why_not,
)


@component(effects=(AddLabels,))
class Sorter:
    @action(value=0.9)
    async def label_all(self, issue: Issue) -> AddLabels:
        """Put on a label."""
        return AddLabels(labels=("seen",))

    @action(pre=['issue.title.startsWith("Crash")'], value=0.5)
    async def label_crash(self, issue: Issue) -> AddLabels:
        """Put on another one."""
        return AddLabels(labels=("crash",))

    @action(value=0.1)
    async def fail(self, event: IssueOpened) -> None:
        """Always."""
        raise ValueError("no luck")


@pytest.fixture
async def process() -> Process:
    return await Workbench(Sorter).run(event("issues.opened", issue=issue("Slow")))


def test_what_is_so_passes(process: Process) -> None:
    expect_ran(process, "sorter.label_all", "sorter.fail")
    expect_not_run(process, "sorter.label_crash")
    expect_effects(process, AddLabels(labels=("seen",)))


def test_what_did_not_run_is_told_with_what_kept_it(process: Process) -> None:
    with pytest.raises(AssertionError) as raised:
        expect_ran(process, "sorter.label_all", "sorter.label_crash")

    told = str(raised.value).splitlines()
    assert told[0] == "sorter.label_crash did not run"
    assert told[1] == "  ran: sorter.label_all, sorter.fail"
    assert told[2] == "  in tick 1, sorter.label_all was chosen; it could not run:"
    assert told[3] == '    issue.title.startsWith("Crash") is false, needs true'


def test_an_action_that_is_nowhere_may_not_be_installed(process: Process) -> None:
    with pytest.raises(AssertionError, match="is it installed"):
        expect_ran(process, "sorter.lable_all")

    assert why_not(process, "sorter.lable_all") == []


def test_what_won_over_an_action_is_told(process: Process) -> None:
    first, second = why_not(process, "sorter.fail")[:2]

    assert first == "in tick 1, sorter.label_all was chosen; it could have run, at +0.10"
    assert second.startswith("in tick 2, it was chosen: failed ValueError: no luck")


def test_what_has_run_is_told_with_its_tick(process: Process) -> None:
    with pytest.raises(AssertionError, match=r"sorter\.fail has run, in tick 2"):
        expect_not_run(process, "sorter.fail")


def test_other_effects_are_told_with_what_failed(process: Process) -> None:
    with pytest.raises(AssertionError) as raised:
        expect_effects(process, AddLabels(labels=("crash",)))

    told = str(raised.value)
    assert "missing: AddLabels(cause='event', labels=('crash',))" in told
    assert "not expected: AddLabels(cause='event', labels=('seen',))" in told
    assert "sorter.fail failed: ValueError: no luck" in told
