"""What an app, or a fine-grained token, has to be allowed to for each kind of effect.

Names are those of GitHub's API: "pull_requests" is shown to people as "Pull requests".  Each is
needed in "write".  Pure data, beside the kinds: the page docs/github.md is written from it, and
`reactor doctor --github` holds against it what an app was granted.

Source: GitHub docs, "Permissions required for GitHub Apps".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from reactor.effect import Effect
from reactor.github import effects

Access = Literal["read", "write"]

_ENOUGH = {"read": frozenset(("read", "write", "admin")), "write": frozenset(("write", "admin"))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What one kind of effect needs in write."""

    on_issue: str | None = None  # None: it is nothing for an issue
    on_pull: str | None = None  # likewise
    note: str = ""
    is_for_apps_only: bool = False  # no token of a person can be allowed to

    @property
    def all(self) -> frozenset[str]:
        """On whichever of them."""
        return frozenset(name for name in (self.on_issue, self.on_pull) if name is not None)


_EITHER = Need(on_issue="issues", on_pull="pull_requests")
_ON_A_COMMIT = Need(on_issue="checks", on_pull="checks", is_for_apps_only=True)

NEEDS: Mapping[type[Effect], Need] = {
    effects.AddLabels: _EITHER,
    effects.Assign: _EITHER,
    effects.Close: _EITHER,
    effects.CreateCheck: _ON_A_COMMIT,
    effects.CreateIssue: Need(on_issue="issues", on_pull="issues"),
    effects.Dispatch: Need(on_issue="contents", on_pull="contents"),
    effects.DispatchWorkflow: Need(on_issue="actions", on_pull="actions"),
    effects.Lock: _EITHER,
    effects.PostComment: _EITHER,
    effects.React: Need(
        on_issue="issues",
        on_pull="issues",
        note="to a review comment: Pull requests",
    ),
    effects.RemoveLabels: _EITHER,
    effects.Reopen: _EITHER,
    effects.RequestReview: Need(on_pull="pull_requests"),
    effects.ReviewComment: Need(on_pull="pull_requests"),
    effects.SetLabels: _EITHER,
    effects.SetMilestone: _EITHER,
    effects.StickyComment: _EITHER,
    effects.Unassign: _EITHER,
    effects.Unlock: _EITHER,
    effects.UpdateCheck: _ON_A_COMMIT,
    effects.UpdateComment: _EITHER,
}
"""Every kind of `EFFECT_TYPES`."""

READS: Mapping[str, str] = {
    "metadata": "comes with any other; the roles of people who give commands",
    "contents": "`.github/reactor.yml`",
}
"""What is read, and what for."""

EVENTS: Mapping[str, str] = {
    "issues": "what is triaged",
    "issue_comment": "answers and commands",
    "pull_request": "the same for pull requests",
    "pull_request_review": "commands in reviews",
    "pull_request_review_comment": "commands in comments on lines",
    "push": "a change of `.github/reactor.yml` counts at once",
    "repository": "renamed, archived and deleted repositories",
    "star": "thanks of the package `community`",
}
"""What an app, or a webhook, is told of; GitHub tells an app of its installations in any case."""


def wanted(kinds: Iterable[type[Effect]]) -> dict[str, Access]:
    """All that an app needs for these kinds, by name; kinds of other packages need nothing here."""
    found: dict[str, Access] = dict.fromkeys(READS, "read")
    for kind in kinds:
        if kind in NEEDS:
            found |= dict.fromkeys(NEEDS[kind].all, "write")
    return dict(sorted(found.items()))


def lacking(granted: Mapping[str, str], kinds: Iterable[type[Effect]]) -> dict[str, Access]:
    """What of that was not granted."""
    return {
        name: access
        for name, access in wanted(kinds).items()
        if granted.get(name) not in _ENOUGH[access]
    }


def shown(name: str) -> str:
    """As GitHub's pages have it: "Pull requests"."""
    return name.replace("_", " ").capitalize()
