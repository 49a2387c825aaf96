"""The ledgers that the contract suite runs over, each with a way to let time pass."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.adapters.redis_ledger import RedisLedger
from reactor.codec import Codec
from reactor.effect import EffectRecord
from reactor.ledger import Caps, Intent, Ledger
from tests.contract.samples import CATALOG, NOW, AddLabels

SUBJECT = "github.com/1#7"
PLENTY = Caps(per_event=1000, per_day=1000, per_subject=1000, window=timedelta(minutes=10))


class LedgerStore(Protocol):
    """A ledger, seen from outside."""

    ledger: Ledger

    async def let_turns_run_out(self) -> None:
        """Every turn that is held now is over."""
        ...


@dataclass
class MemoryLedgerStore:
    ledger: Ledger
    clock: ManualClock

    @classmethod
    def new(cls) -> "MemoryLedgerStore":
        clock = ManualClock(NOW)
        return cls(MemoryLedger(Codec(CATALOG), clock), clock)

    async def let_turns_run_out(self) -> None:
        self.clock.move(timedelta(days=1))


@dataclass
class RedisLedgerStore:
    ledger: Ledger
    client: Redis
    prefix: str

    @classmethod
    def new(cls, client: Redis, prefix: str) -> "RedisLedgerStore":
        return cls(RedisLedger(client, Codec(CATALOG), prefix=prefix), client, prefix)

    async def let_turns_run_out(self) -> None:
        """The server's clock can't be moved, so what it is compared with is."""
        async for key in self.client.scan_iter(match=f"{self.prefix}:*:turn:*", count=1000):
            await self.client.hset(key, "until_ms", "1")


def intent(key: str = "k1", *, subject: str = SUBJECT, **more: object) -> Intent:
    record = EffectRecord(
        key=key,
        effect=AddLabels(labels=(key,), cause=more.pop("cause_of_effect", "event")),
        subject=subject,
        action="triage.label",
        mode=more.pop("mode", "live"),  # type: ignore[arg-type]
        state="intended",
    )
    fields: dict[str, object] = {
        "process_id": "p1",
        "delivery": "github.com/d-1",
        "host": "github.com",
        "subject_name": "octo/hello#7",
        "cause": "c1",
        **more,
    }
    return Intent(record=record, **fields)  # type: ignore[arg-type]


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)
