"""The names in the environment that set something.

Secrets may also lie in files, as Docker and Kubernetes hand them over: NAME_FILE then names the
file.  The environment is an argument.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reactor.errors import ReactorError

_ENVIRONMENT: tuple[tuple[str, tuple[str, ...]], ...] = (
    # setting, and the names in the environment that set it: the first one found wins
    ("github.secrets", ("GITHUB_WEBHOOK_SECRET", "WEBHOOK_SECRET")),
    ("github.app_id", ("GITHUB_APP_ID", "APP_ID")),
    ("github.bot_login", ("REACTOR_BOT_LOGIN",)),
    ("github.private_key", ("GITHUB_PRIVATE_KEY", "PRIVATE_KEY")),
    ("github.private_key_path", ("GITHUB_PRIVATE_KEY_PATH", "PRIVATE_KEY_PATH")),
    ("github.token", ("GITHUB_TOKEN", "GH_TOKEN")),
    ("github.api_url", ("GITHUB_API_URL", "GHE_HOST")),
    ("kafka.bootstrap_servers", ("KAFKA_BOOTSTRAP_SERVERS",)),
    ("kafka.prefix", ("REACTOR_KAFKA_PREFIX",)),
    ("kafka.group", ("REACTOR_KAFKA_GROUP",)),
    ("kafka.partitions", ("REACTOR_KAFKA_PARTITIONS",)),
    ("kafka.session_timeout_s", ("REACTOR_KAFKA_SESSION_TIMEOUT_S",)),
    ("kafka.security.protocol", ("KAFKA_SECURITY_PROTOCOL",)),
    ("kafka.security.mechanism", ("KAFKA_SASL_MECHANISM",)),
    ("kafka.security.username", ("KAFKA_SASL_USERNAME",)),
    ("kafka.security.password", ("KAFKA_SASL_PASSWORD",)),
    ("kafka.security.ca_file", ("KAFKA_CA_FILE",)),
    ("redis.url", ("REDIS_URL",)),
    ("redis.prefix", ("REACTOR_REDIS_PREFIX",)),
    ("gateway.host", ("HOST",)),
    ("gateway.port", ("PORT",)),
    ("gateway.token", ("REACTOR_TOKEN",)),
    ("gateway.spool", ("REACTOR_SPOOL",)),
    ("worker.http_host", ("REACTOR_WORKER_HTTP_HOST",)),
    ("worker.http_port", ("REACTOR_WORKER_HTTP_PORT",)),
    ("redis.cluster", ("REACTOR_REDIS_CLUSTER",)),
    ("redis.ca_file", ("REACTOR_REDIS_CA_FILE",)),
    ("tracing.endpoint", ("OTEL_EXPORTER_OTLP_ENDPOINT",)),
    ("llm.models.default.model", ("REACTOR_LLM_MODEL",)),
    ("llm.models.default.api_base", ("REACTOR_LLM_API_BASE",)),
    ("llm.models.default.api_key", ("REACTOR_LLM_API_KEY",)),
    ("console.host", ("REACTOR_CONSOLE_HOST",)),
    ("console.port", ("REACTOR_CONSOLE_PORT",)),
    ("console.public_url", ("REACTOR_CONSOLE_URL",)),
    ("console.read_only", ("REACTOR_CONSOLE_READ_ONLY",)),
    ("console.read_token", ("REACTOR_READ_TOKEN",)),
    ("data", ("REACTOR_DATA",)),
    ("log_level", ("LOG_LEVEL",)),
    ("log_format", ("REACTOR_LOG_FORMAT",)),
    ("strict", ("REACTOR_STRICT",)),
)
_SECRETS = (
    "github.secrets",
    "github.private_key",
    "github.token",
    "redis.url",
    "gateway.token",
    "console.read_token",
    "kafka.security.password",
    "llm.models.default.api_key",
)


class UnreadableFile(ReactorError):
    """A name in the environment speaks of a file with a secret, and it can't be read."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(name, why)
        self.name, self.why = name, why

    def __str__(self) -> str:
        return f"the file that {self.name} names can't be read: {self.why}"


def environment_names() -> dict[str, tuple[str, ...]]:
    """Which names in the environment set which setting; for `--help` and the documentation."""
    return {
        setting: (*names, *(f"{name}_FILE" for name in names if setting in _SECRETS))
        for setting, names in _ENVIRONMENT
    }


def said(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each setting that the environment sets, and to what; the first of its names counts.

    Raises `UnreadableFile`.
    """
    for setting, names in environment_names().items():
        name = next((name for name in names if environ.get(name)), None)
        if name is None:
            continue
        is_file = setting in _SECRETS and name.endswith("_FILE")
        yield setting, (_text(name, Path(environ[name])) if is_file else environ[name]).strip()


def names_that_count(environ: Mapping[str, str]) -> dict[str, str]:
    """Each setting that the environment sets, and the name by which it does; no value."""
    found = {
        setting: next((name for name in names if environ.get(name)), None)
        for setting, names in environment_names().items()
    }
    return {setting: name for setting, name in found.items() if name}


def _text(name: str, path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "it is no text"
        raise UnreadableFile(name, why) from None
