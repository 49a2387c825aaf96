"""What is drawn can be built and run, whatever stands in it."""

from hypothesis import given, settings

from reactor import action, component
from reactor.github import Issue
from reactor.github.event import Event
from reactor.github.events import TYPED
from reactor.testing import Payload, Workbench, event, expect_ran
from reactor.testing.strategies import events, issues


@component
class Reader:
    @action(value=0.5)
    async def read(self, issue: Issue) -> None:
        """Look at it."""


@given(events())
@settings(max_examples=50)
def test_every_event_is_typed_and_whole(drawn: Event) -> None:
    assert type(drawn) in TYPED.values()
    assert drawn.unread == ()


@given(issues(state="open"))
@settings(max_examples=20)
async def test_any_issue_is_run(payload: Payload) -> None:
    process = await Workbench(Reader).run(event("issues.opened", issue=payload))

    expect_ran(process, "reader.read")
