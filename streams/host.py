"""The Faust app: it joins the consumer group, reads, and hands every record to the pump.

Of Faust we use one agent with one reader, and nothing that would decide what is done: its
acknowledgements lose events in several ways (it commits over what still runs, over what raised,
and over the rest of a batch), so records are taken without, and offsets are committed here, as
far as the pump says that a partition is settled.

`admit` takes a record and waits while there is no room.  `release` takes partitions that are
being taken away and returns the offsets to commit for them; the reading has stopped by then.
Neither may raise; if one does, the host has failed and hands over nothing more, since the next
record would hide the lost one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import faust
from faust.app.base import BootStrategy
from faust.auth import Credentials, SASLCredentials, SSLCredentials
from faust.types import TP, Message, StreamT

from reactor.errors import InfrastructureError, ReactorError
from reactor.topic import Position
from streams.broker import Broker
from streams.record import Record
from streams.transport import QuickTransport
from streams.trouble import as_infrastructure
from streams.window import Partition

Admit = Callable[[Record], Awaitable[object]]
Release = Callable[[Iterable[Partition]], Awaitable[Mapping[Partition, int]]]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A broker that has just begun anew may not know its topics yet.  A leader of the group that hears so
# gives nobody a partition, and shares out again only once it has looked anew: by default that is
# after five minutes, in which nobody reads and nobody is missed.
_TOPICS_LOOKED_FOR_MS = 3000
_LAST_COMMIT_S = 3.0  # a last commit that takes longer is given up: its records run again


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """What the Faust app needs to know."""

    bootstrap: Broker | str
    group: str  # the consumer group: workers of one group share the partitions
    topics: tuple[str, ...]
    session_timeout_s: float = 6.0  # silence after which the others get our partitions
    fetch_max_wait_ms: int = 25


class HostFailed(ReactorError):
    """The Faust app came to an end by itself."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the stream processor failed ({self.reason}); it must be started again"


class _NoProducer(BootStrategy):  # type: ignore[misc]  # Faust is not type-checked
    """We write through `streams.writer`."""

    enable_kafka_producer = False


class _App(faust.App):  # type: ignore[misc]
    BootStrategy = _NoProducer

    def _create_directories(self) -> None:
        """None: they are for tables, and we have none."""


