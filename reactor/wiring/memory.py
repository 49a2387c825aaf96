"""One delivery through the whole engine, in memory: no server, nothing kept, nothing sent."""

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryBoards, MemoryFirsts, MemoryJournalLog
from reactor.ai import Ai
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.explain import ToldDelivery, ToldProcess, told_process
from reactor.package import Fault
from reactor.settings import Settings
from reactor.wiring.engine import Stores, make_runner, make_worker
from reactor.wiring.granting import make_granting
from reactor.wiring.models import models, stores_in_memory
from reactor.wiring.platform import install


async def receive(settings: Settings, delivery: Delivery) -> tuple[ToldDelivery, tuple[Fault, ...]]:
    """What would happen, and which component packages could not take part."""
    clock = SystemClock()
    async with models(settings, stores_in_memory(settings, clock)) as ai:
        installed = install(settings, firsts=MemoryFirsts(), clock=clock, services={Ai: ai})
        boards = MemoryBoards(Codec(installed.platform.catalog), clock)
        stores = Stores(boards, MemoryJournalLog(), clock, make_granting(settings))
        with make_runner(settings, installed, stores, "receive") as runner:
            settled = await make_worker(settings, installed, stores, runner).settle(delivery)
    told = ToldDelivery(
        delivery=delivery.id,
        event=delivery.kind,
        subject=delivery.subject.name,
        topic="",
        ignored=settled.ignored,
        processes=[await _told(boards, head.id) for head in settled.heads],
    )
    return told, installed.faults


async def _told(boards: MemoryBoards, process: str) -> ToldProcess:
    stored = await boards.read(process)
    if stored is None:
        raise LookupError(process)
    return told_process(stored, await boards.journal(process))
