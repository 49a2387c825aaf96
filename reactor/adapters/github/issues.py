"""Changes of an issue or pull request itself: labels, people, state, lock, milestone, reviews.

Each looks first where an earlier try may have made the change, and where it overwrites what a
person may have changed since: to make again what a person has undone is to overwrite it, too.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from reactor.adapters.github.place import Place, refuse_for
from reactor.attempt import AlreadyDone, EffectRefused
from reactor.github.effects import (
    AddLabels,
    Assign,
    Close,
    Lock,
    RemoveLabels,
    Reopen,
    RequestReview,
    SetLabels,
    SetMilestone,
    Unassign,
    Unlock,
)

_LABELING = ("labeled", "unlabeled")
_MILESTONING = ("milestoned", "demilestoned")


def add_labels(place: Place, effect: AddLabels) -> object:
    """A label that the repository does not have is made."""
    if place.attempt.may_be_done:
        issue = place.issue()
        missing = _lower(effect.labels) - _labels_of(issue)
        if not missing:
            return AlreadyDone(_seen(place))
        place.refuse_if_a_person_did(issue, ("unlabeled",), to=missing)
    place.send("POST", place.issue_path("labels"), {"labels": list(effect.labels)})
    return _seen(place)


def remove_labels(place: Place, effect: RemoveLabels) -> object:
    """One after the other: GitHub has no way to take several."""
    wanted = list(effect.labels)
    if place.attempt.may_be_done:
        issue = place.issue()
        there = _labels_of(issue)
        wanted = [label for label in wanted if label.lower() in there]
        if not wanted:
            return AlreadyDone(_seen(place))
        place.refuse_if_a_person_did(issue, ("labeled",), to=_lower(wanted))
    for label in wanted:
        path = place.issue_path("labels", label)
        answer = place.connection.try_("DELETE", path)
        if answer.status != 404 or "label" not in answer.said.lower():  # it was not there
            place.connection.check(answer, f"DELETE {path}")
    return _seen(place)


def set_labels(place: Place, effect: SetLabels) -> object:
    """All of them at once, unless a person changed any since."""
    issue = place.issue()
    if _labels_of(issue) == _lower(effect.labels):
        return AlreadyDone(_seen(place))
    place.refuse_if_a_person_did(issue, _LABELING)
    path = place.issue_path("labels")
    if effect.labels:
        place.send("PUT", path, {"labels": list(effect.labels)})
    else:
        place.send("DELETE", path)
    return _seen(place)


def assign(place: Place, effect: Assign) -> object:
    """GitHub leaves out silently who can't be assigned; that is told."""
    wanted = _lower(effect.logins)
    if place.attempt.may_be_done:
        issue = place.issue()
        missing = wanted - _assignees_of(issue)
        if not missing:
            return AlreadyDone(_seen(place))
        place.refuse_if_a_person_did(issue, ("unassigned",), to=missing)
    answer = place.send("POST", place.issue_path("assignees"), {"assignees": list(effect.logins)})
    left_out = sorted(wanted - _assignees_of(answer.data))
    if set(left_out) == wanted:
        raise EffectRefused(f"{', '.join(left_out)} can't be assigned: no access to the repository")
    return {**_seen(place), **({"left_out": left_out} if left_out else {})}


def unassign(place: Place, effect: Unassign) -> object:
    """Who is not assigned is no fault."""
    if place.attempt.may_be_done:
        issue = place.issue()
        there = _lower(effect.logins) & _assignees_of(issue)
        if not there:
            return AlreadyDone(_seen(place))
        place.refuse_if_a_person_did(issue, ("assigned",), to=there)
    place.send("DELETE", place.issue_path("assignees"), {"assignees": list(effect.logins)})
    return _seen(place)


