"""Sends like GitHub, and like an operator who redelivers: the same id until it is answered 202."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

from reactor.cli.sending import signed_headers
from tests.chaos.traffic import Shot, body_of
from tests.fixtures.site import SECRET

_AT_ONCE = 64
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 2.0


@dataclass(slots=True)
class Sender:
    """Makes all shots at their times."""

    url: str
    accepted: set[str] = field(default_factory=set)  # ids that were answered 202
    answers: dict[str, int] = field(
        default_factory=dict
    )  # "202 accepted", "503", "away": how often

    async def run(self, shots: Sequence[Shot]) -> None:
        """Return when every one was answered 202."""
        loop, turns = asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE)
        began_s = loop.time()
        limits = httpx.Limits(max_connections=_AT_ONCE)
        async with (
            httpx.AsyncClient(base_url=self.url, timeout=10, limits=limits) as client,
            asyncio.TaskGroup() as group,
        ):
            for shot in shots:
                await asyncio.sleep(max(0.0, began_s + shot.at_s - loop.time()))
                await turns.acquire()
                task = group.create_task(self._until_accepted(client, shot))
                task.add_done_callback(lambda _: turns.release())

    async def _until_accepted(self, client: httpx.AsyncClient, shot: Shot) -> None:
        body, pause_s = body_of(shot.wish), _FIRST_PAUSE_S
        headers = signed_headers("issue_comment", body, secret=SECRET, delivery=shot.delivery)
        while not await self._is_accepted(client, body, headers):
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        self.accepted.add(shot.delivery)

    async def _is_accepted(
        self, client: httpx.AsyncClient, body: bytes, headers: dict[str, str]
    ) -> bool:
        try:
            answer = await client.post("/webhook", content=body, headers=headers)
        except httpx.HTTPError:
            self._count("away")
            return False
        if answer.status_code == 202:
            self._count(f"202 {answer.json()['status']}")
            return True
        if answer.status_code < 500:
            raise AssertionError(f"the gateway refused a good delivery: {answer.text}")
        self._count(str(answer.status_code))
        return False

    def _count(self, what: str) -> None:
        self.answers[what] = self.answers.get(what, 0) + 1
