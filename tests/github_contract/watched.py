"""What stands between a client and Prism: it passes everything on, and notes what was refused.

Prism says so in a header of its answer, or answers itself with a problem; a client may well not
look at either.
"""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_NOT_OURS = ("/readyz", "/healthz")
_PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class Exchange:
    """One request, and what the description says against it or its answer."""

    method: str
    path: str
    status: int
    violations: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.path} -> {self.status}: {'; '.join(self.violations)}"


@dataclass
class Watched:
    """Fits in as `base_url`."""

    url: str
    has_examples: bool = False
    seen: list[Exchange] = field(default_factory=list)

    def note(self, exchange: Exchange) -> None:
        """What is asked of an API; others look for servers of theirs that had this port before."""
        if exchange.path.startswith(_NOT_OURS):
            return
        self.seen.append(exchange)

    @property
    def violations(self) -> list[str]:
        """Of all that was asked for; GitHub's own examples are not looked at."""
        return [str(each) for each in self.seen if each.violations]

    @property
    def requests(self) -> list[str]:
        """As "POST /repos/octo/hello/issues/7/labels"."""
        return [f"{each.method} {each.path.partition('?')[0]}" for each in self.seen]


@contextmanager
def watching(port: int, *, has_examples: bool = False) -> Iterator[Watched]:
    """In front of the Prism of this port; `has_examples`: that answers with the description's."""
    server = _Server(("127.0.0.1", 0), _Handler)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    server.behind, server.watched = port, Watched(url, has_examples)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.watched
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    behind: int
    watched: Watched


class _Handler(BaseHTTPRequestHandler):
    """One connection for one request: nothing is left open at the end."""

    protocol_version = "HTTP/1.0"
    server: _Server

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        skipped = ("connection", "host", "accept-encoding")
        headers = {
            name: value for name, value in self.headers.items() if name.lower() not in skipped
        }
        headers["X-Forwarded-Host"] = self.headers["Host"]
        behind = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=60)
        try:
            behind.request(self.command, self.path, body=body or None, headers=headers)
            answer = behind.getresponse()
            content = answer.read()
        finally:
            behind.close()
        watched = self.server.watched
        found = tuple(_violations(answer.headers, content, only_requests=watched.has_examples))
        watched.note(Exchange(self.command, self.path, answer.status, found))
        left_out = {"connection", "keep-alive", "transfer-encoding", "content-length"}
        if watched.has_examples:
            content = _example(content)
            left_out.add("link")  # to further pages, which are somewhere else
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in left_out:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _pass_on  # noqa: N815 - of the library

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: `Watched.seen` has it."""


def _violations(headers: Any, content: bytes, *, only_requests: bool) -> Iterator[str]:
    if said := headers.get("sl-violations"):
        try:
            found = json.loads(said)
        except ValueError:  # too many of them: cut off
            yield said
            return
        for each in found:
            if each["location"][0] == "request" or not only_requests:
                yield f"{'.'.join(map(str, each['location']))}: {each['message']}"
    elif headers.get("content-type", "").startswith(_PROBLEM):
        problem = json.loads(content)
        yield f"{problem.get('title')}: {problem.get('detail')}"


def _example(content: bytes) -> bytes:
    """Some examples refer to another one where it should be, which Prism then wraps."""
    try:
        found = json.loads(content)
    except ValueError:
        return content
    if isinstance(found, dict) and found.keys() <= {"value", "x-github-breaking-changes"}:
        return json.dumps(found["value"]).encode()
    return content
