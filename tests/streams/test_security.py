"""Apache Kafka over TLS, and with users: every client of ours gets in, or is told what to mend."""

import asyncio
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from reactor.adapters.memory import MemoryDeadLetters
from reactor.children import free_port
from reactor.delivery import Delivery
from reactor.topic import Position
from streams.broker import AccessRefused, Broker
from streams.codec import DeliveryCodec
from streams.host import HostSettings
from streams.processor import Processor, ProcessorSettings
from streams.producer import KafkaDeliveryLog
from streams.reader import open_reader
from streams.topics import TopicSpec, cluster_id, ensure_topics
from streams.writer import KafkaWriter
from tests.fixtures.certificates import Certificates

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.timeout(400),
    pytest.mark.skipif(
        "KAFKA_BOOTSTRAP_SERVERS" not in os.environ,  # noqa: TID251 - of the test run
        reason="the embedded broker lets everybody in: this runs where Apache Kafka is tested",
    ),
]

SCRIPT = Path(__file__).parents[2] / "tools" / "kafka" / "broker.sh"
PROTOCOLS = ("SASL_PLAINTEXT", "SASL_SSL", "SSL")
USER, PASSWORD = "reactor", "a s3cret"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
PLAIN = (
    f'org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}="{PASSWORD}";'
)


@dataclass(frozen=True)
class Guarded:
    """A broker that does not let everybody in."""

    ports: dict[str, int]
    ca: Path

    def broker(self, protocol: str, mechanism: str = "SCRAM-SHA-512") -> Broker:
        """As one gets in."""
        return Broker(
            servers=f"127.0.0.1:{self.ports[protocol]}",
            protocol=protocol,
            mechanism=mechanism,
            username=USER,
            password=PASSWORD,
            ca_file=str(self.ca),
        )


@pytest.fixture(scope="module")
def guarded(
    tmp_path_factory: pytest.TempPathFactory, certificates: Certificates
) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("kafka")
    names = ("PLAINTEXT", "CONTROLLER", *PROTOCOLS)
    ports = dict(zip(names, {free_port() for _ in range(50)}, strict=False))
    (folder / "ports").write_text(f"{ports['PLAINTEXT']} {ports['CONTROLLER']}\n")
    (folder / "format.args").write_text(
        f"--add-scram\nSCRAM-SHA-512=[name={USER},password={PASSWORD}]\n"
    )
    pem = folder / "server.pem"
    pem.write_text(certificates.key.read_text() + certificates.server.read_text())
    (folder / "extra.properties").write_text(properties(ports, pem))
    done = subprocess.run(["bash", str(SCRIPT), "start", str(folder)], check=False)
    assert done.returncode == 0
    yield Guarded(ports, certificates.ca)
    subprocess.run(["bash", str(SCRIPT), "kill", str(folder)], check=True)


def properties(ports: dict[str, int], pem: Path) -> str:
    """What the broker is told beside what the script tells it."""
    listeners = {name: f"{name}://127.0.0.1:{port}" for name, port in ports.items()}
    advertised = [address for name, address in listeners.items() if name != "CONTROLLER"]
    protocols = [f"{name}:{name}" for name in ports if name != "CONTROLLER"]
    lines = [
        f"listeners={','.join(listeners.values())}",
        f"advertised.listeners={','.join(advertised)}",
        f"listener.security.protocol.map=CONTROLLER:PLAINTEXT,{','.join(protocols)}",
        "sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN",
        "ssl.keystore.type=PEM",
        f"ssl.keystore.location={pem}",
    ]
    for name in ("sasl_plaintext", "sasl_ssl"):
        lines.append(f"listener.name.{name}.scram-sha-512.sasl.jaas.config={SCRAM}")
        lines.append(f"listener.name.{name}.plain.sasl.jaas.config={PLAIN}")
    return "\n".join(lines) + "\n"


@pytest.fixture(
    params=[
        ("SASL_PLAINTEXT", "SCRAM-SHA-512"),
        ("SASL_PLAINTEXT", "PLAIN"),
        ("SASL_SSL", "SCRAM-SHA-512"),
        ("SSL", ""),
    ],
    ids=" ".join,
)
def broker(request: pytest.FixtureRequest, guarded: Guarded) -> Broker:
    return guarded.broker(*request.param)


async def test_a_delivery_goes_all_the_way(
    broker: Broker,
    codec: DeliveryCodec,
    make_delivery: Callable[..., Delivery],
    kafka_prefix: str,
) -> None:
    topic, settled = f"{kafka_prefix}.deliveries", asyncio.Event()

    async def settle(_delivery: Delivery, _position: Position) -> None:
        settled.set()

    await ensure_topics(broker, [TopicSpec(name=topic, partitions=1, retention=timedelta(hours=1))])
    writer = KafkaWriter(broker, timeout_s=15)
    await KafkaDeliveryLog(writer, codec, topic=topic).append(make_delivery())
    processor = Processor(
        ProcessorSettings(host=HostSettings(bootstrap=broker, group=kafka_prefix, topics=(topic,))),
        codec=codec,
        settle=settle,
        dead_letters=MemoryDeadLetters(),
    )
    await processor.start()
    async with asyncio.timeout(30):
        await settled.wait()
    await processor.stop()

    async with open_reader(broker) as reader:
        assert len(await reader.read_all(topic)) == 1
    assert await cluster_id(broker)
    await writer.stop()


async def test_a_wrong_password_is_told_at_once_and_not_repeated(guarded: Guarded) -> None:
    stranger = replace(guarded.broker("SASL_PLAINTEXT"), password="hunter2")

    with pytest.raises(AccessRefused, match=r"correct kafka\.security") as caught:
        await ensure_topics(stranger, [TopicSpec(name="t", partitions=1)])

    assert "hunter2" not in str(caught.value)


async def test_a_mechanism_that_the_broker_does_not_know_is_told(guarded: Guarded) -> None:
    other = replace(guarded.broker("SASL_PLAINTEXT"), mechanism="SCRAM-SHA-256")

    with pytest.raises(AccessRefused, match=r"correct kafka\.security"):
        await ensure_topics(other, [TopicSpec(name="t", partitions=1)])


async def test_a_certificate_of_an_unknown_ca_is_told_with_the_setting(guarded: Guarded) -> None:
    without = replace(guarded.broker("SASL_SSL"), ca_file=None)

    with pytest.raises(AccessRefused, match=r"kafka\.security\.ca_file"):
        await ensure_topics(without, [TopicSpec(name="t", partitions=1)])
