"""When an issue or a pull request counts as stale: as soon as any of the rules says so; and since when."""

from datetime import datetime, timedelta

from reactor import ActionContext
from reactor.github import Conversation, PullRequest
from reactor_triage.settings import StaleRule, StaleSettings


def since(subject: Conversation, context: ActionContext) -> datetime:
    """When silence begins: now, or later where its own clock is ahead.

    What comes late, after an outage, is answered late: nobody has been silent until then.
    """
    now = context.now()
    return now if subject.updated_at is None else max(subject.updated_at, now)


def stale_after(subject: Conversation, settings: StaleSettings) -> timedelta | None:
    """The silence after which it is stale; None: never, as it is now."""
    if subject.state == "closed" or _is_exempt(subject, settings):
        return None
    days = [rule.after_days for rule in settings.rules if _is_for(rule, subject)]
    return timedelta(days=min(days)) if days else None


def _is_exempt(subject: Conversation, settings: StaleSettings) -> bool:
    labels = {label.lower() for label in settings.exempt_labels}
    return (
        not labels.isdisjoint(subject.label_names)
        or (settings.exempt_assigned and bool(subject.assignees))
        or (settings.exempt_milestones and subject.milestone is not None)
    )


def _is_for(rule: StaleRule, subject: Conversation) -> bool:
    kind = "pull_request" if isinstance(subject, PullRequest) else "issue"
    labels = {label.lower() for label in rule.labels}
    return rule.on in (kind, "both") and (not labels or not labels.isdisjoint(subject.label_names))
