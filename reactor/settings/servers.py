"""The servers of the path, and those that are run by others: broker, store, collector."""

import ipaddress
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from reactor.settings.section import Section


class GatewaySettings(Section):
    """Where deliveries are accepted."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    produce_timeout_s: float = Field(
        3.0,
        gt=0,
        description="How long to wait for the broker before a delivery goes to the spool.",
    )
    spool: Path | None = Field(
        None,
        description="Folder in which deliveries wait while the broker is away, fsynced; `up` has"
        " one in its data folder. None: they are answered 503.",
    )
    spool_mb: int = Field(
        256, ge=1, description="Size at which the spool is full; then deliveries are answered 503."
    )
    token: SecretStr | None = Field(
        None, description="Bearer token for everything but the webhook and the probes."
    )


class ConsoleProxySettings(Section):
    """A proxy in front of the console that knows who somebody is (single sign-on)."""

    addresses: tuple[str, ...] = Field(
        (),
        description="From where it connects: addresses or networks, as 10.0.0.7 or 10.0.0.0/24."
        " Its headers count from there alone, and are ignored from elsewhere. None: there is no"
        " such proxy.",
    )
    user_header: str = Field("X-Forwarded-User", description="In it stands who somebody is.")
    role_header: str | None = Field(
        None,
        description="In it stands what they are, comma separated. None: whoever the proxy lets in"
        " may change things.",
    )
    operators: tuple[str, ...] = Field(
        ("operator",), description="Words in `role_header`, each of which lets change things."
    )

    @field_validator("addresses")
    @classmethod
    def _are_addresses(cls, addresses: tuple[str, ...]) -> tuple[str, ...]:
        for address in addresses:
            if ipaddress.ip_network(address).prefixlen == 0:
                raise ValueError(f"{address} is everybody: name the proxy alone")
        return addresses


class ConsoleSettings(Section):
    """Where decisions are shown, and people do what is for them to do."""

    host: str = Field(
        "127.0.0.1",
        description="Address to listen on; any but loopback needs `gateway.token`,"
        " `console.read_token` or a proxy. On loopback nobody is asked for a token, unless"
        " `read_token`, `proxy` or the `public_url` of another machine is set.",
    )
    port: int = Field(8081, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#@\s]+$",
        description="How browsers reach it, as https://reactor.acme.example. Set it where"
        " something is in front of it; `proxy` needs it.",
    )
    read_only: bool = Field(False, description="Nobody can change anything there.")
    read_token: SecretStr | None = Field(
        None,
        description="A second token: who has that one may look, and change nothing. With it,"
        " loopback asks for a token too.",
    )
    session_hours: float = Field(
        12, gt=0, le=24 * 31, description="How long somebody who logged in stays so."
    )
    proxy: ConsoleProxySettings = ConsoleProxySettings()

    @model_validator(mode="after")
    def _has_a_name_behind_a_proxy(self) -> "ConsoleSettings":
        # else a page under any name that leads here could say to be the proxy
        if self.proxy.addresses and self.public_url is None:
            raise ValueError("proxy needs public_url: the address by which browsers reach it")
        return self


class KafkaSecuritySettings(Section):
    """How to get in to the broker."""

    protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = Field(
        "PLAINTEXT", description="TLS with ..SSL, user and password with SASL_..."
    )
    mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = Field(
        "SCRAM-SHA-512", description="How the password is told, with SASL."
    )
    username: str | None = Field(None, description="With SASL: the user.")
    password: SecretStr | None = Field(None, description="With SASL: the user's password.")
    ca_file: Path | None = Field(
        None, description="With TLS: CA certificates to check with; None: the system's."
    )

    @model_validator(mode="after")
    def _has_a_user(self) -> "KafkaSecuritySettings":
        has_user = self.username is not None and self.password is not None
        if self.protocol.startswith("SASL") and not has_user:
            raise ValueError(f"{self.protocol} needs username and password")
        return self


class KafkaSettings(Section):
    """The broker.  Without `bootstrap_servers`, `reactor up` starts the embedded one."""

    bootstrap_servers: str | None = Field(None, description="host:port, comma separated.")
    prefix: str = Field("reactor", pattern=r"^[a-zA-Z0-9._-]+$", description="Prefix of topics.")
    group: str = Field("reactor", description="Consumer group of the workers (Faust's app id).")
    partitions: int = Field(4, ge=1, description="Partitions of new topics: twice the workers.")
    replication: int = Field(1, ge=1, description="Replicas of new topics.")
    retention_days: float = Field(14, gt=0, description="How long deliveries can be replayed.")
    session_timeout_s: float = Field(
        6.0, ge=1, description="Silence after which a worker's partitions go to the others."
    )
    security: KafkaSecuritySettings = KafkaSecuritySettings()

    @model_validator(mode="after")
    def _guarded_is_not_embedded(self) -> "KafkaSettings":
        if self.security.protocol != "PLAINTEXT" and self.bootstrap_servers is None:
            raise ValueError("security is of a broker of your own: set bootstrap_servers too")
        return self


class RedisSettings(Section):
    """Redis.  Without `url`, `reactor up` starts the embedded one."""

    url: SecretStr | None = Field(
        None, description="redis://[user:password@]host:port/db; with TLS rediss://"
    )
    prefix: str = Field("reactor", pattern=r"^[a-zA-Z0-9._-]+$", description="Prefix of keys.")
    cluster: bool = Field(False, description="The URL is of a node of a Redis Cluster.")
    ca_file: Path | None = Field(
        None, description="With rediss://: CA certificates to check with; None: the system's."
    )
    timeout_s: float = Field(2.0, gt=0, description="How long Redis may take to answer.")
    keep_finished_days: float = Field(30, gt=0, description="How long finished processes stay.")
    keep_open_days: float = Field(
        90, gt=0, description="How long processes stay that wait, after their last change."
    )

    @model_validator(mode="after")
    def _cluster_is_not_embedded(self) -> "RedisSettings":
        if self.cluster and self.url is None:
            raise ValueError("cluster is of servers of your own: set url too")
        return self


class WorkerSettings(Section):
    """How a worker runs processes."""

    concurrency: int = Field(16, ge=1, description="Deliveries in work at once.")
    window: int = Field(64, ge=1, description="Deliveries taken from the broker, not yet settled.")
    per_subject: int = Field(8, ge=1, description="Of these, how many of one subject.")
    drain_s: float = Field(5.0, ge=0, description="How long a stopping worker may finish work.")
    lease_s: float = Field(30.0, gt=0, description="How long a silent worker keeps a process.")
    http_host: str = Field("127.0.0.1", description="Address of probes and metrics.")
    http_port: int | None = Field(
        None, ge=0, le=65535, description="Port of probes and metrics; None: there are none."
    )
    commit_every_tick: bool = Field(
        False, description="Never let quick, idempotent ticks share a commit."
    )


class TracingSettings(Section):
    """OpenTelemetry spans; they need the extra `otel`."""

    endpoint: str | None = Field(
        None, description="Collector, OTLP over HTTP: http://host:4318. None: no spans are made."
    )
