"""A repository in memory: what people do comes as events, and what effects do stays there."""

import pytest

from reactor import Effect, EffectRefused, action, component
from reactor.github import (
    AddLabels,
    ConversationEvent,
    CreateCheck,
    CreateIssue,
    Dispatch,
    Event,
    Issue,
    IssueClosed,
    IssueCommentCreated,
    IssueEdited,
    IssueLabeled,
    IssueOpened,
    IssueReopened,
    IssueUnlabeled,
    PostComment,
    PullRequestClosed,
    React,
    StarCreated,
    StickyComment,
    UpdateComment,
)
from reactor.testing import FakeRepository, NoSuchConversation, Workbench


class Page(Effect):
    """A change that is none of GitHub's."""

    whom: str


@component(effects=(AddLabels, PostComment, Page))
class Greeter:
    """Asks who opens an issue, and labels it when somebody answers."""

    @action
    async def ask(self, event: IssueOpened, issue: Issue) -> tuple[PostComment, Page]:
        """Ask."""
        return PostComment(body=f"{issue.title}: which version?"), Page(whom="ann")

    @action
    async def note(self, event: IssueCommentCreated, issue: Issue) -> AddLabels:
        """Label."""
        return AddLabels(labels=("answered",))


@pytest.fixture
def repository() -> FakeRepository:
    return FakeRepository("octo/hello", stargazers_count=9)


async def test_a_conversation_over_several_events(repository: FakeRepository) -> None:
    bench = Workbench(Greeter)

    repository.apply(await bench.run(repository.open_issue("It crashes", by="ann")))
    answered = await bench.run(repository.comment(1, "2.3.1", by="ann"))
    repository.apply(answered)

    assert repository[1].said == ["It crashes: which version?", "2.3.1"]
    assert [comment.by for comment in repository[1].comments] == ["reactor[bot]", "ann"]
    assert repository[1].labels == ["answered"]
    assert repository.others == [Page(whom="ann")]


def about(event: Event) -> Issue:
    assert isinstance(event, ConversationEvent)
    assert event.issue is not None
    return event.issue


def test_each_event_tells_all_as_it_is_by_then(repository: FakeRepository) -> None:
    opened = repository.open_issue("It crashes", "On ice.", by="ann", author_association="NONE")
    labelled = repository.label(1, "bug")
    edited = repository.edit(1, title="It crashes on ice")
    closed = repository.close(1)

    kinds = [IssueOpened, IssueLabeled, IssueEdited, IssueClosed]
    assert [type(each) for each in (opened, labelled, edited, closed)] == kinds
    assert len({each.delivery_id for each in (opened, labelled, edited, closed)}) == 4
    assert about(edited).label_names == {"bug"}
    assert about(closed).title == "It crashes on ice"
    assert (about(closed).state, about(closed).state_reason) == ("closed", "completed")
    times = [about(each).updated_at for each in (opened, labelled, edited, closed)]
    assert times == sorted(set(times), key=str)
    assert edited.sender is not None
    assert edited.sender.login == "ann"


def test_what_is_taken_back_is_told_as_well(repository: FakeRepository) -> None:
    repository.open_issue("It crashes")
    repository.label(1, "bug")

    unlabelled = repository.unlabel(1, "Bug")
    repository.close(1)
    reopened = repository.reopen(1)

    assert isinstance(unlabelled, IssueUnlabeled)
    assert about(unlabelled).labels == ()
    assert isinstance(reopened, IssueReopened)
    assert about(reopened).state == "open"


def test_a_pull_request_is_one_in_all_that_happens_to_it(repository: FakeRepository) -> None:
    repository.open_pull_request("Mend the brakes", changed_files=3)
    said = repository.comment(1, "Thanks!")
    merged = repository.close(1, merged=True)

    assert isinstance(said, IssueCommentCreated)
    assert said.pull_request is not None
    assert isinstance(merged, PullRequestClosed)
    assert merged.pull_request is not None
    assert (merged.pull_request.merged, merged.pull_request.changed_files) == (True, 3)


def test_stars_are_counted(repository: FakeRepository) -> None:
    starred = repository.star(by="ann")

    assert isinstance(starred, StarCreated)
    assert starred.repository is not None
    assert starred.repository.stargazers_count == 10


def test_an_issue_that_an_effect_opens_is_there_and_is_ours(repository: FakeRepository) -> None:
    repository.make(CreateIssue(title="Weekly", body="Nothing.", labels=("report",)))

    assert [(each.number, each.title, each.by) for each in repository] == [
        (1, "Weekly", "reactor[bot]")
    ]
    assert repository[1].labels == ["report"]


def test_what_belongs_to_no_conversation_is_kept_by_the_repository(
    repository: FakeRepository,
) -> None:
    sent = Dispatch(event_type="triaged")
    check = CreateCheck(name="triage", head_sha="a" * 40, conclusion="success")

    repository.make(sent)
    repository.make(check)

    assert (repository.dispatches, repository.checks) == ([sent], [check])


def test_a_sticky_comment_is_one_comment_however_often_it_is_written(
    repository: FakeRepository,
) -> None:
    repository.open_issue("It crashes")

    for body in ("Two things are missing.", "All is there."):
        repository.make(StickyComment(slot="triage", body=body), 1)

    assert repository[1].said == ["All is there."]


@pytest.mark.parametrize(
    "effect", [UpdateComment(comment_id=99, body="x"), React(content="eyes", comment_id=99)]
)
def test_what_is_not_there_is_refused_as_github_does(
    repository: FakeRepository, effect: Effect
) -> None:
    repository.open_issue("It crashes")

    with pytest.raises(EffectRefused, match="#1 has no comment 99"):
        repository.make(effect, 1)


def test_nobody_elses_comment_is_written_anew(repository: FakeRepository) -> None:
    repository.open_issue("It crashes")
    repository.comment(1, "Me too.", by="ann")
    (comment,) = repository[1].comments

    with pytest.raises(EffectRefused, match="was not written by us"):
        repository.make(UpdateComment(comment_id=comment.id, body="x"), 1)


def test_a_change_of_nothing_is_refused(repository: FakeRepository) -> None:
    with pytest.raises(EffectRefused, match="AddLabels needs an issue or a pull request"):
        repository.make(AddLabels(labels=("bug",)))


def test_a_number_that_is_not_there_is_told_with_those_that_are(
    repository: FakeRepository,
) -> None:
    repository.open_issue("It crashes")

    with pytest.raises(NoSuchConversation, match="no #7; there are: #1"):
        repository.comment(7, "Hello?")
