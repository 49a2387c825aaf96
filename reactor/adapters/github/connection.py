"""Requests to one GitHub server as one account, over PyGithub's requester.

PyGithub repeats requests, waits on its own and follows what moved; here it only sends.  A request
is repeated in one case: the token was refused, so that nothing was done, and there is a new one.
"""

import copy
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self
from urllib.parse import urlsplit

import requests
from github import Github
from github.Auth import Auth
from urllib3.exceptions import NewConnectionError

from reactor.adapters.github.answers import Answer, GitHubTrouble, TokenRefused, check
from reactor.adapters.github.transport import AnswerTooLong, OneRequest, shared_session
from reactor.attempt import EffectDelayed, EffectRefused

Verb = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

MOST_PAGES = 30  # of a list that is searched, 100 items each
_PAGE = 100
_MOST_MOVES = 3
_AWAY_PAUSE_S = 15.0
_TOKEN_PAUSE_S = 300.0
_BY_ID = re.compile(r"/repositories/(?P<id>\d+)(/|$)")  # how GitHub says where one is now
_USER_AGENT = "webhook-reactor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, as those see it who pace them."""

    host: str
    account: str  # whose limits count: "installation 7", "app 3", "token"
    verb: Verb
    path: str  # without the root of the API
    priority: int = 0  # above 0: a person asked for it
    has_begun: bool = False  # its change has several requests, and one of them was written before
    id: str = field(default_factory=lambda: secrets.token_hex(8))  # of this request alone

    @property
    def is_write(self) -> bool:
        """Whether it changes anything."""
        return self.verb != "GET"


class Pace(Protocol):
    """Who is asked before each request, and told what came of it; in threads, many at once."""

    def before(self, asked: Asked) -> None:
        """Let it go.  Raises `EffectDelayed` where it would be one too many."""
        ...

    def after(self, asked: Asked, answer: Answer | None) -> None:
        """Hear that it has ended; the headers of an answer tell of limits."""
        ...


class Unpaced:
    """Lets everything go; fits `Pace`."""

    def before(self, asked: Asked) -> None:
        """Nothing."""

    def after(self, asked: Asked, answer: Answer | None) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """How a server is reached."""

    host: str
    api_url: str
    timeout_s: float = 10.0  # to connect, and between two bytes
    pool: int = 8  # connections that are kept
    pace: Pace = field(default_factory=Unpaced)


