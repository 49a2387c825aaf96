"""GitHub: who sends deliveries, who we are there, and how fast we write."""

from pathlib import Path

from pydantic import Field, SecretStr, field_validator

from reactor.delivery import GITHUB_COM
from reactor.settings.section import Section


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
    trusted_bots: tuple[str, ...] = Field(
        (), description="Logins of bots whose commands are heard; those of others are not."
    )
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
    report_files: bool = Field(
        False,
        description="Write what is wrong with a repository's .github/reactor.yml as a failed check"
        " run on the commit that brought it; otherwise it is only logged and counted.",
    )
    extended_owners: tuple[str, ...] = Field(
        (),
        description="Owners whose .github/reactor.yml those of others may extend; * for all."
        " Anybody's may extend those of the same owner.",
    )
    pace: PaceSettings = PaceSettings()

    @field_validator("hosts", mode="before")
    @classmethod
    def _names_will_do(cls, hosts: object) -> object:
        """A list of names: hosts without secrets of their own.  In lower case, as deliveries."""
        if not isinstance(hosts, list | dict):
            return hosts
        pairs = hosts.items() if isinstance(hosts, dict) else [(name, {}) for name in hosts]
        found = {str(name).lower(): host for name, host in pairs}
        if len(found) < len(hosts):
            raise ValueError("two hosts of one name")
        return found

    @property
    def host_names(self) -> tuple[str, ...]:
        """Every host that may send."""
        return (GITHUB_COM, *self.hosts)
