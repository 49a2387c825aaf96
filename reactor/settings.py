"""Settings: typed, closed, loaded once, passed on.

One YAML file; names in the environment win (`reactor.environment`).  The environment is an argument, and no error ever
repeats a value: it may be a secret.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from reactor.environment import UnreadableFile, said
from reactor.errors import ReactorError
from reactor.reaction import Reaction
from reactor.timer import BadSchedule, Cron, Every, Schedule

_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)

DEFAULT_FILES = (Path("config/reactor.yaml"), Path("reactor.yaml"))


class Section(BaseModel):
    """A closed group of settings: an unknown name is an error, not a silent nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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


class ConsoleSettings(Section):
    """Where decisions are shown."""

    host: str = Field(
        "127.0.0.1",
        description="Address to listen on; any but loopback needs `gateway.token`.",
    )
    port: int = Field(8081, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")


class HostSettings(Section):
    """One GitHub server beside github.com; nothing of github.com's is ever sent to it."""

    secrets: tuple[SecretStr, ...] = Field(
        (), description="Webhook secrets of this host; without any, the common ones are used."
    )
    api_url: str | None = Field(
        None,
        description="Where its API is. None: https://HOST/api/v3, or https://api.TENANT.ghe.com.",
    )
    app_id: int | None = Field(None, description="Our GitHub App there.")
    private_key: SecretStr | None = Field(
        None, description="Private key of that app: PEM, with \\n for its line ends, or base64."
    )
    private_key_path: Path | None = Field(None, description="File with that key, instead.")
    token: SecretStr | None = Field(
        None, description="Token to write with where there is no app, or none on the repository."
    )
    bot_login: str | None = Field(None, description="Our account there.")


class PaceSettings(Section):
    """How much one account asks of GitHub at most; by default what GitHub says it takes."""

    writes_a_second: float = Field(1.0, gt=0, description="Changes, one after the other.")
    content_a_minute: int = Field(80, ge=1, description="New comments, issues and reviews.")
    content_an_hour: int = Field(500, ge=1, description="The same in an hour.")
    points_a_minute: int = Field(900, ge=5, description="Points: a read is 1, a change 5.")
    at_once: int = Field(100, ge=1, description="Requests under way at once.")
    factor: float = Field(1.0, gt=0, description="So many times faster: for stand-ins of GitHub.")


class GitHubSettings(Section):
    """Who sends deliveries, and who we are."""

    secrets: tuple[SecretStr, ...] = Field(
        (), description="Webhook secrets, several while one is being rotated."
    )
    hosts: dict[str, HostSettings] = Field(
        default_factory=dict, description="Enterprise hosts that may send; all others get 403."
    )
    app_id: int | None = Field(None, description="Our GitHub App: its own events start nothing.")
    bot_login: str | None = Field(None, description="Our account: its own events start nothing.")
    private_key: SecretStr | None = Field(
        None, description="Private key of the app: PEM, with \\n for its line ends, or base64."
    )
    private_key_path: Path | None = Field(None, description="File with that key, instead.")
    token: SecretStr | None = Field(
        None, description="Token to write with where there is no app, or none on the repository."
    )
    api_url: str | None = Field(
        None,
        description="Where the API is: a proxy of github.com, or one of `hosts`, whose app and"
        " token these are then. None: https://api.github.com.",
    )
    reserve: float = Field(
        0.1, ge=0, lt=1, description="Share of every limit that is kept for what people ask for."
    )
    pace: PaceSettings = PaceSettings()

    @field_validator("hosts", mode="before")
    @classmethod
    def _names_will_do(cls, hosts: object) -> object:
        """A list of names: hosts without secrets of their own."""
        return {str(host): {} for host in hosts} if isinstance(hosts, list) else hosts


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


class EffectSettings(Section):
    """How changes are sent, in reactions whose `effects` are live or approve."""

    concurrency: int = Field(8, ge=1, description="Changes that a worker sends at once.")
    timeout_s: float = Field(30.0, gt=0, description="How long sending one may take.")
    attempts: int = Field(
        10, ge=1, description="How often one may fail, with growing pauses, before it is given up."
    )
    give_up_after_s: float = Field(
        86_400.0,
        gt=0,
        le=30 * 86_400,
        description="How long one is tried while the other side is away; its pauses count.",
    )
    per_event: int = Field(20, ge=1, description="Most changes that one event may bring about.")
    per_day: int = Field(1000, ge=1, description="Most changes of one repository in a day.")
    per_subject: int = Field(
        40, ge=1, description="Most changes of one issue or pull request within `window_s`."
    )
    window_s: float = Field(600.0, gt=0, description="See `per_subject`.")
    approval_days: float = Field(7.0, gt=0, description="How long a change waits for a person.")


class StormSettings(Section):
    """What keeps a reactor from answering itself, or another bot, for ever."""

    max_causation: int = Field(
        5, ge=1, description="Longest chain of events of which each was caused by the one before."
    )
    per_subject: int = Field(
        60, ge=1, description="Most events by bots of one subject within `window_s`."
    )
    window_s: float = Field(600.0, gt=0, description="See `per_subject`.")


class TracingSettings(Section):
    """OpenTelemetry spans; they need the extra `otel`."""

    endpoint: str | None = Field(
        None, description="Collector, OTLP over HTTP: http://host:4318. None: no spans are made."
    )


class TimerSettings(Section):
    """An event of our own, again and again: reactions to it name it, as `on: timer.NAME`."""

    name: str = Field(pattern=r"^[a-z0-9_]{1,64}$", description="The action of its event.")
    every_s: float | None = Field(None, ge=1, description="Seconds from one to the next.")
    cron: str | None = Field(None, description="Five fields, as 0 3 * * 1-5; instead of every_s.")
    zone: str = Field("UTC", description="Whose clocks the cron fields mean: Europe/Berlin, ...")
    payload: dict[str, JsonValue] = Field(
        default_factory=dict, description="What its event carries along."
    )

    @model_validator(mode="after")
    def _can_be_kept(self) -> "TimerSettings":
        if (self.every_s is None) == (self.cron is None):
            raise ValueError("give either every_s or cron")
        try:
            self.schedule.after(_SOME_DAY, _SOME_DAY)
        except BadSchedule as bad:
            raise ValueError(f"it is no schedule: {bad.why}") from None
        return self

    @property
    def schedule(self) -> Schedule:
        """When it is due."""
        return Cron(self.cron, self.zone) if self.cron else Every(self.every_s or 0)


class Settings(Section):
    """Everything that can be set."""

    name: str = Field("reactor", description="Name of this installation, and of its default agent.")
    gateway: GatewaySettings = GatewaySettings()
    console: ConsoleSettings = ConsoleSettings()
    github: GitHubSettings = GitHubSettings()
    kafka: KafkaSettings = KafkaSettings()
    redis: RedisSettings = RedisSettings()
    worker: WorkerSettings = WorkerSettings()
    effects: EffectSettings = EffectSettings()
    storms: StormSettings = StormSettings()
    tracing: TracingSettings = TracingSettings()
    reactions: tuple[Reaction, ...] = Field(
        (Reaction(name="everything", on=("*",)),),
        description="Which events start which processes.",
    )
    timers: tuple[TimerSettings, ...] = Field((), description="Events that the clock sends.")
    components: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Settings of each component package, by its name."
    )
    strict: bool = Field(False, description="A broken component package stops the start.")
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["json", "console"] = "json"

    @field_validator("reactions", "timers")
    @classmethod
    def _names_differ(
        cls, several: tuple[Reaction | TimerSettings, ...], info: ValidationInfo
    ) -> tuple[Reaction | TimerSettings, ...]:
        names = [each.name for each in several]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{info.field_name} of one name: {', '.join(twice)}")
        return several


