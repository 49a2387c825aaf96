"""A console over a worker that has really worked, all in memory."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import httpx
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from starlette.types import ASGIApp

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import (
    MemoryBoards,
    MemoryClaims,
    MemoryDeliveryLog,
    MemoryFirsts,
    MemoryJournalLog,
)
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.inventory import told_components
from reactor.lookup import Lookup
from reactor.ports import Commit, Place, Recent
from reactor.settings import Settings
from reactor.status import ProcessHead, Status, process_id
from reactor.topic import Position
from reactor.web.access import Access
from reactor.web.console.app import ConsoleParts, create_console
from reactor.web.console.live import Live
from reactor.wiring.engine import Stores, make_runner, make_worker
from reactor.wiring.platform import install, reader
from reactor.worker import Settled
from tests.web.console.looked import Looked

SETTINGS = Settings()


class Compiled(BytecodeCache):
    """Templates, compiled once for all tests of this process."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if (kept := self._kept.get(bucket.key)) is not None:
            bucket.bytecode_from_string(kept)  # what was made of another text does not count

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


COMPILED = Compiled()


@dataclass
class Site:
    """Parts that a test can look into, and change before it asks for the app."""

    clock: ManualClock = field(default_factory=ManualClock)
    topic: MemoryDeliveryLog = field(default_factory=MemoryDeliveryLog)
    broker_is_down: bool = False
    parts: ConsoleParts = field(init=False)
    _app: ASGIApp | None = None

    def __post_init__(self) -> None:
        self.claims, self.outcomes = MemoryClaims(self.clock), MemoryOutcomes()
        self.installed = install(SETTINGS, firsts=MemoryFirsts(), clock=self.clock)
        self.boards = MemoryBoards(Codec(self.installed.platform.catalog), self.clock)
        self.lookup = Lookup(
            boards=self.boards,
            claims=self.claims,
            delivery_at=self._delivery_at,
            hosts=("github.com",),
            reader=reader(SETTINGS),
            reactions=SETTINGS.reactions,
            outcomes=self.outcomes,
        )
        self.parts = ConsoleParts(
            lookup=self.lookup,
            components=told_components(self.installed.platform, self.installed.faults),
            platform=self.installed.platform,
            access=Access(loopback=True),
            clock=self.clock,
            live=Live(self.clock),
            compiled=COMPILED,
        )

    def with_parts(self, **changed: Any) -> "Site":
        """The same, but for some of its parts."""
        self.parts, self._app = replace(self.parts, **changed), None
        return self

    async def accept(self, delivery: Delivery) -> Position:
        """Put a delivery on the topic, as the gateway does."""
        await self.claims.claim(delivery.key, digest=delivery.digest)
        position = await self.topic.append(delivery)
        await self.claims.produced(delivery.key, position, digest=delivery.digest)
        return position

    async def settle(self, delivery: Delivery) -> Settled:
        """Accept a delivery, and run what it starts, as a worker does."""
        await self.accept(delivery)
        stores = Stores(self.boards, MemoryJournalLog(), self.clock)
        with make_runner(SETTINGS, self.installed, stores, "worker") as runner:
            settled = await make_worker(SETTINGS, self.installed, stores, runner).settle(delivery)
        self.clock.move(timedelta(seconds=1))
        return settled

    async def put(self, delivery: str, status: Status = Status.COMPLETED, **head: Any) -> str:
        """A process of which nothing but its head is known."""
        name = process_id(delivery=delivery, reaction="everything")
        opened = await self.boards.open(
            name, delivery=delivery, owner="w", lease=timedelta(seconds=9)
        )
        made: dict[str, Any] = {
            "id": name,
            "delivery": delivery,
            "reaction": "everything",
            "subject": "github.com/9#7",
            "subject_name": "octo/hello#7",
            "event": "issues.opened",
            "agent": "reactor",
            "planner": "utility",
            "status": status,
            "created_at": self.clock.now(),
            "updated_at": self.clock.now(),
        }
        await self.boards.commit(opened.lease, Commit(head=ProcessHead(**{**made, **head})))
        self.clock.move(timedelta(seconds=1))
        return name

    def app(self) -> ASGIApp:
        self._app = self._app or create_console(self.parts)
        return self._app

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        # what the server logs of a fault of ours is not raised into the client
        transport = httpx.ASGITransport(self.app(), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield client

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        async with self.client() as client:
            return await client.get(path, headers=headers)

    async def _delivery_at(self, position: Position) -> Delivery | None:
        if self.broker_is_down:
            raise InfrastructureError("kafka", "it is switched off")
        return self.topic.deliveries[position.offset]

    async def look(self, path: str) -> Looked:
        """A page that is there, parsed."""
        answer = await self.get(path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return Looked.at(answer.text)


def faulty(lookup: Lookup, says: str = "a fault of ours") -> Lookup:
    """The same, but listing processes fails as no store should."""
    return replace(lookup, boards=FaultyBoards(says))


class FaultyBoards(MemoryBoards):
    """A store with a fault."""

    def __init__(self, says: str) -> None:
        super().__init__(Codec(TypeCatalog()), ManualClock())
        self._says = says

    async def recent(self, *, limit: int, before: Place | None = None) -> list[Recent]:
        raise RuntimeError(self._says)
