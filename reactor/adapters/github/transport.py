"""How PyGithub's requester reaches a server: a session that threads share, a request of its own each.

PyGithub's own connection notes a request in itself before it sends it: two threads that share a
requester would send one of their requests twice and the other never.  And it follows a 301 by
itself, wherever that leads; here it looks like a 308, which is left to us.
"""

from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from github.Requester import HTTPRequestsConnectionClass, Requester, RequestsResponse
from requests.adapters import HTTPAdapter


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
        answer = RequestsResponse(
            self.session.request(
                self.verb,
                f"{self._root}{self.url}",
                data=self.input,
                headers=self.headers,
                timeout=self._timeout_s,
                allow_redirects=False,
            )
        )
        if answer.status == 301:
            answer.status = 308
        return answer

    def close(self) -> None:
        """The session stays."""
