"""What people want of a process: that it ends, pauses or goes on."""

import secrets

from starlette.requests import Request

from reactor.lookup import UnknownProcess
from reactor.refusal import Refused
from reactor.runner import NoSuchProcess
from reactor.signal import Signal
from reactor.waiting import Wish
from reactor.web.console.areas import Change, Done, Resource
from reactor.web.console.desks import Desk
from reactor.web.console.resources import PROCESS_ID
from reactor.web.console.sent import sent_of
from reactor.web.console.viewer import said_by

_WISHES: dict[str, Wish] = {
    "kill": "kill",
    "terminate": "terminate",
    "pause": "pause",
    "resume": "resume",
}
_LONGEST_REASON = 1_000  # characters


class Wishes:
    """Signals to processes."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The buttons are on the page of the process."""
        return ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """To do."""
        return (Change("/processes/{id}/signal", "/api/processes/{id}/signal", self._tell),)

    async def _tell(self, request: Request) -> Done:
        sent, process = sent_of(request), request.path_params["id"]
        sent.check_names("wish", "reason", "by")
        wish = _WISHES.get(sent.text("wish"))
        if wish is None:
            known = ", ".join(_WISHES)
            raise Refused(400, "wish", f"`wish` is one of {known}", where="body", fix="say which")
        if not PROCESS_ID.fullmatch(process):
            raise UnknownProcess(process)
        signal = Signal(
            id=f"signal-{secrets.token_hex(16)}",
            kind=wish,
            process_id=process,
            by=said_by(request),
            reason=sent.text("reason", longest=_LONGEST_REASON),
        )
        try:
            await self._desk.tell(signal)
        except NoSuchProcess as unknown:
            raise UnknownProcess(process) from unknown
        told = {"process": process, "signal": signal.id, "status": "accepted"}
        return Done(told, f"/processes/{process}?said=told")
