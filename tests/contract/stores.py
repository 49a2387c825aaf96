"""The stores that the contract suites run over, each with a way to let time pass."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.ports import Boards
from tests.contract.samples import CATALOG


class BoardStore(Protocol):
    """A store of processes, seen from outside."""

    @property
    def boards(self) -> Boards: ...

    async def let_leases_run_out(self) -> None:
        """Every lease that is held now is over."""
        ...

    def start_worker_anew(self) -> None:
        """From now on, `boards` is that of a worker that was just started."""
        ...


@dataclass
class MemoryStore:
    boards: MemoryBoards
    clock: ManualClock

    @classmethod
    def new(cls) -> "MemoryStore":
        clock = ManualClock()
        return cls(MemoryBoards(Codec(CATALOG), clock), clock)

    async def let_leases_run_out(self) -> None:
        self.clock.move(timedelta(days=1))

    def start_worker_anew(self) -> None:
        self.boards.session += "1"


@dataclass
class RedisStore:
    boards: Boards
    client: Redis
    prefix: str

    @classmethod
    def new(cls, client: Redis, prefix: str) -> "RedisStore":
        return cls(RedisBoards(client, Codec(CATALOG), prefix=prefix), client, prefix)

    async def let_leases_run_out(self) -> None:
        """The server's clock can't be moved, so what it is compared with is."""
        async for key in self.client.scan_iter(match=f"{self.prefix}:*:process", count=1000):
            await self.client.hset(key, "until_ms", "1")

    def start_worker_anew(self) -> None:
        self.boards = RedisBoards(self.client, Codec(CATALOG), prefix=self.prefix)
