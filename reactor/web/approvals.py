"""`GET /api/approvals` and `POST /api/approvals/{id}`: changes that wait for a person.

A list is `{"approvals": [...]}`, oldest first.  A ruling is `{"approved": true|false}`, with
`"by"` (who says so) and `"reason"`.  202: it is durable, and on its way to a worker; of several,
the first one counts.
"""

from starlette.requests import Request
from starlette.responses import Response

from reactor.approvals import Approvals, UnknownApproval, told_held
from reactor.refusal import Refused
from reactor.web.answers import json_answer
from reactor.web.forms import document

_LONGEST = {"by": 128, "reason": 1000}  # characters


class ApprovalRoutes:
    """Endpoints over `Approvals`."""

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals

    async def listed(self, _: Request) -> Response:
        """What waits."""
        waiting = await self._approvals.waiting()
        return json_answer({"approvals": [told_held(held) for held in waiting]})

    async def rule(self, request: Request) -> Response:
        """Approve or reject one."""
        approval, told = request.path_params["approval"], await document(request)
        is_approved, by, reason = _ruling(told)
        try:
            ruled = await self._approvals.rule(
                approval, is_approved=is_approved, by=by, reason=reason
            )
        except UnknownApproval as unknown:
            raise Refused(
                404,
                "unknown_approval",
                "nothing of this id waits for approval",
                where="path",
                fix="somebody ruled on it, or it has expired: GET /api/approvals lists what waits",
            ) from unknown
        process = ruled.held.intent.process_id
        answer = {"approval": approval, "status": "accepted", "process": process}
        return json_answer(answer, status=202)


def _ruling(told: dict[str, object]) -> tuple[bool, str, str]:
    """Whether it is approved, by whom, and why.  Raises `Refused`."""
    is_approved, by, reason = told.get("approved"), told.get("by", ""), told.get("reason", "")
    faults = [
        f"{name!r} means nothing here" for name in sorted(told.keys() - {"approved", *_LONGEST})
    ]
    if not isinstance(is_approved, bool):
        faults.append("`approved` is true or false")
    faults += [
        f"`{name}` is a text of at most {longest} characters"
        for name, longest in _LONGEST.items()
        if not isinstance(text := told.get(name, ""), str) or len(text) > longest
    ]
    if faults:
        raise Refused(400, "ruling", "; ".join(faults), where="body",
                      fix='send {"approved": true}, with "by"')  # fmt: skip
    return bool(is_approved), str(by), str(reason)
