"""Reminders: a component asks to be told of an issue again, later, unless that is put off.

    await reminders.put(Reminder.of(context.process, "stale", at=due, about=snapshot_of(issue, repository)))
    await reminders.drop(context.process.reaction, context.process.subject, "stale")

When it is due, a delivery `timer.NAME` comes, about what the reminder was about: it starts the same
reaction, whatever that listens to, with a `TimerFired` under `event` and the facts that were handed
in (`about`).  There is one of a name for each subject and reaction; another one takes its place.
It is an ordinary timer, so it is kept over restarts, and fires once.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from reactor.delivery import Subject
from reactor.status import ProcessHead
from reactor.timer import About, Timer, Timers


class Reminder(BaseModel):
    """What to be told, of what, and when."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9_]{1,64}$")  # the action of its event: `timer.NAME`
    at: AwareDatetime
    reaction: str  # that is to be started
    host: str  # "github.com"
    subject: str  # `Subject.key`
    subject_name: str  # "octo/hello#7", for people
    payload: dict[str, JsonValue] = {}  # what `TimerFired` hands over
    about: dict[str, JsonValue] = {}  # an event of the host, as it would tell it

    @classmethod
    def of(
        cls,
        process: ProcessHead,
        name: str,
        *,
        at: datetime,
        about: Mapping[str, JsonValue],
        payload: Mapping[str, JsonValue] | None = None,
    ) -> Self:
        """For the subject of a process, and its reaction."""
        return cls(
            name=name,
            at=at,
            reaction=process.reaction,
            host=process.host,
            subject=process.subject,
            subject_name=process.subject_name,
            payload=dict(payload or {}),
            about=dict(about),
        )


class Reminders:
    """A service for components.  Every method may raise `InfrastructureError`; safe to repeat."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers

    async def put(self, reminder: Reminder) -> None:
        """In the place of an earlier one of its name."""
        await self._timers.put(_timer(reminder))

    async def drop(self, reaction: str, subject: str, name: str) -> None:
        """Forget it, if it is there.  `subject`: its key."""
        await self._timers.cancel(_id(reaction, subject, name))


def _timer(reminder: Reminder) -> Timer:
    told: Any = reminder.payload
    return Timer(
        id=_id(reminder.reaction, reminder.subject, reminder.name),
        due_at=reminder.at,
        name=reminder.name,
        subject=Subject(key=reminder.subject, name=reminder.subject_name),
        payload=told,
        about=About(host=reminder.host, reaction=reminder.reaction, told=reminder.about),
    )


def _id(reaction: str, subject: str, name: str) -> str:
    return f"reminder:{reaction}:{subject}:{name}"
