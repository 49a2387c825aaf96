import pytest

from reactor.children import free_port
from streams import embedded


def test_the_embedded_broker_listens_on_loopback_only_and_keeps_nothing() -> None:
    broker = embedded.find_broker()

    command = embedded.argv(broker, port=9999)

    assert command[0] == str(broker)
    assert command.count("tcp://127.0.0.1:9999") == 2
    assert "memory://tansu/" in command


def test_a_machine_without_one_is_told_what_to_do() -> None:
    error = embedded.NoEmbeddedBroker("win-arm64")

    assert "win-arm64" in str(error)
    assert "KAFKA_BOOTSTRAP_SERVERS" in str(error)
    assert "docker compose up" in str(error)


async def test_a_port_where_nothing_listens_is_not_ready() -> None:
    assert not await embedded.is_ready(free_port())


@pytest.mark.kafka
async def test_a_running_broker_is_ready(kafka_bootstrap: str) -> None:
    port = int(kafka_bootstrap.split(",")[0].rpartition(":")[2])

    assert await embedded.is_ready(port)
