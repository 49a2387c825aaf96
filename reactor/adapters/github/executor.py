"""The executor of every effect that GitHub knows: where, as whom, and by which function.

    effect -> host -> account -> place -> the function of its kind

Its method is a plain one, so the sender runs it in a thread of its own, bounded in number and
time; and where it is cut off, waits until the thread can't write any more.
"""

from collections.abc import Callable, Mapping
from typing import Any

from reactor.action import component, executes
from reactor.adapters.github import comments, issues, runs
from reactor.adapters.github.accounts import Account
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Place, Target
from reactor.attempt import Attempt, EffectGivenUp, EffectRefused
from reactor.effect import Effect
from reactor.github import effects
from reactor.github.effects import EFFECT_TYPES, GitHubEffect

Write = Callable[[Place, Any], object]

WRITES: Mapping[type[Effect], Write] = {
    effects.AddLabels: issues.add_labels,
    effects.Assign: issues.assign,
    effects.Close: issues.close,
    effects.CreateCheck: runs.create_check,
    effects.CreateIssue: comments.create_issue,
    effects.Dispatch: runs.dispatch,
    effects.DispatchWorkflow: runs.dispatch_workflow,
    effects.Lock: issues.lock,
    effects.PostComment: comments.post_comment,
    effects.React: comments.react,
    effects.RemoveLabels: issues.remove_labels,
    effects.Reopen: issues.reopen,
    effects.RequestReview: issues.request_review,
    effects.ReviewComment: comments.write_review_comment,
    effects.SetLabels: issues.set_labels,
    effects.SetMilestone: issues.set_milestone,
    effects.StickyComment: comments.keep_comment,
    effects.Unassign: issues.unassign,
    effects.Unlock: issues.unlock,
    effects.UpdateCheck: runs.update_check,
    effects.UpdateComment: comments.update_comment,
}


@component(name="github", effects=EFFECT_TYPES)
class GitHubExecutor:
    """Makes changes on the hosts that it is given; closed by whoever made it."""

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        """`accounts`: by host, as in `Attempt.host`."""
        self._accounts = dict(accounts)

    @executes
    def send(self, effect: GitHubEffect, attempt: Attempt) -> object:
        """Make the change, once.

        Raises `EffectRefused`, `EffectDelayed`, and `GitHubTrouble` where it may be done.
        """
        write = next((WRITES[kind] for kind in type(effect).__mro__ if kind in WRITES), None)
        if write is None:
            raise EffectRefused(f"GitHub knows no {effect.kind}")
        account = self._accounts.get(attempt.host)
        if account is None:
            raise EffectGivenUp(f"{attempt.host} is no host that we know: name it in github.hosts")
        target = Target.of(attempt)

        def make(connection: Connection) -> object:
            mine = connection.at_home(target.repository_id).with_priority(attempt.priority)
            place = Place(target=target, connection=mine, attempt=attempt, us=account.us())
            return write(place, effect)

        return account.call(target, make)

    def close(self) -> None:
        """Let all connections go."""
        for account in self._accounts.values():
            account.close()
