"""Where a broker is, and how one gets in: in the clear, over TLS, with a user and a password."""

import asyncio
import ssl
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from aiokafka.conn import create_conn
from aiokafka.errors import (
    AuthenticationFailedError,
    IllegalSaslStateError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)
from aiokafka.helpers import create_ssl_context

from reactor.errors import ReactorError

_LOOK_S = 5.0
_REFUSALS = (
    AuthenticationFailedError,
    IllegalSaslStateError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)


class AccessRefused(ReactorError):
    """The broker answers, and does not let us in: waiting would not help."""

    def __init__(self, server: str, said: str, remedy: str) -> None:
        super().__init__(server, said, remedy)
        self.server, self.said, self.remedy = server, said, remedy

    def __str__(self) -> str:
        return f"the broker at {self.server} does not let us in ({self.said}); {self.remedy}"


@dataclass(frozen=True, kw_only=True)
class Broker:
    """One cluster of brokers, as a client has to know it."""

    servers: str  # host:port, comma separated
    protocol: str = "PLAINTEXT"  # or SSL, SASL_PLAINTEXT, SASL_SSL
    mechanism: str = "PLAIN"  # or SCRAM-SHA-256, SCRAM-SHA-512; with SASL
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None  # None: the system's

    @classmethod
    def at(cls, where: "Broker | str") -> "Broker":
        """Host and port alone are of a broker that lets everybody in."""
        return cls(servers=where) if isinstance(where, str) else where

    @property
    def has_user(self) -> bool:
        """Whether it asks who we are."""
        return self.protocol.startswith("SASL")

    @cached_property
    def tls(self) -> ssl.SSLContext | None:
        """With what certificates are checked; None where there is no TLS."""
        if not self.protocol.endswith("SSL"):
            return None
        context: ssl.SSLContext = create_ssl_context(cafile=self.ca_file)
        return context

    def client_options(self) -> dict[str, Any]:
        """What every aiokafka client is made with."""
        return {"bootstrap_servers": self.servers, **self._access()}

    def _access(self) -> dict[str, Any]:
        access: dict[str, Any] = {"security_protocol": self.protocol, "ssl_context": self.tls}
        if self.has_user:
            access |= {
                "sasl_mechanism": self.mechanism,
                "sasl_plain_username": self.username,
                "sasl_plain_password": self.password,
            }
        return access

    async def check_access(self) -> None:
        """Raise `AccessRefused` where the broker answers and does not let us in.

        A client would only say that it found nobody.  One that is away raises nothing here.
        """
        if self.protocol == "PLAINTEXT":
            return
        for server in self.servers.split(","):
            host, _, port = server.strip().rpartition(":")
            try:
                async with asyncio.timeout(_LOOK_S):
                    connection = await create_conn(host, int(port), **self._access())
            except _REFUSALS as error:
                remedy = "correct kafka.security: its username, password and mechanism"
                raise AccessRefused(server, str(error), remedy) from None
            except ssl.SSLCertVerificationError as error:
                remedy = "name the file with its CA in kafka.security.ca_file"
                raise AccessRefused(server, error.verify_message, remedy) from None
            except (KafkaError, OSError, TimeoutError):
                continue
            connection.close()
            return
