"""Was it us?  What our own app did starts nothing, or it would answer itself for ever.

Told by the app's id, by the login of the account that we write as, and by a hidden marker in
what we wrote.  A `[bot]` suffix proves nothing, and other bots are not us.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from reactor.github.event import Event
from reactor.github.models import Account, App

# What somebody has just written with these actions is theirs; with others they touched what may
# have been written by somebody else.
_WRITTEN = frozenset({"created", "opened", "submitted", "published"})
_CHECKED = frozenset({"created", "completed"})  # "rerequested" is a person's wish, not our doing


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnIdentity:
    """Who we are on GitHub.  Nothing set: no event is ours, except by the marker."""

    app_id: int | None = None
    login: str | None = None  # "triage-reactor[bot]", or a machine user's
    marker: str | None = None  # "<!-- reactor" or longer: part of what we hide in our comments

    @property
    def is_known(self) -> bool:
        """Whether an account or an app is named, so that the marker need not be trusted alone."""
        return self.app_id is not None or self.login is not None


def is_own(event: Event, own: OwnIdentity) -> bool:
    """Whether our own app caused the event.

    The app id is looked for on what the event's sender has just written, and on check runs; on
    what others touch later (a person who edits or labels what we opened) it says nothing.  An
    installation's app id says nothing either: in deliveries to an app it is always the app's own.
    """
    if event.sender is not None and _is_login(event.sender, own.login):
        return True
    if own.app_id is not None and _written_through(event) == own.app_id:
        return True
    return _is_marked(event, own)


def _is_login(account: Account, login: str | None) -> bool:
    return login is not None and account.login.lower() == login.lower()


def _written(event: Event) -> object:
    """What the sender has just written, if anything."""
    if event.action not in _WRITTEN:
        return None
    return getattr(event, "comment", None) or getattr(event, "review", None) or event.subject


def _edited(event: Event) -> object:
    """A comment that its own author has edited: what we write anew in place is marked as well."""
    comment = getattr(event, "comment", None)
    author = getattr(comment, "user", None)
    is_by_author = author is not None and event.sender is not None and author.id == event.sender.id
    return comment if event.action == "edited" and is_by_author else None


def _written_through(event: Event) -> int | None:
    """The id of the app that wrote it, or that runs the check."""
    if isinstance(app := getattr(_written(event), "performed_via_github_app", None), App):
        return app.id
    run = getattr(event, "check_run", None)  # without a model: plain JSON data
    if event.action in _CHECKED and isinstance(run, Mapping):
        app = run.get("app")
        return app.get("id") if isinstance(app, Mapping) else None
    return None


def _is_marked(event: Event, own: OwnIdentity) -> bool:
    """Whether it carries our marker, and its author may be us.

    Anybody can copy a marker, and would go unheard by it: where we know who we are, only an
    app's account that is not known to be another's is believed.
    """
    written = _written(event) or _edited(event)
    body = getattr(written, "body", None)
    if not own.marker or not isinstance(body, str) or own.marker not in body:
        return False
    if not own.is_known:
        return True
    author = getattr(written, "user", None)
    app_id = _written_through(event)
    return (
        isinstance(author, Account)
        and author.is_bot
        and (own.login is None or _is_login(author, own.login))
        and (app_id is None or own.app_id is None or app_id == own.app_id)
    )
