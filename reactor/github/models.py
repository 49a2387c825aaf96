"""What GitHub's payloads are made of, as frozen models: accounts, issues, comments and so on.

Only fields that reactions use are modelled; others are ignored (the raw body stays with the
delivery).  What is null stays None, what is absent has its default: a component reads `None`
for a null body, never "".  Times come as ISO text or epoch seconds and are aware UTC datetimes.
Ids are Python integers, so they may exceed 32 and 64 bits.
Source: GitHub docs, "Webhook events and payloads"; read with the published example payloads.
"""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


def in_utc(moment: datetime) -> datetime:
    """The same moment, aware and in UTC; a time without a zone is taken for UTC."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # year 1 or 9999 with an offset: not a ValueError, so not a fault yet
        raise ValueError("the time lies outside the years 1 to 9999") from None


Moment = Annotated[datetime, AfterValidator(in_utc)]
"""An aware UTC datetime, read from ISO text or epoch seconds."""


class GitHubModel(BaseModel):
    """Base of everything read from a payload: immutable, tolerant of unknown fields.

    Validators are built on first use, so that importing the models stays cheap.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Account(GitHubModel):
    """A person, a bot or an organisation.  A `[bot]` suffix of the login proves nothing."""

    id: int
    login: str
    type: str | None = None  # "User", "Bot", "Organization", "Mannequin"

    @property
    def is_bot(self) -> bool:
        """Whether GitHub says that this account belongs to an app."""
        return self.type == "Bot"


class App(GitHubModel):
    """The GitHub App through which something was written."""

    id: int
    slug: str | None = None


class Organization(GitHubModel):
    """An organisation."""

    id: int
    login: str
    description: str | None = None


class Installation(GitHubModel):
    """An installation of an app.  Most deliveries carry its id only."""

    id: int
    account: Account | None = None
    app_id: int | None = None
    app_slug: str | None = None
    repository_selection: str | None = None  # "all" or "selected"
    created_at: Moment | None = None
    suspended_at: Moment | None = None


class Repository(GitHubModel):
    """A repository; installation events carry a short form without owner and times."""

    id: int
    full_name: str  # "octo/hello": for people, it can change
    name: str | None = None
    owner: Account | None = None
    private: bool = False
    fork: bool = False
    archived: bool = False
    description: str | None = None
    language: str | None = None
    topics: tuple[str, ...] = ()
    default_branch: str | None = None
    stargazers_count: int | None = None
    html_url: str | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    pushed_at: Moment | None = None


class Label(GitHubModel):
    """A label."""

    name: str
    id: int | None = None
    color: str | None = None  # 6 hex digits
    description: str | None = None


class Milestone(GitHubModel):
    """A milestone."""

    id: int
    number: int
    title: str = ""
    state: str | None = None
    due_on: Moment | None = None
    updated_at: Moment | None = None


class Conversation(GitHubModel):
    """What an issue and a pull request have in common; take it as parameter to accept both."""

    id: int  # of the issue or of the pull request: two number spaces
    number: int
    title: str = ""
    body: str | None = None
    user: Account | None = None  # the author; None for a deleted account
    author_association: str = "NONE"  # "MEMBER", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", ...
    labels: tuple[Label, ...] = ()
    assignees: tuple[Account, ...] = ()
    milestone: Milestone | None = None
    state: str = "open"
    locked: bool = False
    draft: bool = False
    comments: int = 0
    performed_via_github_app: App | None = None
    html_url: str | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    closed_at: Moment | None = None

    @property
    def text(self) -> str:
        """Title and body, for rules that look at words; a null body adds nothing."""
        return f"{self.title}\n\n{self.body}" if self.body else self.title

    @property
    def label_names(self) -> frozenset[str]:
        """The names of its labels, lower case: GitHub compares labels without case."""
        return frozenset(label.name.lower() for label in self.labels)


class Issue(Conversation):
    """An issue.  Never a pull request."""

    state_reason: str | None = None  # "completed", "not_planned", "reopened", "duplicate"


class Branch(GitHubModel):
    """One end of a pull request."""

    ref: str
    sha: str | None = None
    label: str | None = None  # "octo:main"


class PullRequest(Conversation):
    """A pull request.  Made from an issue's object it lacks branches and sizes (None)."""

    merged: bool | None = None
    merged_at: Moment | None = None
    base: Branch | None = None
    head: Branch | None = None
    requested_reviewers: tuple[Account, ...] = ()
    commits: int | None = None
    additions: int | None = None  # lines
    deletions: int | None = None  # lines
    changed_files: int | None = None


class Comment(GitHubModel):
    """A comment on an issue, a pull request, a diff, a commit or a discussion."""

    id: int
    body: str | None = None
    user: Account | None = None
    author_association: str = "NONE"
    performed_via_github_app: App | None = None
    path: str | None = None  # with comments on a diff or a commit
    line: int | None = None
    commit_id: str | None = None
    in_reply_to_id: int | None = None
    html_url: str | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None


class Review(GitHubModel):
    """A review of a pull request."""

    id: int
    state: str | None = None  # "approved", "changes_requested", "commented", "dismissed"
    body: str | None = None
    user: Account | None = None
    author_association: str = "NONE"
    commit_id: str | None = None
    html_url: str | None = None
    submitted_at: Moment | None = None
    updated_at: Moment | None = None


class Discussion(GitHubModel):
    """A discussion: numbered like issues, but none of them."""

    id: int
    number: int
    title: str = ""
    body: str | None = None
    user: Account | None = None
    author_association: str = "NONE"
    state: str | None = None
    html_url: str | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None


class Release(GitHubModel):
    """A release."""

    id: int
    tag_name: str
    name: str | None = None
    body: str | None = None
    draft: bool = False
    prerelease: bool = False
    author: Account | None = None
    html_url: str | None = None
    created_at: Moment | None = None
    published_at: Moment | None = None


class GitAuthor(GitHubModel):
    """Who a commit says wrote it: free text, not an account."""

    name: str | None = None
    email: str | None = None
    username: str | None = None  # where GitHub knows an account for the address


class Commit(GitHubModel):
    """A commit of a push, with the paths it touched."""

    id: str
    message: str = ""
    author: GitAuthor | None = None
    timestamp: Moment | None = None
    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Changes(GitHubModel):
    """What was changed: the links of a transfer; old values of an edit are kept as they came."""

    model_config = ConfigDict(extra="allow")

    old_issue: Issue | None = None
    old_repository: Repository | None = None
    new_issue: Issue | None = None
    new_repository: Repository | None = None
