"""Effects: changes outside, as data.  A component returns them; one place executes them.

Defines what every effect is, its idempotency key, and the record of what became of it.
The effects that GitHub knows are in `reactor.github.effects`.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

Mode = Literal["observe", "approve", "live"]
EffectState = Literal["observed", "intended", "done", "refused", "due"]


class Effect(BaseModel):
    """A change that should happen outside.  Subclass it, with typed fields, for a new kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cause: Literal["event", "ever"] = "event"
    """"event": once for each thing that happened; "ever": once in the life of the subject."""

    @property
    def kind(self) -> str:
        """The class name: what operators grant and refuse."""
        return type(self).__name__

    def describe(self) -> str:
        """One line for people: what would change.  Narrow kinds say it better."""
        fields = self.model_dump(exclude={"cause"}, exclude_defaults=True)
        said = ", ".join(f"{name}={value!r}" for name, value in fields.items())
        return f"{self.kind}({said})"

    @property
    def content_digest(self) -> str:
        """SHA-256 of the fields, 64 hex digits: what an approval is bound to."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRecord:
    """One effect of one process, and what became of it."""

    key: str  # the idempotency key
    effect: Effect
    subject: str  # the key of the subject it changes
    action: str  # the action that asked for it
    mode: Mode
    state: EffectState
    reason: str = ""  # why it was refused, or less came of it than its reaction says
    package: str = ""  # whose component asked for it
    rules: str = ""  # version of the repository's own rules that it was judged by; "": none


def effect_key(effect: Effect, *, host: str, subject: str, cause: str) -> str:
    """The idempotency key: equal for a redelivery and a second hook, new for a later wish.

    `cause` is the digest of what happened (event, action, object id, the object's own time); an
    effect whose cause is "ever" is keyed without it.
    """
    why = "ever" if effect.cause == "ever" else cause
    parts = "\x1f".join((host, subject, effect.kind, effect.content_digest, why))
    return hashlib.sha256(parts.encode()).hexdigest()[:32]