class FaustHost:
    """A Faust app with one agent.  Made and used inside a running loop; starts once.

    `leaves_group` is False for the embedded broker: see `streams.transport`.
    """

    def __init__(
        self,
        settings: HostSettings,
        *,
        admit: Admit,
        release: Release,
        leaves_group: bool = True,
    ) -> None:
        self._admit, self._release = admit, release
        self._error: Exception | None = None  # that `admit` or `release` raised
        self._failing = asyncio.Event()
        self._committing = asyncio.Lock()  # so that an older commit never overtakes a newer
        self._app = _make_app(settings)
        self._app.transport.leaves_group = leaves_group
        topic = self._app.topic(*settings.topics, key_serializer="raw", value_serializer="raw")
        self._app.agent(topic, name="pump", concurrency=1)(self._read)
        self._app.on_partitions_revoked.connect(self._revoked)
        # sent after the reading has stopped, while we are still a member of the group
        self._app.on_before_shutdown.connect(self._stopping)

    async def start(self) -> None:
        """Return when the group has been joined.  Raises what Faust and aiokafka raise."""
        await self._app.start()

    async def stop(self) -> None:
        """Stop reading, release all partitions, commit, leave the group."""
        await self._app.stop()

    async def failed(self) -> None:
        """Never returns; raises `HostFailed` when the app is beyond use."""
        waits = [
            asyncio.ensure_future(self._app.wait_until_stopped()),
            asyncio.ensure_future(self._failing.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        error = self._error or self._app.crash_reason
        raise HostFailed(repr(error)) from error

    def assignment(self) -> set[Partition]:
        """The partitions that are ours now."""
        return {Partition(*tp) for tp in self._app.consumer.assignment()}

    def is_rebalancing(self) -> bool:
        """Whether the group is sharing out the partitions, and we read none meanwhile."""
        return bool(self._app.rebalancing)

    def committed(self, partition: Partition) -> int | None:
        """The offset at which reading the partition began or was last committed, if known."""
        offset: int | None = self._app.consumer._committed_offset.get(TP(*partition))
        return offset

    def high_water(self, partition: Partition) -> int | None:
        """The end of an assigned partition as the last fetch told it."""
        mark: int | None = self._app.consumer.highwater(TP(*partition))
        return mark

    async def commit(self, offsets: Mapping[Partition, int]) -> bool:
        """Commit offsets; those of partitions that are not ours any more are left out.

        False when we have lost our place in the group: somebody else may have the partitions, or
        the broker began anew, and then our offsets mean nothing.  Raises `InfrastructureError`.
        """
        wanted = {TP(*partition): offset for partition, offset in offsets.items()}
        async with self._committing:
            with as_infrastructure("committing"):
                return bool(await self._app.consumer.commit_settled(wanted))

    async def _read(self, stream: StreamT) -> None:
        async for event in stream.noack().events():
            try:
                await self._admit(_record(event.message))
            except Exception as error:  # noqa: BLE001  # must stop all: see above
                self._fail(error)
                await asyncio.Event().wait()  # until Faust cancels us

    async def _revoked(self, _app: faust.App, revoked: Iterable[TP], **_: Any) -> None:
        await self._give_back({Partition(*tp) for tp in revoked})

    async def _stopping(self, _app: faust.App, **_: Any) -> None:
        await self._give_back(self.assignment())

    async def _give_back(self, partitions: set[Partition]) -> None:
        try:
            offsets = await self._release(partitions)
            async with asyncio.timeout(_LAST_COMMIT_S):
                await self.commit(offsets)
        except (TimeoutError, InfrastructureError):
            return  # not committed, so read again by whoever has them next
        except Exception as error:  # noqa: BLE001
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        self._failing.set()


def _make_app(settings: HostSettings) -> _App:
    broker = Broker.at(settings.bootstrap)
    app = _App(
        settings.group,
        broker=[f"kafka://{server}" for server in broker.servers.split(",")],
        broker_credentials=_credentials(broker),
        key_serializer="raw",
        value_serializer="raw",
        store="memory://",
        autodiscover=False,
        web_enabled=False,  # it would listen on every address
        topic_allow_declare=False,  # `streams.topics` has made them
        topic_disable_leader=True,
        broker_session_timeout=settings.session_timeout_s,
        broker_heartbeat_interval=settings.session_timeout_s / 4,
        broker_rebalance_timeout=30,
        broker_request_timeout=30,
        broker_max_poll_interval=86_400,  # waiting out an outage is no reason to be expelled
        broker_max_poll_records=100,
        consumer_metadata_max_age_ms=_TOPICS_LOOKED_FOR_MS,
        stream_buffer_maxsize=64,  # records: 4,096 would be 750 MB of large ones
        stream_wait_empty=False,  # it waits without limit; `release` has a deadline
    )
    app.transport = QuickTransport(app.conf.broker_consumer, app)
    app.transport.fetch_max_wait_ms = settings.fetch_max_wait_ms
    return app


def _credentials(broker: Broker) -> Credentials | None:
    if broker.has_user:
        return SASLCredentials(
            username=broker.username,
            password=broker.password,
            mechanism=broker.mechanism,
            ssl_context=broker.tls,
        )
    return SSLCredentials(broker.tls) if broker.tls else None


def _record(message: Message) -> Record:
    return Record(
        position=Position(message.topic, message.partition, message.offset),
        key=message.key,
        value=message.value or b"",
        headers=tuple((name, value or b"") for name, value in message.headers or ()),
        written_at=_EPOCH + timedelta(seconds=max(message.timestamp or 0, 0)),
    )