def close(place: Place, effect: Close) -> object:
    """Unless a person opened it again since, or closed it for another reason."""
    issue = place.issue()
    is_pull = "pull_request" in issue  # a pull request has no reason
    if issue["state"] == "closed":
        if is_pull or issue.get("state_reason") == effect.reason:
            return AlreadyDone(_seen(place))
        _refuse_if_closed_since(place, issue)
    else:
        place.refuse_if_a_person_did(issue, ("reopened",))
    change: dict[str, Any] = {"state": "closed"}
    if not is_pull:
        change["state_reason"] = effect.reason
    if effect.duplicate_of is not None:
        original = _original(place, effect.duplicate_of)
        if not is_pull:
            change["duplicate_issue_id"] = original["id"]
    place.send("PATCH", place.issue_path(), change)
    return _seen(place)


def reopen(place: Place, effect: Reopen) -> object:
    """Unless a person closed it since."""
    issue = place.issue()
    if issue["state"] == "open":
        return AlreadyDone(_seen(place))
    _refuse_if_closed_since(place, issue)
    is_pull = "pull_request" in issue
    change = {"state": "open", **({} if is_pull else {"state_reason": "reopened"})}
    place.send("PATCH", place.issue_path(), change)
    return _seen(place)


def lock(place: Place, effect: Lock) -> object:
    """Again does no harm."""
    if place.attempt.may_be_done:
        issue = place.issue()
        if issue.get("locked"):
            return AlreadyDone(_seen(place))
        place.refuse_if_a_person_did(issue, ("unlocked",))
    body = {"lock_reason": effect.reason} if effect.reason else None
    place.send("PUT", place.issue_path("lock"), body)
    return _seen(place)


def unlock(place: Place, effect: Unlock) -> object:
    """Again does no harm."""
    if place.attempt.may_be_done:
        issue = place.issue()
        if not issue.get("locked"):
            return AlreadyDone(_seen(place))
        place.refuse_if_a_person_did(issue, ("locked",))
    place.send("DELETE", place.issue_path("lock"))
    return _seen(place)


def set_milestone(place: Place, effect: SetMilestone) -> object:
    """Unless a person moved it since."""
    issue = place.issue()
    if (issue.get("milestone") or {}).get("number") == effect.number:
        return AlreadyDone(_seen(place))
    place.refuse_if_a_person_did(issue, _MILESTONING)
    place.send("PATCH", place.issue_path(), {"milestone": effect.number})
    return _seen(place)


def request_review(place: Place, effect: RequestReview) -> object:
    """Who was asked and has answered is asked again."""
    path = place.pull_path("requested_reviewers")
    if place.attempt.may_be_done:
        asked = place.connection.get(path)
        people, teams = _names(asked["users"], "login"), _names(asked["teams"], "slug")
        if _lower(effect.reviewers) <= people and _lower(effect.teams) <= teams:
            return AlreadyDone(_seen(place))
    body = {"reviewers": list(effect.reviewers), "team_reviewers": list(effect.teams)}
    place.send("POST", path, {name: names for name, names in body.items() if names})
    return _seen(place)


def _refuse_if_closed_since(place: Place, issue: Mapping[str, Any]) -> None:
    closed_by = issue.get("closed_by")
    if place.is_later(issue.get("closed_at")) and place.us.is_person(closed_by):
        assert closed_by is not None
        refuse_for(closed_by, "closed")


def _original(place: Place, number: int) -> Any:
    if number == place.number:
        raise EffectRefused(f"#{number} can't be a duplicate of itself")
    found = place.connection.find(place.path("issues", number))
    if found is None:
        raise EffectRefused(f"there is no #{number} in {place.repository} to be a duplicate of")
    return found


def _seen(place: Place) -> dict[str, object]:
    """Where to look at it, as it was called in the delivery."""
    return {"subject": f"{place.repository}#{place.number}"}


def _labels_of(issue: Mapping[str, Any]) -> set[str]:
    return _names(issue["labels"], "name")


def _assignees_of(issue: Mapping[str, Any]) -> set[str]:
    return _names(issue.get("assignees") or (), "login")


def _names(items: Iterable[Mapping[str, Any]], field: str) -> set[str]:
    return {str(item[field]).lower() for item in items}


def _lower(names: Collection[str]) -> set[str]:
    return {name.lower() for name in names}
