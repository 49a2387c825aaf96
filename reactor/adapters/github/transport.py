"""How PyGithub's requester reaches a server: a session that threads share, a request of its own each.

PyGithub's own connection notes a request in itself before it sends it: two threads that share a
requester would send one of their requests twice and the other never.  It follows a 301 by itself,
wherever that leads; here it looks like a 308, which is left to us.  What is answered 202 it asks
for again, for ever; here that looks like a 503.  And it reads whatever comes; here that has a limit.
"""

from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from github.Requester import HTTPRequestsConnectionClass, Requester, RequestsResponse
from requests.adapters import HTTPAdapter

LONGEST_ANSWER = 32 * 1024 * 1024  # bytes: a hundred comments as long as GitHub takes them
_PART = 64 * 1024  # bytes that are read at once


class AnswerTooLong(requests.RequestException):
    """A server goes on and on."""

    def __str__(self) -> str:
        return f"more than {LONGEST_ANSWER // 1024**2} MiB"


def shared_session(pool: int) -> requests.Session:
    """Keeps so many connections open; repeats nothing, remembers nothing."""
    session = requests.Session()
    session.auth = Requester.noopAuth  # or requests would take what .netrc says
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    adapter = HTTPAdapter(max_retries=0, pool_connections=1, pool_maxsize=pool)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


class OneRequest(HTTPRequestsConnectionClass):
    """What the requester takes for a connection, made anew for each request."""

    def __init__(self, session: requests.Session, root: str, timeout_s: float) -> None:
        """`root`: scheme, host and port."""
        self.session, self._root, self._timeout_s = session, root, timeout_s

    def request(
        self,
        verb: str,
        url: str,
        input: Any,
        headers: dict[str, str],
        stream: bool = False,  # noqa: FBT001, FBT002 - the signature is PyGithub's
    ) -> None:
        """Note it."""
        self.verb, self.url, self.input, self.headers = verb, url, input, headers
        self.stream = stream

    def getresponse(self) -> RequestsResponse:
        """Send it."""
        with self.session.request(
            self.verb,
            f"{self._root}{self.url}",
            data=self.input,
            headers=self.headers,
            timeout=self._timeout_s,
            allow_redirects=False,
            stream=True,
        ) as response:
            return _Read(response, _text_of(response), _status(self.verb, response.status_code))

    def close(self) -> None:
        """The session stays."""


class _Read(RequestsResponse):
    """One that has been read."""

    def __init__(self, response: requests.Response, text: str, status: int) -> None:
        super().__init__(response)
        self._text, self.status = text, status

    def read(self) -> str:
        return self._text


def _status(verb: str, status: int) -> int:
    if status == 301:
        return 308
    return 503 if status == 202 and verb in ("GET", "HEAD") else status


def _text_of(response: requests.Response) -> str:
    """Raises `AnswerTooLong`."""
    parts: list[bytes] = []
    left = LONGEST_ANSWER
    for part in response.iter_content(_PART):
        left -= len(part)
        if left < 0:
            raise AnswerTooLong
        parts.append(part)
    return b"".join(parts).decode("utf-8", errors="replace")
