"""Which ports `up` takes."""

import socket
from collections.abc import Iterator

import pytest

from reactor.settings import ConsoleSettings
from reactor.wiring.servers import CantListen, port_for_console


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which something listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_console_port_that_was_asked_for_and_is_taken_is_an_error(taken: int) -> None:
    with pytest.raises(CantListen, match="choose another --console-port"):
        port_for_console(ConsoleSettings(port=taken))


def test_the_usual_console_port_gives_way_to_a_free_one(taken: int) -> None:
    usual = ConsoleSettings.model_construct(_fields_set=set(), host="127.0.0.1", port=taken)

    assert port_for_console(usual) not in (0, taken)


def test_a_free_console_port_is_taken_as_it_is(taken: int) -> None:
    assert port_for_console(ConsoleSettings(port=0)) not in (0, taken)
