"""Read from Redis and from the deliveries topic what became of a delivery."""

import asyncio

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.errors import ReactorError
from reactor.explain import ToldDelivery, ToldProcess, told_process
from reactor.github.dialect import GITHUB
from reactor.settings import Settings
from reactor.topic import Position
from reactor.wiring.kafka import delivery_codec, large_bodies
from reactor.wiring.platform import install, reader
from reactor.wiring.redis import RedisParts, redis_parts
from streams.reader import open_reader
from streams.record import PoisonRecord


class UnknownDelivery(ReactorError):
    """Nobody knows the delivery."""

    def __init__(self, delivery: str) -> None:
        super().__init__(delivery)
        self.delivery = delivery

    def __str__(self) -> str:
        return (
            f"no delivery {self.delivery!r} is known here; compare the id with the header"
            " X-GitHub-Delivery, and see that REDIS_URL and the settings are the gateway's"
        )


async def explain(settings: Settings, delivery: str) -> ToldDelivery:
    """All that is known of a delivery, by its id.  Raises `UnknownDelivery`."""
    async with redis_parts(settings) as redis:
        installed = install(settings, firsts=redis.firsts, clock=SystemClock())
        boards = RedisBoards(
            redis.client, Codec(installed.platform.catalog), prefix=settings.redis.prefix
        )
        for host in (GITHUB, *settings.github.hosts):
            key = f"{host}/{delivery}"
            position = await redis.claims.position(key)
            processes = await _processes(boards, key)
            if position or processes:
                return await _told(settings, redis, delivery, position, processes)
    raise UnknownDelivery(delivery)


async def _processes(boards: RedisBoards, key: str) -> list[tuple[ToldProcess, str, str]]:
    """Each with its event and its subject's name."""
    found = []
    for process_id in await boards.started_by(key):
        stored, records = await asyncio.gather(boards.read(process_id), boards.journal(process_id))
        if stored:
            head = stored.head
            found.append((told_process(stored, records), head.event, head.subject_name))
    return found


async def _told(
    settings: Settings,
    redis: RedisParts,
    delivery: str,
    position: Position | None,
    processes: list[tuple[ToldProcess, str, str]],
) -> ToldDelivery:
    told = ToldDelivery(
        delivery=delivery,
        event="",
        subject="",
        topic=str(position) if position else None,
        ignored="",
        processes=[process for process, _, _ in processes],
    )
    if processes:
        _, told["event"], told["subject"] = processes[0]
        return told
    record = await _read(settings, redis, position) if position else None
    if record is None:
        told["ignored"] = "nothing was started so far"
        return told
    told["event"], told["subject"] = record.kind, record.subject.name
    told["ignored"] = _why_ignored(settings, record)
    return told


async def _read(settings: Settings, redis: RedisParts, position: Position) -> Delivery | None:
    """The delivery as it lies on its topic; None where the topic does not have it any more."""
    bootstrap = settings.kafka.bootstrap_servers
    if bootstrap is None:
        return None
    async with open_reader(bootstrap) as topic:
        record = await topic.at(position)
    if record is None:
        return None
    try:
        return await delivery_codec(large_bodies(settings, redis)).decode(record)
    except PoisonRecord:
        return None


def _why_ignored(settings: Settings, delivery: Delivery) -> str:
    try:
        reading = reader(settings)(delivery)
    except ReactorError as error:
        return f"poison: {error}"
    if reading.is_own:
        return "our own app's event: it starts nothing"
    listening = [
        reaction.name
        for reaction in settings.reactions
        if reaction.listens_to(delivery.event, delivery.action, is_typed=reading.is_typed)
    ]
    if listening:
        return f"not settled yet, or `when` did not hold, for {', '.join(listening)}"
    return "no reaction listens to it: stored, nothing else"
