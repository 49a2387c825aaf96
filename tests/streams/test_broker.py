"""A broker as clients have to know it; how one really gets in: test_security.py."""

import pytest

from reactor.children import free_port
from streams.broker import Broker


def test_an_address_alone_is_of_a_broker_that_lets_everybody_in() -> None:
    broker = Broker.at("kafka:9092")

    assert broker.client_options() == {
        "bootstrap_servers": "kafka:9092",
        "security_protocol": "PLAINTEXT",
        "ssl_context": None,
    }


def test_a_user_is_told_to_the_client_and_the_password_to_nobody_else() -> None:
    broker = Broker(
        servers="kafka:9092",
        protocol="SASL_PLAINTEXT",
        mechanism="SCRAM-SHA-512",
        username="reactor",
        password="hunter2",
    )

    assert broker.client_options()["sasl_plain_password"] == "hunter2"
    assert "hunter2" not in repr(broker)


@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SASL_PLAINTEXT", "SASL_SSL"])
async def test_nobody_is_refused_by_a_broker_that_is_away(protocol: str) -> None:
    away = Broker(servers=f"127.0.0.1:{free_port()}", protocol=protocol, username="a", password="b")

    await away.check_access()
