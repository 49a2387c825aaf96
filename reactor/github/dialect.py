"""GitHub's dialect of webhooks: from headers and bytes to a `Delivery`.

The only place that knows what its headers are called and what they may hold.  Two steps, since
the first can refuse a request whose body nobody has read yet: `GitHubDialect.check` looks at the
headers, and the `Envelope` that it gives opens with the body.  Pure: no I/O, no clock.

Source: GitHub docs, "Webhook events and payloads", "Delivery headers".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from reactor.delivery import GITHUB_COM, Delivery, digest
from reactor.errors import ReactorError
from reactor.github.signature import signature_in, verify
from reactor.github.subject import subject_of
from reactor.payload import JSON, MEDIA_TYPES, BadPayload, parse
from reactor.refusal import Refused

# They end in keys, file names and logs, so nothing else is let in.  GitHub's ids look like UUIDs
# of version 1; that is its own business.
_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_EVENT = re.compile(r"[0-9A-Za-z_-]{1,64}")
_TENANT = re.compile(r"[0-9a-z-]{1,64}(?:\.ghe\.com)?")

_LONGEST_ACTION = 100  # what GitHub allows for the name of a repository_dispatch
_LONGEST_KEPT = 256  # characters of a header that travels with the record

KEPT_HEADERS = (
    "content-type",
    "user-agent",
    "x-github-enterprise-host",
    "x-github-enterprise-version",
    "x-github-event",
    "x-github-hook-id",
    "x-github-hook-installation-target-id",
    "x-github-hook-installation-target-type",
    "x-github-tenant",
)
"""What travels with the record; never the signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A request whose headers are in order.  Without secrets, it opens without a signature."""

    id: str
    event: str
    host: str = GITHUB_COM
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)  # those of `KEPT_HEADERS`
    signature: str = field(default="", repr=False)
    secrets: tuple[bytes, ...] = field(default=(), repr=False)

    def open(self, body: bytes, *, received_at: datetime) -> Delivery:
        """The delivery in `body`.

        Raises `Refused`: 401 where the signature does not fit, 400 where it is no payload.
        """
        if self.secrets:
            verify(body, self.signature, self.secrets)
        try:
            payload = parse(body, self.media_type)
        except BadPayload as bad:
            raise Refused(
                400, "payload", bad.reason, where=f"body, {bad.where}", fix="send one JSON object"
            ) from None
        return Delivery(
            id=self.id,
            event=self.event,
            action=_action(payload),
            host=self.host,
            subject=subject_of(payload, self.host),
            body=body,
            media_type=self.media_type,
            payload=payload,
            received_at=received_at,
            digest=digest(body),
            headers=self.headers,
        )


class NoSecret(ReactorError):
    """A host may send deliveries, but nothing could tell its own from anybody's."""

    def __init__(self, host: str) -> None:
        super().__init__(host)
        self.host = host

    def __str__(self) -> str:
        return (
            f"there is no webhook secret for {self.host}; set GITHUB_WEBHOOK_SECRET, "
            "or listen on loopback only, where unsigned deliveries are accepted"
        )


class GitHubDialect:
    """Reads requests of the hosts it was given, each with secrets of its own.

    `secrets` maps each host that may send to its secrets, several while one is being replaced.
    A host without any is refused (`NoSecret`) unless `allow_unsigned`: pass that only where the
    gateway listens on loopback.
    """

    def __init__(self, secrets: Mapping[str, Sequence[str]], *, allow_unsigned: bool) -> None:
        self._secrets = {
            host.lower(): tuple(secret.encode() for secret in of_host if secret)
            for host, of_host in secrets.items()
        }
        if not allow_unsigned:
            for host, of_host in self._secrets.items():
                if not of_host:
                    raise NoSecret(host)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that may send."""
        return tuple(self._secrets)

    def check(self, headers: Mapping[str, str]) -> Envelope:
        """The envelope.  `headers` have lower-case names; one sent twice is joined by a comma.

        Raises `Refused`, in this order: 415 media type, 400 id, 400 event, 403 host, 401 no
        signature.
        """
        media_type = _media_type(headers)
        delivery_id = _matching(
            headers, "X-GitHub-Delivery", _ID, "1 to 64 characters of 0-9, A-Z, a-z and -"
        )
        event = _matching(
            headers, "X-GitHub-Event", _EVENT, "1 to 64 characters of 0-9, A-Z, a-z, _ and -"
        )
        host = _host(headers)
        secrets = self._secrets.get(host)
        if secrets is None:
            raise Refused(
                403,
                "unknown_host",
                f"{host[:_LONGEST_KEPT]!r} is not among the hosts that may send",
                where="header X-GitHub-Enterprise-Host or X-GitHub-Tenant",
                fix="add the host, with its secret, to `github.hosts` in the settings",
            )
        return Envelope(
            id=delivery_id,
            event=event,
            host=host,
            media_type=media_type,
            headers={n: headers[n][:_LONGEST_KEPT] for n in KEPT_HEADERS if n in headers},
            signature=signature_in(headers) if secrets else "",
            secrets=secrets,
        )


def _media_type(headers: Mapping[str, str]) -> str:
    """Without parameters: JSON is UTF-8 whatever a charset says."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in MEDIA_TYPES:
        return media_type
    raise Refused(
        415,
        "media_type",
        f"{media_type[:80]!r} is not a media type of webhooks",
        where="header Content-Type",
        fix=f"set the content type of the hook to {' or '.join(MEDIA_TYPES)}",
    )


def _matching(headers: Mapping[str, str], name: str, shape: re.Pattern[str], means: str) -> str:
    text = headers.get(name.lower())
    if text is not None and shape.fullmatch(text):
        return text
    raise Refused(
        400,
        name.lower().removeprefix("x-github-") + "_header",
        "the header is missing" if text is None else "the header holds something else",
        where=f"header {name}",
        fix=f"send {means}, as GitHub does; a relay may have dropped or changed it",
    )


def _host(headers: Mapping[str, str]) -> str:
    """The server that says it has sent this: its secret must prove it."""
    enterprise = headers.get("x-github-enterprise-host", "").strip().lower()
    tenant = headers.get("x-github-tenant", "").strip().lower()
    if _TENANT.fullmatch(tenant):
        tenant = tenant.removesuffix(".ghe.com") + ".ghe.com"
    if enterprise and tenant and enterprise != tenant:
        return f"{enterprise}, {tenant}"  # no host is called so
    return enterprise or tenant or GITHUB_COM


def _action(payload: Mapping[str, object]) -> str | None:
    action = payload.get("action")
    if isinstance(action, str) and 0 < len(action) <= _LONGEST_ACTION and action.isprintable():
        return action
    return None
