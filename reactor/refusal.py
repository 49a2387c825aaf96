"""Refusing a request: what is wrong with it, where, and what to do about it.

Raised by whatever looks at a request (a dialect, the gateway), answered by the gateway in one
form.  Imports nothing of Reactor but errors.
"""

from reactor.errors import ReactorError


class Refused(ReactorError):
    """A request that is not accepted; nothing of it is kept.

    `reason` is one constant word for counters and logs, `status` the HTTP status.  The texts are
    read by strangers: never a secret, never a whole payload.
    """

    def __init__(self, status: int, reason: str, what: str, *, where: str, fix: str) -> None:
        super().__init__(status, reason, what, where, fix)
        self.status, self.reason = status, reason
        self.what, self.where, self.fix = what, where, fix

    def __reduce__(self) -> tuple[object, ...]:
        return _refused, self.args

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.fix}"


def _refused(status: int, reason: str, what: str, where: str, fix: str) -> Refused:
    return Refused(status, reason, what, where=where, fix=fix)
