"""Answers: JSON, and one form for everything that is refused.

A problem has the fields of RFC 9457 (`type`, `title`, `status`) and three of ours: `reason`, a
constant word; `where`; and `fix`, what to do now.
"""

from collections.abc import Mapping, Sequence

import orjson
from starlette.requests import Request
from starlette.responses import Response

from reactor.errors import InfrastructureError
from reactor.refusal import Refused

RETRY_AFTER_S = 10


def json_answer(content: object, *, status: int = 200) -> Response:
    """`content` as JSON."""
    return Response(orjson.dumps(content), status, media_type="application/json")


def problem(refused: Refused, *, headers: Mapping[str, str] | None = None) -> Response:
    """The answer to a request that is refused."""
    sent = dict(headers or {})
    if refused.status == 503:
        sent["Retry-After"] = str(RETRY_AFTER_S)
    return _problem(refused, _fields(refused), sent)


async def refused_answer(_: Request, error: Exception) -> Response:
    """An exception handler for `Refused`."""
    assert isinstance(error, Refused)
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
    return problem(error, headers=headers)


def refused_with(refused: Refused, *, faults: Sequence[str]) -> Response:
    """The same with every fault that there is, under `faults`."""
    return _problem(refused, _fields(refused) | {"faults": list(faults)}, {})


def _fields(refused: Refused) -> dict[str, object]:
    return {
        "type": "about:blank",
        "title": refused.what,
        "status": refused.status,
        "reason": refused.reason,
        "where": refused.where,
        "fix": refused.fix,
    }


def _problem(refused: Refused, content: object, headers: Mapping[str, str]) -> Response:
    return Response(
        orjson.dumps(content), refused.status, dict(headers), "application/problem+json"
    )


def away(error: InfrastructureError) -> Refused:
    """Why nothing can be accepted or shown while a server is away."""
    return Refused(
        503,
        "server_away",
        f"{error.server} does not answer; nothing was accepted or looked up",
        where="inside",
        fix="send the request again later; GitHub does so only when somebody presses Redeliver",
    )


def wrong_method(method: str) -> Refused:
    """The path is right, the method is not; the header `Allow` has the right ones."""
    return Refused(
        405,
        "method",
        f"{method} does nothing here",
        where="method",
        fix="use one of those in the header Allow; deliveries are sent by POST",
    )
