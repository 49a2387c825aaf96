"""Sessions of people who logged in to the console.  A shape and a port; adapters fit it.

The name of a session is a secret that only its browser has; it is kept under the digest of that
name, so that who can read the store can't come in with what lies there.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Who logged in, and as what."""

    name: str  # as they said; it is recorded with what they do
    may_change: bool
    token: str  # digest of the token that they came in with: another token ends their sessions
    until: datetime  # aware, UTC


class Sessions(Protocol):
    """Where sessions are kept, by their keys.  Every method may raise `InfrastructureError`."""

    async def begin(self, key: str, session: Session) -> None:
        """Keep it until its time is over."""
        ...

    async def find(self, key: str) -> Session | None:
        """None where there is none (any more)."""
        ...

    async def end(self, key: str) -> None:
        """It counts no more, anywhere."""
        ...


def session_key(secret: str) -> str:
    """The key of a session, by the secret that its browser has."""
    return hashlib.sha256(b"session\x00" + secret.encode("utf-8", "surrogatepass")).hexdigest()
