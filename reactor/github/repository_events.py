"""Events about a repository, its discussions and releases, and about the app's installations."""

from reactor.github.event import Event, timed
from reactor.github.models import (
    Comment,
    Commit,
    Discussion,
    Label,
    Milestone,
    Moment,
    Release,
    Repository,
)


class DiscussionEvent(Event):
    """`discussion`: something happened to a discussion."""

    discussion: Discussion

    def identity(self) -> tuple[object, ...]:
        """The discussion and its time."""
        return timed(self.discussion)


class DiscussionCreated(DiscussionEvent):
    """A discussion was started."""


class DiscussionCommentEvent(DiscussionEvent):
    """`discussion_comment`: somebody wrote in a discussion."""

    comment: Comment

    def identity(self) -> tuple[object, ...]:
        """The comment and its time."""
        return timed(self.comment)


class DiscussionCommentCreated(DiscussionCommentEvent):
    """A comment in a discussion was written."""


class CommitCommentEvent(Event):
    """`commit_comment`: somebody wrote about a commit."""

    comment: Comment

    def identity(self) -> tuple[object, ...]:
        """The comment and its time."""
        return timed(self.comment)


class Push(Event):
    """Commits, a branch or a tag were pushed; `commits` is empty for tags and deletions."""

    ref: str  # "refs/heads/main"
    before: str | None = None
    after: str | None = None
    created: bool = False
    deleted: bool = False
    forced: bool = False
    compare: str | None = None
    commits: tuple[Commit, ...] = ()
    head_commit: Commit | None = None

    def identity(self) -> tuple[object, ...]:
        """The ref, where it was and where it went."""
        return (self.ref, self.before, self.after, self.repository and self.repository.pushed_at)


class RefEvent(Event):
    """A branch or a tag came or went."""

    ref: str  # "v1.2.0": without "refs/tags/"
    ref_type: str | None = None  # "branch" or "tag"

    def identity(self) -> tuple[object, ...]:
        """The ref and the time of the push that made or deleted it."""
        return (self.ref_type, self.ref, self.repository and self.repository.pushed_at)


class RefCreated(RefEvent):
    """`create`: a branch or a tag was made."""


class RefDeleted(RefEvent):
    """`delete`: a branch or a tag was deleted."""


class Forked(Event):
    """`fork`: somebody forked the repository."""

    forkee: Repository

    def identity(self) -> tuple[object, ...]:
        """The fork."""
        return (self.forkee.id,)


class StarEvent(Event):
    """`star`: somebody starred the repository, or took the star back."""

    starred_at: Moment | None = None  # None when it was taken back

    def identity(self) -> tuple[object, ...]:
        """Who, and when; a star taken back has the repository's time only."""
        when = self.starred_at or (self.repository and self.repository.updated_at)
        return (self.repository and self.repository.id, self.sender and self.sender.id, when)


class StarCreated(StarEvent):
    """Somebody starred the repository."""


class StarDeleted(StarEvent):
    """Somebody took the star back."""


class WatchStarted(Event):
    """`watch`: the older name of a star; GitHub sends both for one click."""

    def identity(self) -> tuple[object, ...]:
        """Who, and the repository's time."""
        when = self.repository and self.repository.updated_at
        return (self.repository and self.repository.id, self.sender and self.sender.id, when)


class ReleaseEvent(Event):
    """`release`: something happened to a release."""

    release: Release

    def identity(self) -> tuple[object, ...]:
        """The release and its time; drafts and edits have only what the payload says."""
        release = self.release
        return (release.id, release.published_at, release.model_dump_json())


class ReleasePublished(ReleaseEvent):
    """A release was published."""


class LabelEvent(Event):
    """`label`: a label of the repository was made, changed or deleted."""

    label: Label


class MilestoneEvent(Event):
    """`milestone`: a milestone was made, changed, closed or deleted."""

    milestone: Milestone

    def identity(self) -> tuple[object, ...]:
        """The milestone and its time."""
        return (self.milestone.id, self.milestone.updated_at)


class RepositoryEvent(Event):
    """`repository`: the repository was made, renamed, archived, moved or deleted."""


class InstallationEvent(Event):
    """`installation`: the app was installed, suspended or removed."""

    repositories: tuple[Repository, ...] = ()


class InstallationRepositoriesEvent(Event):
    """`installation_repositories`: the app got or lost repositories."""

    repositories_added: tuple[Repository, ...] = ()
    repositories_removed: tuple[Repository, ...] = ()