class BadSettings(ReactorError):
    """The settings can't be used; every fault is listed, no value is repeated."""

    def __init__(self, source: str, faults: tuple[str, ...]) -> None:
        super().__init__(source, faults)
        self.source, self.faults = source, faults

    def __str__(self) -> str:
        lines = "\n".join(f"  - {fault}" for fault in self.faults)
        return f"settings in {self.source} can't be used; mend these and start again:\n{lines}"


def load(path: Path | None, environ: Mapping[str, str]) -> Settings:
    """Read the settings.  Raises `BadSettings` with every fault.

    `path` None: the first of `DEFAULT_FILES` that exists, else the built-in defaults.
    """
    chosen = path or next((file for file in DEFAULT_FILES if file.is_file()), None)
    values = _read(chosen) if chosen else {}
    source = str(chosen) if chosen else "the environment"
    try:
        for setting, text in said(environ):
            _put(values, setting, _several(text) if setting == "github.secrets" else text)
    except UnreadableFile as error:
        raise BadSettings(source, (str(error),)) from None
    try:
        return Settings.model_validate(values)
    except ValidationError as error:  # the chained error would print the values
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        raise BadSettings(source, tuple(map(_sentence, faults))) from None


def _read(path: Path) -> dict[str, Any]:
    # YAML 1.2: `on:` is a word there, where PyYAML reads it as `true`; and a key twice is an error
    from ruamel.yaml import YAML
    from ruamel.yaml.constructor import DuplicateKeyError
    from ruamel.yaml.error import MarkedYAMLError

    try:
        values = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise BadSettings(str(path), (f"the file can't be read: {error.strerror}",)) from None
    except MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}" if error.problem_mark else "somewhere"
        # what the parser says of a repeated key repeats its values
        what = (
            "a key for the second time" if isinstance(error, DuplicateKeyError) else error.problem
        )
        raise BadSettings(str(path), (f"{where}: not YAML: {what}",)) from None
    if not isinstance(values, dict):
        raise BadSettings(str(path), ("the file must hold a mapping of settings",))
    return values


def _put(values: dict[str, Any], setting: str, value: object) -> None:
    *sections, name = setting.split(".")
    for section in sections:
        inner = values.get(section)
        values[section] = values = dict(inner) if isinstance(inner, dict) else {}
    values[name] = value


def _several(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]


def _sentence(fault: Any) -> str:  # pydantic's ErrorDetails
    where = ".".join(str(part) for part in fault["loc"]) or "the file"
    return f"{where}: {fault['msg']}"
