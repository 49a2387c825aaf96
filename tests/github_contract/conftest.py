"""Prism: GitHub's own description of its API, as a server that says what does not fit it.

Skipped with the reason where it is not installed (`make contract` does that), or failed where
REACTOR_REQUIRE names prism.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import reactor
from reactor.children import free_port
from tests.fixtures.github.fake import AppKey, FakeGitHub, new_key, running, usual_seed
from tests.fixtures.github.seed import plant
from tests.github_contract.watched import Watched, watching

_INSTALL = Path(__file__).parents[2] / "tools" / "prism" / "install.sh"
_GUARDIAN = Path(reactor.__file__).with_name("guardian.py")  # ends it with the test run
_WITHIN_S = 150  # some seconds on a machine that has nothing else to do


@pytest.fixture(scope="session")
def prism_folder() -> Path:
    """Where Prism and the description are."""
    found = subprocess.run(
        ["bash", str(_INSTALL), "where"], capture_output=True, text=True, check=False
    )
    if found.returncode == 0 and shutil.which("node"):
        return Path(found.stdout.strip())
    reason = "Prism is not installed, or no node is on PATH: run `make contract`"
    if "prism" in os.environ.get("REACTOR_REQUIRE", ""):  # noqa: TID251 - of the test run
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def mock_port(prism_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A Prism that answers with the description's examples."""
    with _prism(prism_folder, tmp_path_factory.mktemp("prism"), "mock") as port:
        yield port


@pytest.fixture
def described(mock_port: int) -> Iterator[Watched]:
    """GitHub as it describes itself."""
    with watching(mock_port, has_examples=True) as watched:
        yield watched


@pytest.fixture(scope="session")
def key() -> AppKey:
    """Of the app."""
    return new_key()


@pytest.fixture(scope="session")
def _fake_behind(key: AppKey) -> Iterator[FakeGitHub]:
    with running() as fake:
        yield fake


@pytest.fixture(scope="session")
def proxy_port(
    prism_folder: Path, tmp_path_factory: pytest.TempPathFactory, _fake_behind: FakeGitHub
) -> Iterator[int]:
    """A Prism that asks the fake, and looks at both sides."""
    folder = tmp_path_factory.mktemp("prism-proxy")
    with _prism(prism_folder, folder, "proxy", _fake_behind.url) as port:
        yield port


@pytest.fixture
def fake(_fake_behind: FakeGitHub, key: AppKey) -> FakeGitHub:
    """The fake of `compared`, as new."""
    _fake_behind.api.reset()
    plant(_fake_behind.api.world, usual_seed(key.public_pem))
    return _fake_behind


@pytest.fixture
def compared(proxy_port: int, fake: FakeGitHub) -> Iterator[Watched]:
    """The fake, through the Prism that compares what it answers with the description."""
    with watching(proxy_port) as watched:
        yield watched


@contextmanager
def _prism(installed: Path, folder: Path, verb: str, *upstream: str) -> Iterator[int]:
    """From the moment it listens until the block ends."""
    port = free_port()
    command = [
        str(installed / "node_modules" / ".bin" / "prism"),
        *(verb, "--host", "127.0.0.1", "--port", str(port)),
        *(str(installed / "api.github.com.json"), *upstream),
    ]
    said = folder / "log"
    with (
        said.open("ab") as log,
        subprocess.Popen(
            [sys.executable, "-I", str(_GUARDIAN), "2", *command],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            deadline = time.monotonic() + _WITHIN_S
            while not _listens(port):
                assert process.poll() is None, said.read_text("utf-8")
                assert time.monotonic() < deadline, said.read_text("utf-8")
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
