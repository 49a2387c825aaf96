"""`GET /api/deliveries/{guid}`: where a delivery is, and which processes it has started."""

import asyncio
import re
from collections.abc import Sequence
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response

from reactor.delivery import GITHUB_COM
from reactor.ports import Claims, Outcomes, Stored
from reactor.refusal import Refused
from reactor.status import ProcessHead
from reactor.topic import Position
from reactor.web.answers import json_answer

_GUID = re.compile(r"[0-9A-Za-z-]{1,64}")


class Processes(Protocol):
    """What is read of the port `Boards`."""

    async def started_by(self, delivery: str) -> list[str]:
        """The ids of the processes that a delivery (its `key`) started."""
        ...

    async def read(self, process_id: str) -> Stored | None:
        """One process."""
        ...


class DeliveryStatus:
    """Answers for one delivery id; `hosts` are those that may send, github.com or not.

    `{"delivery", "status", "ignored", "topic", "partition", "offset", "processes": [{"id",
    "reaction", "status", "attempt"}]}`.  The status is "accepted" (durable, no process so far),
    "pending" (a process is at work), "settled" (none is) or "ignored" (nothing comes of it;
    `ignored` says why: "no_reaction", "own_event", "storm", "too_deep", ...; null with the others).  The
    position is null where it is not known yet, or Redis was away when the delivery came.
    """

    def __init__(
        self, *, claims: Claims, processes: Processes, outcomes: Outcomes, hosts: Sequence[str]
    ) -> None:
        self._claims, self._processes, self._outcomes = claims, processes, outcomes
        # one id on two hosts is next to impossible by accident; then github.com comes first
        self._hosts = sorted(hosts, key=lambda host: host != GITHUB_COM)

    async def endpoint(self, request: Request) -> Response:
        """Look it up, at `?host=` or at each host in turn."""
        delivery = request.path_params["guid"]
        asked = request.query_params.get("host")
        hosts = self._hosts if asked is None else [h for h in self._hosts if h == asked.lower()]
        if _GUID.fullmatch(delivery):
            for host in hosts:
                key = f"{host}/{delivery}"
                position = await self._claims.position(key)
                heads = await self._heads(key)
                ignored = "" if heads else await self._outcomes.ignored(key)
                if position or heads or ignored or await self._claims.is_kept(key):
                    return json_answer(_shown(delivery, position, heads, ignored))
        raise Refused(
            404,
            "unknown_delivery",
            "no such delivery was accepted here, or its time to be kept is over",
            where="path",
            fix="compare the id with the header X-GitHub-Delivery; for an enterprise server add "
            "?host=",
        )

    async def _heads(self, key: str) -> list[ProcessHead]:
        ids = await self._processes.started_by(key)
        found = await asyncio.gather(*map(self._processes.read, ids))
        return [stored.head for stored in found if stored]


def _shown(
    delivery: str, position: Position | None, heads: Sequence[ProcessHead], ignored: str
) -> dict[str, object]:
    return {
        "delivery": delivery,
        "status": "ignored" if ignored else _status(heads),
        "ignored": ignored or None,
        "topic": position.topic if position else None,
        "partition": position.partition if position else None,
        "offset": position.offset if position else None,
        "processes": [
            {
                "id": head.id,
                "reaction": head.reaction,
                "status": head.status,
                "attempt": head.attempt,
            }
            for head in heads
        ],
    }


def _status(heads: Sequence[ProcessHead]) -> str:
    if not heads:
        return "accepted"
    return "settled" if all(head.status.is_settled for head in heads) else "pending"
