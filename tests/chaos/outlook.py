"""What is seen of a run from outside: topics by a reader of our own, processes in Redis, the logs.

Nothing here asks the gateway or a worker.
"""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryFirsts
from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.plugins import GROUP
from reactor.ports import Stored
from reactor.settings import load
from reactor.topic import Topics
from reactor.wiring.platform import install
from reactor.wiring.redis import redis_parts
from streams.reader import open_reader
from streams.record import texts
from tests.chaos import poison
from tests.chaos.field import REACTIONS, Field
from tests.chaos.judge import Began, Ended, Seen
from tests.chaos.sink import calls_in
from tests.chaos.traffic import HOST, Wish
from tests.fixtures.site import site_environ

_DONE = ("done", "nothing", "answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the suite itself did, and so knows."""

    accepted: frozenset[str]
    wishes: Mapping[str, Wish]  # by delivery
    planted: frozenset[str]  # what is to be dead besides the poison, as `letters` names it


class Outlook:
    """A view of one field; made by `outlook`."""

    def __init__(self, field: Field, boards: RedisBoards, topics: Topics) -> None:
        self._field, self._boards, self.topics = field, boards, topics
        self._final: dict[str, list[Stored]] = {}  # of deliveries all of whose processes are

    async def unfinished(self, deliveries: Iterable[str]) -> list[str]:
        """Those of the deliveries that have not all of their processes, each at its end."""
        left = []
        for delivery in deliveries:
            if delivery not in self._final:
                found = await self._processes(delivery)
                final = [stored for stored in found if stored.head.status.is_final]
                if len(final) < len(REACTIONS):
                    left.append(delivery)
                    continue
                self._final[delivery] = found
        return left

    async def seen(self, told: Told) -> Seen:
        """Everything, for the judge."""
        processes = [
            _ended(delivery, stored)
            for delivery in sorted(told.accepted)
            for stored in await self._processes(delivery)
        ]
        return Seen(
            accepted=told.accepted,
            wishes=told.wishes,
            topic=await self._topic(),
            processes=processes,
            began=self._began(),
            calls=[
                replace(call, delivery=call.delivery.removeprefix(f"{HOST}/"))
                for call in calls_in(self._field.folder / "sink.jsonl")
            ],
            letters=await self.letters(),
            planted=told.planted | await self.planted(),
            reactions=REACTIONS,
        )

    async def letters(self) -> list[str]:
        """What is dead, each once: "poison not_json@3/17", "failed d-7", "conflict c-1".

        Poison is named with where its record lies: each of them must be given up once.
        """
        found: dict[str, None] = {}  # in order
        async with open_reader(self._field.bootstrap) as reader:
            for record in await reader.read_all(self.topics.dead):
                headers = texts(record.headers)
                reason = headers["dead.reason"]
                if reason == "poison":
                    _, partition, offset = headers["dead.origin"].split("/")
                    found[_poison(record.key, int(partition), int(offset))] = None
                else:
                    name = headers.get("delivery") or headers.get("x-github-delivery") or ""
                    found[f"{reason} {name}"] = None
        return list(found)

    async def planted(self) -> set[str]:
        """The poison that lies on the topic, named as `letters` does."""
        async with open_reader(self._field.bootstrap) as reader:
            return {
                _poison(record.key, record.position.partition, record.position.offset)
                for record in await reader.read_all(self.topics.deliveries)
                if (record.key or b"").decode() in poison.RECORDS
            }

    async def _processes(self, delivery: str) -> list[Stored]:
        ids = await self._boards.started_by(f"{HOST}/{delivery}")
        return [stored for each in ids if (stored := await self._boards.read(each))]

    async def _topic(self) -> dict[str, Sequence[str]]:
        by_subject: defaultdict[str, list[str]] = defaultdict(list)
        async with open_reader(self._field.bootstrap) as reader:
            for record in await reader.read_all(self.topics.deliveries):
                if "delivery" in (headers := texts(record.headers)):
                    by_subject[(record.key or b"").decode()].append(headers["delivery"])
        return dict(by_subject)

    def _began(self) -> list[Began]:
        log = self._field.folder / "begun.jsonl"
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        return [
            Began(
                at=line["at"],
                reaction=line["reaction"],
                delivery=str(line["delivery"]).removeprefix(f"{HOST}/"),
            )
            for line in lines
        ]


@asynccontextmanager
async def outlook(field: Field) -> AsyncIterator[Outlook]:
    """Look at a field, with the types of its packages at hand."""
    environ = site_environ(KAFKA_BOOTSTRAP_SERVERS=field.bootstrap, REDIS_URL=field.redis_url)
    settings = load(field.folder / f"{field.workers[0]}.yaml", environ)
    points = [
        EntryPoint(name, f"tests.chaos.packages.{name}:COMPONENTS", GROUP) for name in REACTIONS
    ]
    installed = install(settings, firsts=MemoryFirsts(), clock=SystemClock(), points=points)
    async with redis_parts(settings) as redis:
        codec = Codec(installed.platform.catalog)
        boards = RedisBoards(redis.client, codec, prefix=settings.redis.prefix)
        yield Outlook(field, boards, Topics(settings.kafka.prefix))


def _ended(delivery: str, stored: Stored) -> Ended:
    head = stored.head
    return Ended(
        reaction=head.reaction,
        delivery=delivery,
        is_final=head.status.is_final,
        status=str(head.status),
        completed=tuple(run.action for run in stored.history if run.outcome in _DONE),
    )


def _poison(key: bytes | None, partition: int, offset: int) -> str:
    return f"poison {(key or b'').decode()}@{partition}/{offset}"
