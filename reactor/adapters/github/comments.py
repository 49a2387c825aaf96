"""What we write: comments, reviews' comments, reactions, new issues.

Each text ends with our marker, which carries the effect's key: that is what is looked for where an
earlier try may have written it.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from reactor.adapters.github.place import Place
from reactor.attempt import AlreadyDone, EffectRefused
from reactor.github.effects import (
    CreateIssue,
    PostComment,
    React,
    ReviewComment,
    StickyComment,
    UpdateComment,
)


def post_comment(place: Place, effect: PostComment) -> object:
    """A new one, each time."""
    if place.attempt.may_be_done and (found := _earlier(place, _comments(place))):
        return AlreadyDone(_told(found))
    return _write(place, effect.body)


def update_comment(place: Place, effect: UpdateComment) -> object:
    """One of ours, unless a person edited it."""
    path = place.path("issues", "comments", effect.comment_id)
    return _rewrite(place, place.connection.get(path), effect.body)


def keep_comment(place: Place, effect: StickyComment) -> object:
    """The one under that name; a person who deletes it gets another one with the next wish."""
    for comment in _comments(place, everything=True):
        marker = place.our_marker(comment)
        if marker is not None and marker.slot == effect.slot:
            return _rewrite(place, comment, effect.body, slot=effect.slot)
    return _write(place, effect.body, slot=effect.slot)


def write_review_comment(place: Place, effect: ReviewComment) -> object:
    """On the diff, or below another one there."""
    if place.attempt.may_be_done:
        each = place.connection.each(place.pull_path("comments"), **_since(place))
        if found := _earlier(place, each):
            return AlreadyDone(_told(found))
    body: dict[str, Any] = {"body": place.marked(effect.body)}
    if effect.in_reply_to is not None:
        path = place.pull_path("comments", effect.in_reply_to, "replies")
        return _told(place.send("POST", path, body).data)
    body |= {"commit_id": effect.commit_id, "path": effect.path, "line": effect.line}
    body |= {"side": effect.side}
    if effect.start_line is not None:
        body |= {"start_line": effect.start_line, "start_side": effect.side}
    return _told(place.send("POST", place.pull_path("comments"), body).data)


def react(place: Place, effect: React) -> object:
    """GitHub keeps one of a kind from each account, so again does no harm."""
    if effect.comment_id is None:
        path = place.issue_path("reactions")
    else:
        kind = "pulls" if effect.on == "review_comment" else "issues"
        path = place.path(kind, "comments", effect.comment_id, "reactions")
    answer = place.send("POST", path, {"content": effect.content})
    told = {"id": answer.data.get("id")}
    return AlreadyDone(told) if answer.status == 200 else told


def create_issue(place: Place, effect: CreateIssue) -> object:
    """With its labels; who can't be assigned is left out by GitHub."""
    if place.attempt.may_be_done:
        newest = place.connection.each(
            place.path("issues"), state="all", sort="created", direction="desc", **_since(place)
        )
        new = takewhile(lambda issue: str(issue.get("created_at")) >= place.since, newest)
        if found := _earlier(place, new):
            return AlreadyDone(_told(found))
    body: dict[str, Any] = {"title": effect.title, "body": place.marked(effect.body)}
    if effect.labels:
        body["labels"] = list(effect.labels)
    if effect.assignees:
        body["assignees"] = list(effect.assignees)
    return _told(place.send("POST", place.path("issues"), body).data)


def _write(place: Place, text: str, *, slot: str = "") -> object:
    body = {"body": place.marked(text, slot=slot)}
    return _told(place.send("POST", place.issue_path("comments"), body).data)


def _rewrite(place: Place, comment: Mapping[str, Any], text: str, *, slot: str = "") -> object:
    marker = place.our_marker(comment)
    if marker is None:
        raise EffectRefused(f"comment {comment['id']} was not written by us")
    if not marker.is_untouched:
        raise EffectRefused(f"a person changed it since: comment {comment['id']} was edited")
    if marker.key == place.attempt.key:
        return AlreadyDone(_told(comment))
    path = place.path("issues", "comments", comment["id"])
    body = {"body": place.marked(text, slot=slot or marker.slot)}
    return _told(place.send("PATCH", path, body).data)


def _comments(place: Place, *, everything: bool = False) -> Iterator[Mapping[str, Any]]:
    parameters = {} if everything else _since(place)
    return place.connection.each(place.issue_path("comments"), **parameters)


def _earlier(place: Place, things: Iterator[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next((thing for thing in things if place.wrote_it(thing)), None)


def _since(place: Place) -> dict[str, str]:
    return {"since": place.since} if place.since else {}


def _told(thing: Mapping[str, Any]) -> dict[str, object]:
    """What is kept for people."""
    return {"id": thing.get("id"), "url": thing.get("html_url")}
