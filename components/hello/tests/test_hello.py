"""The whole of hello, run in memory."""

from reactor_hello import HelloComponent

from reactor.github import AddLabels
from reactor.testing import Workbench, comment, effects, event, issue


async def test_a_new_issue_gets_the_label() -> None:
    process = await Workbench(HelloComponent).run(event("issues.opened", issue=issue()))

    assert effects(process) == [AddLabels(labels=("new",))]


async def test_a_comment_makes_no_issue_new() -> None:
    commented = event("issue_comment.created", issue=issue(), comment=comment())

    process = await Workbench(HelloComponent).run(commented)

    assert effects(process) == []
