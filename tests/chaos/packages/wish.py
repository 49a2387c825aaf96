"""What the test packages have in common: reading a wish, marking its beginning, asking the sink."""

import json
import os
import re
import time
from pathlib import Path
from typing import Literal

import httpx
from pydantic import BaseModel, ConfigDict

from reactor import Attempt, EffectRefused

_TEXT = re.compile(r"(put|take|break) (\w+) after (\d+) ms \(wish (\d+)\)")


class PlaceSettings(BaseModel):
    """Where the sink is, and where beginnings are noted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sink: str
    begun: Path
    worker: str


class Wanted(BaseModel):
    """A wish, read."""

    model_config = ConfigDict(frozen=True)

    number: int
    label: str
    verb: Literal["put", "take", "break"]
    takes_s: float


def read(text: str) -> Wanted:
    """Raises `ValueError` for what is no wish."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"no wish: {text!r}")
    verb, label, takes_ms, number = match.groups()
    return Wanted.model_validate(
        {"number": number, "label": label, "verb": verb, "takes_s": int(takes_ms) / 1000}
    )


def note(settings: PlaceSettings, wanted: Wanted, *, reaction: str, delivery: str) -> None:
    """An execution begins: one line, written in one step, that no kill and no cut wire can lose."""
    line = {
        "at": time.monotonic(),  # of the machine, so comparable between processes
        "reaction": reaction,
        "delivery": delivery,
        "worker": settings.worker,
        "takes_s": wanted.takes_s,
    }
    handle = os.open(settings.begun, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(handle, json.dumps(line).encode() + b"\n")
    finally:
        os.close(handle)


class Door:
    """The sink, as executors reach it.  Raises `httpx.HTTPError` where it answers badly."""

    def __init__(self, settings: PlaceSettings) -> None:
        self._settings = settings
        self._client: httpx.AsyncClient | None = None  # made in the loop that uses it

    async def ask(self, operation: str, name: str, attempt: Attempt) -> bool:
        """Whether the label or comment was there before."""
        if self._client is None:
            self._client = httpx.AsyncClient(base_url=self._settings.sink, timeout=5)
        answer = await self._client.post(
            "/",
            json={
                "operation": operation,
                "subject": attempt.subject,
                "name": name,
                "key": attempt.key,
                "attempt": attempt.number,
                "delivery": attempt.delivery,
                "worker": self._settings.worker,
            },
        )
        if answer.status_code == 400:
            raise EffectRefused(answer.text)
        answer.raise_for_status()
        return bool(answer.json()["there"])
