"""What each kind of effect does to a `FakeRepository`; as the executor over GitHub does it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reactor.attempt import EffectRefused
from reactor.effect import Effect
from reactor.github import effects as to
from reactor.github.repository_effects import (
    CreateCheck,
    CreateIssue,
    DispatchWorkflow,
    UpdateCheck,
)
from reactor.testing.conversation import FakeComment, FakeConversation

if TYPE_CHECKING:
    from reactor.testing.fake_repository import FakeRepository


def make(effect: Effect, repository: "FakeRepository", about: FakeConversation | None) -> None:
    """Change what it says.  Raises `EffectRefused` for what is not there."""
    match effect:
        case to.Dispatch() | DispatchWorkflow():
            repository.dispatches.append(effect)
        case CreateCheck() | UpdateCheck():
            repository.checks.append(effect)
        case CreateIssue():
            repository.bot_opens(effect.title, effect.body, effect.labels, effect.assignees)
        case to.GitHubEffect() if about is None:
            raise EffectRefused(f"{effect.kind} needs an issue or a pull request")
        case to.PostComment() | to.UpdateComment() | to.StickyComment() | to.ReviewComment():
            _write(effect, repository, _there(about))
        case to.React():
            _react(effect, _there(about))
        case to.GitHubEffect():
            _change(effect, _there(about))
        case _:
            repository.others.append(effect)


def number_of(subject: str) -> int | None:
    """Of "github.com/1296269#7"; None for what is no issue or pull request."""
    _, _, number = subject.partition("#")
    return int(number) if number.isdigit() else None


def add(there: list[str], new: Iterable[str]) -> None:
    """Each once, whatever its case is."""
    known = {each.lower() for each in there}
    there += [each for each in dict.fromkeys(new) if each.lower() not in known]


def take(there: list[str], gone: Iterable[str]) -> None:
    """Those that are there, whatever their case is."""
    names = {each.lower() for each in gone}
    there[:] = [each for each in there if each.lower() not in names]


def _there(about: FakeConversation | None) -> FakeConversation:
    assert about is not None, "it was looked at before"
    return about


def _change(effect: to.GitHubEffect, about: FakeConversation) -> None:
    match effect:
        case to.Close() | to.Reopen() | to.Lock() | to.Unlock():
            _move(effect, about)
        case to.SetMilestone(number=number):
            about.milestone = number
        case to.RequestReview(reviewers=reviewers, teams=teams):
            add(about.reviewers, reviewers)
            add(about.teams, teams)
        case _:
            _relabel(effect, about)


def _relabel(effect: to.GitHubEffect, about: FakeConversation) -> None:
    """Labels and people."""
    match effect:
        case to.AddLabels(labels=labels):
            add(about.labels, labels)
        case to.RemoveLabels(labels=labels):
            take(about.labels, labels)
        case to.SetLabels(labels=labels):
            about.labels[:] = labels
        case to.Assign(logins=logins):
            add(about.assignees, logins)
        case to.Unassign(logins=logins):
            take(about.assignees, logins)


def _move(effect: to.GitHubEffect, about: FakeConversation) -> None:
    """State and lock."""
    match effect:
        case to.Close(reason=reason):
            about.state = "closed"
            about.state_reason = None if about.is_pull_request else reason
        case to.Reopen():
            if about.state == "closed":
                about.state = "open"
                about.state_reason = None if about.is_pull_request else "reopened"
        case to.Lock(reason=reason):
            about.is_locked, about.lock_reason = True, reason
        case to.Unlock():
            about.is_locked, about.lock_reason = False, None


def _write(effect: to.GitHubEffect, repository: "FakeRepository", about: FakeConversation) -> None:
    match effect:
        case to.PostComment(body=body):
            repository.bot_says(about, body)
        case to.UpdateComment(comment_id=id, body=body):
            said = _comment(about, id, about.comments)
            if said.by != repository.bot:
                raise EffectRefused(f"comment {id} was not written by us")
            said.body = body
        case to.StickyComment(slot=slot, body=body):
            kept = [each for each in about.comments if each.slot == slot]
            said = kept[0] if kept else repository.bot_says(about, body)
            said.slot, said.body = slot, body
        case to.ReviewComment(body=body, path=path, line=line, in_reply_to=first):
            on = (
                f"{path}:{line}"
                if first is None
                else _comment(about, first, about.line_comments).on
            )
            said = FakeComment(id=repository.next_id(), by=repository.bot, body=body, on=on)
            about.line_comments.append(said)


def _react(effect: to.React, about: FakeConversation) -> None:
    if effect.comment_id is None:
        add(about.reactions, [effect.content])
        return
    there = about.line_comments if effect.on == "review_comment" else about.comments
    add(_comment(about, effect.comment_id, there).reactions, [effect.content])


def _comment(about: FakeConversation, id: int, there: list[FakeComment]) -> FakeComment:
    for each in there:
        if each.id == id:
            return each
    raise EffectRefused(f"#{about.number} has no comment {id}")
