"""The whole of hello, run in memory."""

from reactor_hello import COMPONENTS, HelloComponent

from reactor import Package, Platform, UtilityInvocation
from reactor.github import AddLabels
from reactor.testing import Workbench, comment, effects, event, issue


async def test_a_new_issue_gets_the_label() -> None:
    process = await Workbench(HelloComponent).run(event("issues.opened", issue=issue()))

    assert effects(process) == [AddLabels(labels=("new",))]


async def test_an_issue_that_came_by_transfer_is_not_new() -> None:
    moved = event("issues.opened", issue=issue(), changes={"old_issue": issue(number=3)})

    process = await Workbench(HelloComponent).run(moved)

    assert effects(process) == []


async def test_a_comment_makes_no_issue_new() -> None:
    commented = event("issue_comment.created", issue=issue(), comment=comment())

    process = await Workbench(HelloComponent).run(commented)

    assert effects(process) == []


def test_without_the_kit_it_is_three_lines() -> None:
    platform = Platform(packages=[Package(name="hello", components=COMPONENTS)])
    opened = event("issues.opened", issue=issue())

    process = UtilityInvocation.on(platform).terminate_when_stuck().run(opened, opened.subject)

    assert [run.action for run in process.history] == ["hello.mark_as_new"]
    assert [record.effect for record in process.effects] == [AddLabels(labels=("new",))]
