"""What Redis and its client raise when something is wrong: what it means, and what to do.

Most of it passes, or somebody mends it while we wait: then it is an `InfrastructureError`.  A few
things stay as they are until the settings are changed; those have a remedy here, and whoever
looks at the start (`redis_standing`) raises `UnusableRedis` with it.
"""

import ssl
from collections.abc import Iterator

from redis.exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MaxConnectionsError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
)

from reactor.errors import ReactorError

_WRONG_USER = "correct the user and the password in redis.url (REDIS_URL)"
_REMEDIES: tuple[tuple[type[BaseException], str], ...] = (
    # the first that fits counts: what has to be changed before it can work
    (AuthenticationError, _WRONG_USER),
    (AuthenticationWrongNumberOfArgsError, _WRONG_USER),
    (AuthorizationError, _WRONG_USER),
    (NoPermissionError, "give this user the rights that docs/operations.md lists"),
    (MovedError, "it is a node of a Redis Cluster: set redis.cluster to true"),
    (
        ssl.SSLCertVerificationError,
        "name the file with its CA in redis.ca_file, and call it by a name that is in its"
        " certificate",
    ),
    (ssl.SSLError, "give the port on which it speaks TLS, or begin redis.url with redis://"),
)
_HINTS: tuple[tuple[type[BaseException], str], ...] = (
    (BusyLoadingError, "it still reads its data"),
    (ReadOnlyError, "it is a replica; redis.url should name the master"),
    (OutOfMemoryError, "it is full: give it more memory"),
    (MasterDownError, "it is a replica that has lost its master"),
    (ClusterDownError, "a part of the cluster is down"),
    (MaxConnectionsError, "all our connections are in use"),
)
_HINTS_BY_CODE = {  # the first word of a reply, where the client has no class for it
    "BUSY": "a script holds it up",
    "MISCONF": "it can't write to its disk",
    "NOREPLICAS": "too few of its replicas answer",
}


class UnusableRedis(ReactorError):
    """Redis answers, but not so that we could work with it: somebody has to change something."""

    def __init__(self, where: str, said: str, remedy: str) -> None:
        super().__init__(where, said, remedy)
        self.where, self.said, self.remedy = where, said, remedy

    def __str__(self) -> str:
        return f"Redis at {self.where} can't be used ({self.said}); {self.remedy}"


def remedy(error: BaseException) -> str | None:
    """What has to be changed; None for trouble that passes or is mended elsewhere."""
    return _first(_REMEDIES, error)


def bare(error: BaseException) -> str:
    """What was raised, in one line."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def told(error: BaseException) -> str:
    """What was raised, in one line, and what it means where that helps."""
    said = bare(error)
    hint = remedy(error) or _first(_HINTS, error) or _by_code(error)
    return f"{said}: {hint}" if hint else said


def _first(table: tuple[tuple[type[BaseException], str], ...], error: BaseException) -> str | None:
    for kind, words in table:
        if any(isinstance(each, kind) for each in _chain(error)):
            return words
    return None


def _by_code(error: BaseException) -> str | None:
    return _HINTS_BY_CODE.get(str(error).partition(" ")[0])


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and those that it was raised for: the client wraps what TLS says."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
