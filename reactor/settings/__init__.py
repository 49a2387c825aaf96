"""Settings: typed, closed, loaded once, passed on."""

from reactor.settings.breaker import BreakerSettings
from reactor.settings.commands import CommandSettings
from reactor.settings.effects import EffectSettings, StormSettings
from reactor.settings.everything import Settings
from reactor.settings.github import GitHubSettings, HostSettings, PaceSettings
from reactor.settings.grants import ComponentGrant, RepositoryGrant, component_grant, places_of
from reactor.settings.llm import LlmBudgetSettings, LlmSettings, ModelSettings
from reactor.settings.loading import DEFAULT_FILES, BadSettings, load, read_value
from reactor.settings.section import Section
from reactor.settings.servers import (
    ConsoleSettings,
    GatewaySettings,
    KafkaSecuritySettings,
    KafkaSettings,
    RedisSettings,
    TracingSettings,
    WorkerSettings,
)
from reactor.settings.timers import TimerSettings

__all__ = [
    "DEFAULT_FILES",
    "BadSettings",
    "BreakerSettings",
    "CommandSettings",
    "ComponentGrant",
    "ConsoleSettings",
    "EffectSettings",
    "GatewaySettings",
    "GitHubSettings",
    "HostSettings",
    "KafkaSecuritySettings",
    "KafkaSettings",
    "LlmBudgetSettings",
    "LlmSettings",
    "ModelSettings",
    "PaceSettings",
    "RedisSettings",
    "RepositoryGrant",
    "Section",
    "Settings",
    "StormSettings",
    "TimerSettings",
    "TracingSettings",
    "WorkerSettings",
    "component_grant",
    "load",
    "places_of",
    "read_value",
]
