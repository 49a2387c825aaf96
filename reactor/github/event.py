"""What every event of GitHub has, and the two that are about nothing in particular.

Imports models only; the other events are in `conversation_events` and `repository_events`, and
`reactor.github.events` reads deliveries into them.
"""

import json

from pydantic import ConfigDict

from reactor.github.models import (
    Account,
    Comment,
    Discussion,
    GitHubModel,
    Installation,
    Issue,
    Moment,
    Organization,
    PullRequest,
    Repository,
)

UNKEPT = "*"  # in `unread`: the fields without a model were too much to keep

# A hook of the repository and one of the app differ in these for one and the same event.
_OF_THE_DELIVERY = {"delivery_id", "received_at", "digest", "unread", "installation"}


class Event(GitHubModel):
    """Something happened on GitHub.

    Top-level fields of the payload without a model are kept as they came (`event.check_run`):
    plain JSON data, not to be changed.
    """

    model_config = ConfigDict(extra="allow")

    delivery_id: str
    host: str  # "github.com", or an enterprise host: ids are unique per host only
    event: str  # "issues"
    action: str | None = None
    subject_key: str  # `Subject.key` of the delivery: what it is kept in order with
    received_at: Moment
    digest: str  # SHA-256 of the body, 64 hex digits
    unread: tuple[str, ...] = ()  # paths of optional fields that had a shape nobody expects
    sender: Account | None = None
    repository: Repository | None = None
    organization: Organization | None = None
    installation: Installation | None = None

    @property
    def kind(self) -> str:
        """`issues.opened`, or the bare event name where there is no action."""
        return f"{self.event}.{self.action}" if self.action else self.event

    @property
    def subject(self) -> Issue | PullRequest | None:
        """The issue or the pull request that it is about, if any."""
        return None

    def identity(self) -> tuple[object, ...]:
        """The object and the object's own time: equal for a second hook on the same event.

        Without a better rule, all that is known but what is peculiar to one delivery.
        """
        if UNKEPT in self.unread:
            return (self.digest,)
        return (json.dumps(self.model_dump(mode="json", exclude=_OF_THE_DELIVERY), sort_keys=True),)


class GenericEvent(Event):
    """An event without a model: everything but the shared fields is kept as it came."""


class Ping(Event):
    """A hook was set up."""

    zen: str | None = None
    hook_id: int | None = None


def timed(thing: Issue | PullRequest | Comment | Discussion | None) -> tuple[object, ...]:
    """Type, id and own time of an object."""
    if thing is None:
        return ()
    return (type(thing).__name__, thing.id, thing.updated_at or thing.created_at)
