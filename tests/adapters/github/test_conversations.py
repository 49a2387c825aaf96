"""What GitHub tells of whether something is open, and what it means where it does not."""

from collections.abc import AsyncIterator

import pytest

from reactor.adapters.github.conversations import GitHubConversations
from reactor.errors import InfrastructureError
from reactor.permissions import RepositoryRef
from tests.adapters.github.conftest import HOST, Desk
from tests.fixtures.github.fake import ISSUE, PULL, REPOSITORY, REPOSITORY_ID
from tests.fixtures.github.faults import Fault, secondary_limit

HELLO = RepositoryRef(host=HOST, id=REPOSITORY_ID, name=REPOSITORY)


@pytest.fixture
async def conversations(desk: Desk) -> AsyncIterator[GitHubConversations]:
    """As the app."""
    conversations = GitHubConversations({HOST: desk.account})
    yield conversations
    conversations.close()


@pytest.mark.parametrize("number", [ISSUE, PULL])
async def test_it_tells_of_issues_and_pull_requests_and_only_reads(
    conversations: GitHubConversations, desk: Desk, number: int
) -> None:
    before = await conversations.is_open(HELLO, number)
    desk.fake.repository().issues[number].state = "closed"

    assert (before, await conversations.is_open(HELLO, number)) == (True, False)
    assert desk.fake.writes() == []


async def test_what_is_gone_is_not_open(conversations: GitHubConversations) -> None:
    assert await conversations.is_open(HELLO, 999) is False


async def test_where_nobody_can_be_asked_nothing_is_known(
    conversations: GitHubConversations,
) -> None:
    elsewhere = RepositoryRef(host="ghe.example.com", id=1, name=REPOSITORY)

    assert await conversations.is_open(elsewhere, ISSUE) is None


@pytest.mark.parametrize(
    "fault",
    [Fault(status=502, path=".*/issues/7"), secondary_limit(path=".*/issues/7")],
    ids=["502", "limit"],
)
async def test_trouble_passes(conversations: GitHubConversations, desk: Desk, fault: Fault) -> None:
    desk.fake.fail(fault)

    with pytest.raises(InfrastructureError, match=HOST):
        await conversations.is_open(HELLO, ISSUE)

    assert await conversations.is_open(HELLO, ISSUE) is True
