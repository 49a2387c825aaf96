"""All settings, with their defaults."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from reactor.effect import Mode
from reactor.reaction import Reaction
from reactor.settings.breaker import BreakerSettings
from reactor.settings.commands import CommandSettings
from reactor.settings.effects import EffectSettings, StormSettings
from reactor.settings.github import GitHubSettings
from reactor.settings.grants import RepositoryGrant, faults_of_grant, places_of
from reactor.settings.journal import JournalSettings
from reactor.settings.llm import LlmSettings
from reactor.settings.section import Section
from reactor.settings.servers import (
    ConsoleSettings,
    GatewaySettings,
    KafkaSettings,
    RedisSettings,
    TracingSettings,
    WorkerSettings,
)
from reactor.settings.timers import TimerSettings


class Settings(Section):
    """Everything that can be set."""

    name: str = Field("reactor", description="Name of this installation, and of its default agent.")
    data: Path | None = Field(
        None,
        description="Folder for what is kept beside the servers: the console's index of the"
        " journal, archives, replays; `up` gives its own. None: there is no index.",
    )
    gateway: GatewaySettings = GatewaySettings()
    console: ConsoleSettings = ConsoleSettings()
    github: GitHubSettings = GitHubSettings()
    kafka: KafkaSettings = KafkaSettings()
    redis: RedisSettings = RedisSettings()
    worker: WorkerSettings = WorkerSettings()
    effects: EffectSettings = EffectSettings()
    commands: CommandSettings = CommandSettings()
    llm: LlmSettings = LlmSettings()
    storms: StormSettings = StormSettings()
    breaker: BreakerSettings = BreakerSettings()
    journal: JournalSettings = JournalSettings()
    tracing: TracingSettings = TracingSettings()
    reactions: tuple[Reaction, ...] = Field(
        (Reaction(name="everything", on=("*",)),),
        description="Which events start which processes.",
    )
    timers: tuple[TimerSettings, ...] = Field((), description="Events that the clock sends.")
    repositories: dict[str, RepositoryGrant] = Field(
        default_factory=dict,
        description="What may be done where, by a pattern of full names, as octo/*; with their"
        " host, as github.com/octo/*, where `github.hosts` names another one. All that fit a"
        " repository count, and the most restrictive of them wins.",
    )
    unlisted_repositories: Mode = Field(
        "live",
        description="The most that becomes of effects in repositories that no pattern in"
        " `repositories` fits; observe: only those that are listed are changed.",
    )
    components: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="Settings of each component package, by its name; `allow`, `mode` and"
        " `disabled` say what it may do.",
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

    @field_validator("repositories")
    @classmethod
    def _hosts_are_clear(
        cls, grants: dict[str, RepositoryGrant], info: ValidationInfo
    ) -> dict[str, RepositoryGrant]:
        if (github := info.data.get("github")) is not None:  # else that has faults of its own
            places_of(grants, github.host_names)
        return grants

    @field_validator("components")
    @classmethod
    def _grants_are_whole(cls, sections: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        faults = [
            f"{name}.{fault}"
            for name, section in sections.items()
            for fault in faults_of_grant(section)
        ]
        if faults:
            raise ValueError("; ".join(faults))
        return sections
