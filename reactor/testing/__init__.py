"""What component authors test with: events as GitHub sends them, and whole runs in memory.

    bench = Workbench(TriageComponent, settings={"urgent_at": 0.5})
    process = await bench.run(event("issues.opened", issue=issue("Data loss")))
    expect_ran(process, "triage.heavy_hitter_issue")

    process = await bench.run_commands(commented("/label bug"), role=Role.TRIAGE)
    expect_effects(process, AddLabels(labels=("bug",)))

    process = await bench.run_reminder()  # days later, as far as anybody can tell

No server, no network, and a clock that stands still.  With pytest there is a fixture `golden`, which
compares what was decided with a file beside the test; `pytest --update-golden` writes it.
"""

from reactor.testing.bench import (
    FakeAi,
    NeedsProcess,
    NothingHeard,
    NothingReminds,
    Workbench,
    context,
    effects,
    ran,
)
from reactor.testing.conversation import FakeComment, FakeConversation
from reactor.testing.events import (
    Payload,
    account,
    attempt,
    comment,
    commented,
    commit,
    delivery,
    discussion,
    event,
    issue,
    label,
    milestone,
    pull_request,
    release,
    repository,
    review,
)
from reactor.testing.expecting import expect_effects, expect_not_run, expect_ran, why_not
from reactor.testing.fake_repository import FakeRepository, NoSuchConversation
from reactor.testing.golden import Golden, decisions

__all__ = [
    "FakeAi",
    "FakeComment",
    "FakeConversation",
    "FakeRepository",
    "Golden",
    "NeedsProcess",
    "NoSuchConversation",
    "NothingHeard",
    "NothingReminds",
    "Payload",
    "Workbench",
    "account",
    "attempt",
    "comment",
    "commented",
    "commit",
    "context",
    "decisions",
    "delivery",
    "discussion",
    "effects",
    "event",
    "expect_effects",
    "expect_not_run",
    "expect_ran",
    "issue",
    "label",
    "milestone",
    "pull_request",
    "ran",
    "release",
    "repository",
    "review",
    "why_not",
]
