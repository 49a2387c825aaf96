"""Probes: is it alive, and can it accept deliveries now?"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from reactor.web.answers import json_answer

Check = Callable[[], Awaitable[None]]
"""Returns if what it checks is well, raises if not."""


async def healthz(_: Request) -> Response:
    """200 while the event loop turns; it asks nobody else, so a restart would help."""
    return json_answer({"status": "ok"})


class Liveness:
    """`/healthz` where more than turning is asked for: 503 with the reason where it is stuck."""

    def __init__(self, why_stuck: Callable[[], str]) -> None:
        self._why_stuck = why_stuck

    async def endpoint(self, _: Request) -> Response:
        """Asks nobody else, so a restart would help."""
        if why := self._why_stuck():
            return json_answer({"status": "stuck", "reason": why}, status=503)
        return json_answer({"status": "ok"})


class Readiness:
    """`/readyz`: 200 when every check passes, else 503 with the names of those that fail."""

    def __init__(self, checks: Mapping[str, Check], *, timeout_s: float) -> None:
        self._checks, self._timeout_s = dict(checks), timeout_s

    async def endpoint(self, _: Request) -> Response:
        """Run all checks at once."""
        passed = await asyncio.gather(*map(self._passes, self._checks.values()))
        failing = sorted(name for name, ok in zip(self._checks, passed, strict=True) if not ok)
        if failing:
            return json_answer({"status": "unavailable", "failing": failing}, status=503)
        return json_answer({"status": "ok"})

    async def _passes(self, check: Check) -> bool:
        try:
            async with asyncio.timeout(self._timeout_s):
                await check()
        except Exception:  # noqa: BLE001 - whatever it is, we are not ready
            return False
        return True
