"""Check runs, and events that start workflows."""

from collections.abc import Iterator, Mapping
from typing import Any

from reactor.adapters.github.place import Place
from reactor.attempt import AlreadyDone, EffectRefused
from reactor.github.effects import CreateCheck, Dispatch, DispatchWorkflow, UpdateCheck

_UNKNOWN = (
    "an earlier try may have sent it, and GitHub has no way to look: it is not sent again, so that"
    " no workflow runs twice"
)


def create_check(place: Place, effect: CreateCheck) -> object:
    """Its external id carries the effect's key."""
    if place.attempt.may_be_done:
        for check in _checks(place, effect):
            if str(check.get("external_id")).endswith(f"#{place.attempt.key}"):
                return AlreadyDone(_told(check))
    body = {
        "name": effect.name,
        "head_sha": effect.head_sha,
        "external_id": f"{effect.slot or ''}#{place.attempt.key}",
        **_said(effect),
    }
    return _told(place.send("POST", place.path("check-runs"), body).data)


def update_check(place: Place, effect: UpdateCheck) -> object:
    """The newest of ours with that name, commit and slot; again does no harm."""
    ours = [check for check in _checks(place, effect) if _is_of(check, effect)]
    if not ours:
        raise EffectRefused(
            f"there is no check run {effect.name} of ours on {effect.head_sha[:12]}"
        )
    newest = max(ours, key=lambda check: int(check["id"]))
    path = place.path("check-runs", newest["id"])
    return _told(place.send("PATCH", path, _said(effect)).data)


def dispatch(place: Place, effect: Dispatch) -> object:
    """Sent at most once: nothing tells afterwards whether it was."""
    if place.attempt.may_be_done:
        raise EffectRefused(_UNKNOWN)
    body = {"event_type": effect.event_type, "client_payload": dict(effect.payload)}
    place.send("POST", place.path("dispatches"), body)
    return None


def dispatch_workflow(place: Place, effect: DispatchWorkflow) -> object:
    """Likewise."""
    if place.attempt.may_be_done:
        raise EffectRefused(_UNKNOWN)
    body = {"ref": effect.ref, **({"inputs": dict(effect.inputs)} if effect.inputs else {})}
    place.send("POST", place.path("actions", "workflows", effect.workflow, "dispatches"), body)
    return None


def _checks(place: Place, effect: CreateCheck | UpdateCheck) -> Iterator[Mapping[str, Any]]:
    path = place.path("commits", effect.head_sha, "check-runs")
    return place.connection.each(path, inside="check_runs", check_name=effect.name, filter="all")


def _is_of(check: Mapping[str, Any], effect: UpdateCheck) -> bool:
    """Whether the bot made it for that slot; its external id says so."""
    slot, mark, key = str(check.get("external_id") or "").rpartition("#")
    return mark == "#" and len(key) == 32 and slot == (effect.slot or "")


def _said(effect: CreateCheck | UpdateCheck) -> dict[str, Any]:
    said: dict[str, Any] = {"status": effect.status}
    if effect.conclusion is not None:
        said["conclusion"] = effect.conclusion
    if effect.title:
        said["output"] = {"title": effect.title, "summary": effect.summary}
        if effect.text:
            said["output"]["text"] = effect.text
    return said


def _told(check: Mapping[str, Any]) -> dict[str, object]:
    return {"id": check.get("id"), "url": check.get("html_url")}
