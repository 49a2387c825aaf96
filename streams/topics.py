"""Administration: topics, created at the start as the settings ask for them; what cluster it is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import TopicAlreadyExistsError, for_code
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_exponential

from reactor.errors import InfrastructureError, ReactorError
from streams.broker import Broker
from streams.starting import start_client
from streams.trouble import as_infrastructure

_TIMEOUT_MS = 10_000  # of one request


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSpec:
    """A topic that must be there."""

    name: str
    partitions: int  # final: another number would break the order per key
    retention: timedelta | None = None  # None: for ever
    replication: int = 1

    def configs(self) -> Mapping[str, str]:
        """The topic's settings in the broker's terms."""
        retention_ms = -1 if self.retention is None else self.retention // timedelta(milliseconds=1)
        return {"retention.ms": str(retention_ms), "cleanup.policy": "delete"}


class TopicMismatch(ReactorError):
    """A topic exists with another number of partitions."""

    def __init__(self, name: str, found: int, wanted: int) -> None:
        super().__init__(name, found, wanted)
        self.name, self.found, self.wanted = name, found, wanted

    def __str__(self) -> str:
        return (
            f"topic {self.name} has {self.found} partitions, the settings say {self.wanted}: "
            "set kafka.partitions to what is there, or kafka.prefix to a new name "
            "(partitions can't be changed: records of one subject would lose their order)"
        )


class TopicRefused(ReactorError):
    """The broker does not let us create a topic."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason

    def __str__(self) -> str:
        return (
            f"the broker refused to create topic {self.name}: {self.reason}; "
            "create it by hand, or give this client the right to"
        )


async def ensure_topics(
    bootstrap: Broker | str, specs: Sequence[TopicSpec], *, patience_s: float = 30.0
) -> None:
    """Create the topics that are not there.  A repeat does no harm.

    Waits up to `patience_s` for the broker to come up.  Raises `InfrastructureError` when it does
    not, `AccessRefused`, `TopicRefused` and `TopicMismatch` when waiting would not help.
    """
    broker = Broker.at(bootstrap)
    await broker.check_access()
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(InfrastructureError),
        stop=stop_after_delay(patience_s),
        wait=wait_exponential(multiplier=0.05, max=1),
        reraise=True,
    )
    await retrying(_ensure, broker, specs)


async def cluster_id(bootstrap: Broker | str) -> str:
    """The name of the cluster that answers there.  Raises `InfrastructureError`."""
    admin = _admin(Broker.at(bootstrap))
    try:
        with as_infrastructure("asking for the cluster"):
            await start_client(admin)
            return str((await admin.describe_cluster())["cluster_id"])
    finally:
        await admin.close()


def _admin(broker: Broker) -> AIOKafkaAdminClient:
    return AIOKafkaAdminClient(**broker.client_options(), request_timeout_ms=_TIMEOUT_MS)


async def _ensure(broker: Broker, specs: Sequence[TopicSpec]) -> None:
    admin = _admin(broker)
    try:
        with as_infrastructure("creating topics"):
            await start_client(admin)
            existing = await _create(admin, specs)
            found = await _partitions(admin, [spec.name for spec in existing])
    finally:
        await admin.close()
    check_partitions(existing, found)


def check_partitions(specs: Iterable[TopicSpec], found: Mapping[str, int]) -> None:
    """Whether those that are there are as they should be; `found`: their partitions, by name.

    One that somebody else creates at the same moment has none yet: that passes, and is an
    `InfrastructureError`.  Raises `TopicMismatch` for another number.
    """
    for spec in specs:
        partitions = found.get(spec.name, 0)
        if not partitions:
            raise InfrastructureError("kafka", f"topic {spec.name} is only being created")
        if partitions != spec.partitions:
            raise TopicMismatch(spec.name, partitions, spec.partitions)


async def _create(admin: AIOKafkaAdminClient, specs: Sequence[TopicSpec]) -> list[TopicSpec]:
    """Returns those that were there before.  Never describes first: that would create them."""
    response = await admin.create_topics(
        [
            NewTopic(
                name=spec.name,
                num_partitions=spec.partitions,
                replication_factor=spec.replication,
                topic_configs=spec.configs(),
            )
            for spec in specs
        ]
    )
    by_name = {spec.name: spec for spec in specs}
    existing = []
    for name, code, message in _errors(response.topic_errors):
        error = for_code(code)
        if error is TopicAlreadyExistsError:
            existing.append(by_name[name])
        elif code and getattr(error, "retriable", False):
            raise InfrastructureError("kafka", f"creating {name}: {error.__name__}")
        elif code:
            raise TopicRefused(name, message or error.__name__)
    return existing


def _errors(errors: Iterable[tuple[object, ...]]) -> Iterable[tuple[str, int, str]]:
    """(topic, code, message), also from brokers that give no message."""
    for name, code, *message in errors:
        yield str(name), int(str(code)), str(message[0] or "") if message else ""


async def _partitions(admin: AIOKafkaAdminClient, names: Sequence[str]) -> dict[str, int]:
    if not names:
        return {}
    topics = await admin.describe_topics(list(names))
    return {topic["topic"]: len(topic["partitions"]) for topic in topics}
