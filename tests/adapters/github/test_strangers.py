"""What is no GitHub, or one that goes wrong, gets no token and takes no more than it should."""

import asyncio
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from reactor import EffectGivenUp, EffectRefused
from reactor.adapters.github.answers import Answer, GitHubTrouble
from reactor.adapters.github.transport import LONGEST_ANSWER
from reactor.github import AddLabels, PostComment
from reactor.github.hosts import Login
from tests.adapters.github.conftest import Desk
from tests.fixtures.github.fake import APP_ID, INSTALLATION, REPOSITORY, TOKEN, AppKey, FakeGitHub
from tests.fixtures.github.faults import Fault, bad_credentials

LABEL = AddLabels(labels=("bug",))
LABELS = f"/repos/{REPOSITORY}/issues/7/labels"


@dataclass
class Stranger:
    """Answers everything alike, and notes who asked."""

    url: str
    answer: tuple[int, dict[str, str], bytes] = (200, {}, b"[]")
    repeated: int = 1  # how often its body is sent
    asked: list[tuple[str, str, str]] = field(default_factory=list)  # verb, path, authorization


@contextmanager
def _running() -> Iterator[Stranger]:
    class Handler(BaseHTTPRequestHandler):
        def _tell(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            who = self.headers.get("Authorization", "")
            found.asked.append((self.command, self.path, who))
            status, headers, body = found.answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for _ in range(found.repeated):
                    self.wfile.write(body)
            except OSError:  # whoever asked has had enough
                self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _tell  # noqa: N815 - of the library

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found = Stranger(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    with _running() as found:
        yield found


@pytest.fixture
def at_a_stranger(stranger: Stranger, fake_github: FakeGitHub) -> Iterator[Desk]:
    """A desk whose GitHub it is."""
    desk = Desk(fake_github, Login(token=TOKEN, account="the-bot"), url=f"{stranger.url}/api/v3")
    yield desk
    desk.executor.close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_redirection_leads_our_token_to_another_server(
    by_token: Desk, stranger: Stranger, status: int
) -> None:
    elsewhere = {"Location": f"{stranger.url}/repositories/1296269/issues/7/labels"}
    by_token.fake.fail(Fault(path=LABELS, status=status, message="Moved", headers=elsewhere))

    await by_token.send(LABEL)

    assert stranger.asked == []
    assert by_token.fake.issue()["labels"] == ["bug"]


@pytest.mark.parametrize(
    "location", ["@evil.example/x", "http://evil.example/api/v3@evil.example/x", "x", "", "?a=b"]
)
async def test_an_address_that_would_change_the_servers_name_is_none(
    at_a_stranger: Desk, stranger: Stranger, location: str
) -> None:
    at_a_stranger.open()
    stranger.answer = (307, {"Location": location}, b"{}")

    with pytest.raises((GitHubTrouble, EffectRefused)):
        await at_a_stranger.send(LABEL)

    asked = [path for verb, path, _ in stranger.asked if verb == "POST"]
    assert asked == [f"/api/v3{LABELS}"]


async def test_the_next_page_of_a_list_is_asked_of_the_same_server(
    at_a_stranger: Desk, stranger: Stranger
) -> None:
    with _running() as other:
        at_a_stranger.open()
        stranger.answer = (200, {"Link": f'<{other.url}/api/v3/x?page=2>; rel="next"'}, b"[]")

        with pytest.raises(EffectRefused, match="more than 3000 items"):
            await at_a_stranger.again(PostComment(body="Thanks."))

    assert other.asked == []
    assert stranger.asked[-1][1] == "/api/v3/x?page=2"


async def test_an_answer_without_end_is_not_read_to_its_end(
    at_a_stranger: Desk, stranger: Stranger
) -> None:
    at_a_stranger.open()
    megabyte = b" " * 1024**2
    stranger.answer, stranger.repeated = (200, {}, megabyte), 2 * LONGEST_ANSWER // len(megabyte)

    with pytest.raises(GitHubTrouble, match="more than 32 MiB"):
        await at_a_stranger.send(LABEL)


@pytest.mark.parametrize("body", [b"<html>Please log in</html>", b"[" * 100_000], ids=["html", "["])
async def test_a_success_that_is_no_json_is_none(
    at_a_stranger: Desk, stranger: Stranger, body: bytes
) -> None:
    at_a_stranger.open()
    stranger.answer = (200, {}, body)

    with pytest.raises(GitHubTrouble, match="no JSON"):
        await at_a_stranger.send(LABEL)


async def test_an_answer_that_is_to_be_asked_for_again_is_no_loop(
    at_a_stranger: Desk, stranger: Stranger
) -> None:
    at_a_stranger.open()
    stranger.answer = (202, {}, b"{}")

    with pytest.raises(GitHubTrouble, match="503"):
        await at_a_stranger.send(AddLabels(labels=("bug",)), may_be_done=True)

    assert [verb for verb, path, _ in stranger.asked if path.endswith("/issues/7")] == ["GET"]


@pytest.mark.parametrize(
    "fault",
    [
        bad_credentials(times=9),
        Fault(status=502, times=9),
        Fault(status=403, message="Resource not accessible by integration"),
        Fault(status=422, message="Validation Failed"),
        Fault(kind="drop", times=9),
    ],
    ids=lambda fault: f"{fault.kind} {fault.status}",
)
async def test_no_error_shows_who_we_are(
    desk: Desk, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    await desk.send(LABEL)
    desk.fake.fail(fault)

    with pytest.raises(Exception) as caught:  # noqa: PT011 - any of them
        await desk.send(PostComment(body="Thanks."))

    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    shown += repr(vars(caught.value)) + repr(desk.account) + repr(desk.executor)
    assert _secrets(desk) & set(desk.fake.world.tokens)
    assert [secret for secret in _secrets(desk) if secret in shown] == []
    assert [secret for secret in _secrets(desk) if secret in _warned(caplog)] == []


def test_an_answer_that_holds_a_token_does_not_show_it() -> None:
    answer = Answer(status=201, headers={}, data={"token": "ghs_secret"})

    assert "ghs_secret" not in repr(answer)


async def test_what_a_worker_writes_down_shows_no_token_at_any_level(
    fake_github: FakeGitHub, app_key: AppKey, tmp_path: Path
) -> None:
    key = tmp_path / "key.pem"
    key.write_text(app_key.private_pem)
    fake_github.fail(Fault(path="/repos/.*", status=502, skip=1, times=1))

    run = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", _PROGRAM, fake_github.url, str(key), str(APP_ID)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert "GitHubTrouble" in run.stderr, run.stderr
    used = {each.token for each in fake_github.requests() if each.token}
    assert any(token.startswith("ghs_") for token in used)
    assert any(token.startswith("eyJ") for token in used)
    assert [token for token in used if token in run.stdout + run.stderr] == []


_PROGRAM = f"""
import logging, sys
from pathlib import Path
from time import monotonic
import structlog
from reactor import logs
from reactor.adapters.github.connection import Wire
from reactor.adapters.github.tokens import Tokens, app_connection, installation_connection
logs.configure(level="debug", style="json")
wire = Wire(host="github.com", api_url=sys.argv[1])
app = app_connection(wire, int(sys.argv[3]), Path(sys.argv[2]).read_text())
tokens = Tokens(app, monotonic)
us = installation_connection(wire, tokens, {INSTALLATION})
for _ in range(2):
    try:
        us.get("/repos/{REPOSITORY}")
    except Exception:
        structlog.get_logger("x").exception("went_wrong", us=us, wire=wire, tokens=vars(tokens))
        logging.getLogger("github.Requester").exception("went wrong")
"""


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Repository was archived so is read-only.", "archived"),
        ("Unable to create comment because issue is locked.", "may not write in it"),
    ],
)
async def test_what_is_forbidden_for_good_is_not_waited_for(
    desk: Desk, message: str, said: str
) -> None:
    desk.fake.fail(Fault(path=LABELS, status=403, message=message))

    with pytest.raises(EffectRefused, match=said) as caught:
        await desk.send(LABEL)

    assert not isinstance(caught.value, EffectGivenUp)


@pytest.mark.parametrize(
    ("message", "headers", "said"),
    [
        ("Resource not accessible by integration", {}, "lacks a permission; grant it"),
        (
            "Resource not accessible by personal access token",
            {"X-Accepted-GitHub-Permissions": "issues=write; pull_requests=write"},
            "issues=write; pull_requests=write; grant it",
        ),
        ("Must have push access", {"X-Accepted-OAuth-Scopes": "repo"}, "permission: repo"),
        ("Resource protected by organization SAML enforcement.", {}, "authorise the token"),
        ("This installation has been suspended", {}, "its owner has to let it work again"),
    ],
)
async def test_what_somebody_has_to_grant_is_given_up_until_then(
    desk: Desk, message: str, headers: dict[str, str], said: str
) -> None:
    desk.fake.fail(Fault(path=LABELS, status=403, message=message, headers=headers))

    with pytest.raises(EffectGivenUp, match=said):
        await desk.send(LABEL)

    await desk.send(LABEL)
    assert desk.fake.issue()["labels"] == ["bug"]


def _secrets(desk: Desk) -> set[str]:
    """All that was ever sent, and the key that it was made with."""
    assert desk.login.private_key is not None
    lines = {line for line in desk.login.private_key.splitlines() if len(line) > 40}
    return {each.token for each in desk.fake.requests() if each.token} | lines


def _warned(caplog: pytest.LogCaptureFixture) -> str:
    """What libraries say is written down from this level on."""
    return "\n".join(each.getMessage() for each in caplog.records if each.levelname != "DEBUG")
