"""Redis over TLS, with a CA of its own."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from redis import Redis as BlockingRedis

from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_client import Endpoint, connect_to
from reactor.adapters.redis_standing import examine
from reactor.adapters.redis_trouble import UnusableRedis
from reactor.children import free_port
from reactor.codec import Codec
from reactor.ports import Commit
from tests.contract.samples import CATALOG, head
from tests.fixtures.certificates import Certificates
from tests.fixtures.redis_process import server_process, speaks_tls, wait_for_pong

pytestmark = pytest.mark.redis

PASSWORD = "secret"


@pytest.fixture
def port(tmp_path: Path, certificates: Certificates) -> Iterator[int]:
    """Where a server speaks TLS, and nothing else, with whoever knows the password."""
    if not speaks_tls():
        pytest.skip("this redis-server was built without TLS")
    port = free_port()
    words = ("--port", "0", "--tls-port", str(port), "--tls-auth-clients", "no")
    files = ("--tls-ca-cert-file", str(certificates.ca))
    pair = ("--tls-cert-file", str(certificates.server), "--tls-key-file", str(certificates.key))
    with (
        server_process(tmp_path, port, *words, *files, *pair, "--requirepass", PASSWORD),
        BlockingRedis(
            port=port, password=PASSWORD, ssl=True, ssl_ca_certs=str(certificates.ca)
        ) as client,
    ):
        wait_for_pong(client, tmp_path)
        yield port


async def test_a_process_is_kept_over_tls_with_a_password(
    port: int, certificates: Certificates
) -> None:
    url = f"rediss://:{PASSWORD}@127.0.0.1:{port}/0"
    client = connect_to(Endpoint(url=url, ca_file=str(certificates.ca)))
    boards = RedisBoards(client, Codec(CATALOG))

    opened = await boards.open("p1", delivery="d", owner="a", lease=timedelta(minutes=1))
    await boards.commit(opened.lease, Commit(head=head("p1")))

    stored = await boards.read("p1")
    assert stored is not None
    assert stored.commits == 1
    await client.aclose()


async def test_the_ca_may_stand_in_the_url(port: int, certificates: Certificates) -> None:
    url = f"rediss://:{PASSWORD}@127.0.0.1:{port}/0?ssl_ca_certs={certificates.ca}"

    assert (await examine(Endpoint(url=url), prefix="reactor")).version


async def test_a_ca_that_nobody_named_is_told_with_the_setting(port: int) -> None:
    url = f"rediss://:{PASSWORD}@127.0.0.1:{port}/0"

    with pytest.raises(UnusableRedis, match=r"redis\.ca_file"):
        await examine(Endpoint(url=url), prefix="reactor")