class Connection:
    """One account on one server; safe to be used by many threads at once."""

    def __init__(
        self,
        wire: Wire,
        *,
        auth: Auth,
        account: str,
        forget_token: Callable[[], None] | None = None,
    ) -> None:
        """`forget_token`: called where it was refused; None: there is no other."""
        self._wire, self._account, self._forget_token = wire, account, forget_token
        github = Github(
            auth=auth,
            base_url=wire.api_url,
            timeout=max(1, round(wire.timeout_s)),
            user_agent=_USER_AGENT,
            retry=None,  # it would repeat a POST whose answer was lost
            pool_size=wire.pool,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
        )
        self._requester = github.requester
        self._session = shared_session(wire.pool)
        parts = urlsplit(wire.api_url)
        self._root = f"{parts.scheme}://{parts.netloc}"
        self._priority, self._has_begun = 0, False
        self._home: int | None = None
        self._etag = ""

    def with_priority(self, priority: int) -> Self:
        """The same one, for the requests of one change of this priority; not to be closed."""
        found = copy.copy(self)
        found._priority = priority
        return found

    def at_home(self, repository_id: int) -> Self:
        """The same one, for requests that no redirection leads to another repository.

        A repository may be renamed; an issue that was transferred is another one.
        """
        found = copy.copy(self)
        found._home = repository_id
        return found

    def unless_same(self, etag: str) -> Self:
        """The same one, for requests that are answered 304 where what came with `etag` still is.

        "": for any others.  Such an answer costs nothing of the limits.
        """
        found = copy.copy(self)
        found._etag = etag
        return found

    def get(self, path: str, **parameters: str | int) -> Any:
        """The data at a path."""
        return self.ask("GET", path, parameters=parameters).data

    def find(self, path: str, **parameters: str | int) -> Any:
        """As `get`; None where there is nothing."""
        answer = self.try_("GET", path, parameters=parameters)
        if answer.status in (404, 410):
            return None
        self.check(answer, f"GET {path}")
        return answer.data

    def each(self, path: str, *, inside: str = "", **parameters: str | int) -> Iterator[Any]:
        """The items of a list, page by page; `inside`: the field of an object that holds it.

        Raises `EffectRefused` for a list that is too long to be looked through.
        """
        answer = self.ask("GET", path, parameters={"per_page": _PAGE, **parameters})
        for _ in range(MOST_PAGES):
            yield from answer.data[inside] if inside else answer.data
            following = links_of(answer).get("next")
            if following is None:
                return
            answer = self.ask("GET", self._path_of(following))
        raise EffectRefused(
            f"more than {MOST_PAGES * _PAGE} items at {path} had to be looked through to see"
            " whether it is there already"
        )

    def ask(
        self,
        verb: Verb,
        path: str,
        body: Mapping[str, Any] | None = None,
        parameters: Mapping[str, str | int] | None = None,
    ) -> Answer:
        """Send a request; `path` begins below the root of the API.

        Raises `EffectRefused`, `EffectGivenUp`, `EffectDelayed` and `GitHubTrouble`.
        """
        answer = self.try_(verb, path, body, parameters)
        self.check(answer, f"{verb} {path}")
        return answer

    def close(self) -> None:
        """Let the connections go."""
        self._requester.close()
        self._session.close()

    def check(self, answer: Answer, asked: str) -> None:
        """Raise what follows from an answer that is no success."""
        try:
            check(answer, host=self._wire.host, asked=asked)
        except TokenRefused as error:
            raise EffectDelayed(str(error), _TOKEN_PAUSE_S) from None

    def try_(
        self,
        verb: Verb,
        path: str,
        body: Mapping[str, Any] | None = None,
        parameters: Mapping[str, str | int] | None = None,
    ) -> Answer:
        """As `ask`, but whatever is answered is taken.

        A token bears the permissions of its making: once more has been granted, a new one can.
        """
        answer = self._follow(verb, path, parameters, body)
        if self._forget_token is None:
            return answer
        if answer.status == 401:
            self._forget_token()
            return self._follow(verb, path, parameters, body)
        if answer.status == 403 and not answer.is_limit:
            self._forget_token()
        return answer

    def _follow(
        self,
        verb: Verb,
        path: str,
        parameters: Mapping[str, str | int] | None,
        body: Mapping[str, Any] | None,
    ) -> Answer:
        """Send it, again where the answer says that it is elsewhere on this server."""
        answer = self._send(verb, path, parameters, body)
        for _ in range(_MOST_MOVES):
            if answer.status not in (301, 302, 307, 308) or "location" not in answer.headers:
                return answer
            answer = self._send(verb, self._moved_to(answer.headers["location"]), None, body)
        return answer

    def _send(
        self,
        verb: Verb,
        path: str,
        parameters: Mapping[str, str | int] | None,
        body: Mapping[str, Any] | None,
    ) -> Answer:
        wire, answer = self._wire, None
        asked = Asked(
            host=wire.host,
            account=self._account,
            verb=verb,
            path=path,
            priority=self._priority,
            has_begun=self._has_begun,
        )
        wire.pace.before(asked)
        self._has_begun |= asked.is_write
        try:
            status, headers, text = self._requester.requestJson(
                verb,
                path,
                dict(parameters or {}),
                headers={"If-None-Match": self._etag} if self._etag else None,
                input=body,
                cnx=self._one_request(),
            )
            data = _decoded(text, wire.host, f"{verb} {path}" if status < 300 else "")
            answer = Answer(status=status, headers=headers, data=data)
        except requests.RequestException as error:
            raise _trouble(wire.host, f"{verb} {path}", error) from None
        finally:
            wire.pace.after(asked, answer)
        return answer

    def _one_request(self) -> OneRequest:
        return OneRequest(self._session, self._root, self._wire.timeout_s)

    def _moved_to(self, url: str) -> str:
        path = self._path_of(url)
        found = _BY_ID.match(path)
        if self._home is not None and (found is None or int(found["id"]) != self._home):
            raise EffectRefused(
                f"it was transferred to another repository ({path[:200]}): what was wished for"
                " here is not done there"
            )
        return path

    def _path_of(self, url: str) -> str:
        """Of an address only the path counts: our token goes to no other server."""
        parts = urlsplit(url)
        path = parts.path.removeprefix(urlsplit(self._wire.api_url).path)
        if not path.startswith("/"):  # put behind the name of our server it would be part of that
            raise GitHubTrouble(self._wire.host, "said that something is at no address")
        return f"{path}?{parts.query}" if parts.query else path


def links_of(answer: Answer) -> Mapping[str, str]:
    """Addresses of other pages, by what they are: "next", "last"."""
    found = requests.utils.parse_header_links(answer.headers.get("link", ""))
    return {link["rel"]: link["url"] for link in found if "rel" in link and "url" in link}


def _trouble(
    host: str, asked: str, error: requests.RequestException
) -> EffectDelayed | GitHubTrouble:
    """Where no connection came about, nothing can have been done."""
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(error, requests.ConnectTimeout) or isinstance(reason, NewConnectionError):
        return EffectDelayed(f"{host} can't be reached", _AWAY_PAUSE_S)
    if isinstance(error, requests.Timeout):
        return GitHubTrouble(host, f"did not answer {asked} in time")
    if isinstance(error, AnswerTooLong):
        return GitHubTrouble(host, f"answered {asked} with {error}")
    return GitHubTrouble(host, f"did not answer {asked}: the connection was cut")


def _decoded(text: str, host: str, asked: str) -> Any:
    """JSON; None where there is none.

    `asked`: what was answered so, if that is a success: something that is no JSON then comes from
    somebody else.  Raises `GitHubTrouble` for that.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if asked and text.strip():
            raise GitHubTrouble(host, f"answered {asked} with something that is no JSON") from None
        return None
