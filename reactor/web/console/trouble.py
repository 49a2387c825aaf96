"""What the console answers when something is wrong: a page for people, a problem for programs."""

from collections.abc import Callable, Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from reactor.chronicle import UnknownSubject
from reactor.errors import InfrastructureError, ReactorError
from reactor.lookup import UnknownDelivery, UnknownProcess
from reactor.refusal import Refused
from reactor.web.answers import problem
from reactor.web.console.attempts import WINDOW
from reactor.web.console.pages import Pages
from reactor.web.console.viewer import viewer_of

Handler = Callable[[Request, Exception], Response]


class Trouble:
    """Answers to errors."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def handlers(self) -> Mapping[type[Exception], Handler]:
        """By class, as starlette takes them."""
        return {ReactorError: self._answer, HTTPException: self._answer, Exception: self._answer}

    def _answer(self, request: Request, error: Exception) -> Response:
        refused = _as_refused(request, error)
        headers = {"WWW-Authenticate": "Bearer"} if refused.status == 401 else {}
        if refused.status in (408, 413):  # what is still to come is not waited for
            headers["Connection"] = "close"
        if refused.status == 429:
            headers["Retry-After"] = str(int(WINDOW.total_seconds()))
        if isinstance(error, HTTPException):
            headers |= error.headers or {}
        if request.url.path.startswith("/api/"):
            return problem(refused, headers=headers)
        page = self._pages.render(
            "error.html",
            {
                "status": refused.status,
                "what": refused.what,
                "where": refused.where,
                "fix": refused.fix,
            },
            viewer_of(request),
        )
        return HTMLResponse(page, refused.status, headers)


def _as_refused(request: Request, error: Exception) -> Refused:
    """Every error in one form."""
    match error:
        case Refused():
            return error
        case UnknownDelivery() | UnknownProcess() | UnknownSubject():
            what, _, fix = str(error).partition("; ")
            return Refused(404, "unknown", what, where="path", fix=fix)
        case InfrastructureError():
            what, fix = f"{error.server} does not answer", "load it again in a moment"
            return Refused(503, "server_away", what, where="inside", fix=fix)
        case ReactorError():
            return Refused(500, "fault", str(error), where="inside", fix="see the console's log")
        case HTTPException(status_code=405):
            what = f"{request.method} does nothing here"
            return Refused(405, "method", what, where="method", fix="use GET, or start from /")
        case HTTPException():
            what, fix = "there is nothing at this path", "start from /"
            return Refused(error.status_code, "path", what, where="path", fix=fix)
    return Refused(500, "fault", "the console failed", where="inside", fix="its log has the reason")
