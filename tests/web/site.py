"""A gateway of real parts in memory, and a way to send to it as GitHub does."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
from starlette.applications import Starlette

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import (
    MemoryBoards,
    MemoryClaims,
    MemoryDeadLetters,
    MemoryDeliveryLog,
)
from reactor.adapters.memory_forms import MemoryForms
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.answering import AnswerDesk
from reactor.approvals import Approvals
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.github.dialect import GitHubDialect
from reactor.github.effects import EFFECT_TYPES
from reactor.github.signature import sign
from reactor.web.access import Access
from reactor.web.app import GatewayParts, create_app
from reactor.web.intake import Patience

SECRET = "the one in use"
ISSUE = b'{"action":"opened","issue":{"number":7},"repository":{"id":9,"full_name":"octo/hello"}}'
QUICK = Patience(first_look_s=0.001, longest_pause_s=0.001, give_up_s=0.05)


@dataclass
class Site:
    """Parts that a test can look into, and change before it asks for the app."""

    clock: ManualClock = field(default_factory=ManualClock)
    log: MemoryDeliveryLog = field(default_factory=MemoryDeliveryLog)
    dead: MemoryDeadLetters = field(default_factory=MemoryDeadLetters)
    parts: GatewayParts = field(init=False)

    def __post_init__(self) -> None:
        self.claims, self.outcomes = MemoryClaims(self.clock), MemoryOutcomes()
        self.forms, self.signals = MemoryForms(), MemoryDeliveryLog()
        self.boards = MemoryBoards(Codec(TypeCatalog(())), self.clock)
        self.ledger = MemoryLedger(Codec(TypeCatalog(EFFECT_TYPES)), self.clock)
        self.parts = GatewayParts(
            dialect=GitHubDialect({"github.com": (SECRET,)}, allow_unsigned=False),
            claims=self.claims,
            deliveries=self.log,
            dead=self.dead,
            processes=self.boards,
            outcomes=self.outcomes,
            desk=AnswerDesk(
                boards=self.boards,
                signals=self.signals,
                forms=self.forms,
                clock=self.clock,
            ),
            approvals=Approvals(ledger=self.ledger, signals=self.signals, clock=self.clock),
            clock=self.clock,
            access=Access(loopback=True),
            patience=QUICK,
        )

    def with_parts(self, **changed: Any) -> "Site":
        """The same, but for some of its parts."""
        self.parts = replace(self.parts, **changed)
        return self

    def app(self) -> Starlette:
        return create_app(self.parts)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(self.app())
        async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
            yield client

    async def post(self, body: bytes = ISSUE, **changed: str | None) -> httpx.Response:
        """Send one delivery, signed if not told otherwise."""
        async with self.client() as client:
            return await client.post("/webhook", content=body, headers=headers(body, **changed))


def headers(body: bytes = ISSUE, /, **changed: str | None) -> dict[str, str]:
    """What GitHub sends along; `x_github_event="push"` changes one, None leaves it out."""
    sent: dict[str, str | None] = {
        "content-type": "application/json",
        "x-github-event": "issues",
        "x-github-delivery": "guid-1",
        "x-hub-signature-256": sign(body, SECRET),
    }
    sent |= {name.replace("_", "-"): value for name, value in changed.items()}
    return {name: value for name, value in sent.items() if value is not None}


def told(answer: httpx.Response) -> tuple[int, str]:
    """The status, and the word that says why or what became of it."""
    content: Mapping[str, str] = answer.json()
    return answer.status_code, content.get("reason") or content["status"]
