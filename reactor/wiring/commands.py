"""Commands, put together: who is heard where, who may, and what happens to the effects of it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from reactor.adapters.redis_permissions import RedisPermissions
from reactor.command import Role
from reactor.commanding import command_listener
from reactor.effect import Mode
from reactor.github.hearing import Hearing
from reactor.github.hosts import GITHUB_COM
from reactor.permissions import Permissions, PermissionUnknown, RepositoryRef
from reactor.platform import Platform
from reactor.repository_rules import RulesOfRepositories
from reactor.settings import GitHubSettings, Settings
from reactor.wiring.github import GitHubParts
from reactor.wiring.platform import listeners
from reactor.wiring.redis import RedisParts
from reactor.worker import Listener


class NobodyToAsk:
    """Fits the port `Permissions` where we have no credentials: nobody may do anything."""

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        """Raises `PermissionUnknown`."""
        raise PermissionUnknown(login, repository.name, f"no credentials for {repository.host}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandParts:
    """What hearing is made of, besides the settings."""

    permissions: Permissions = field(default_factory=NobodyToAsk)
    rules: RulesOfRepositories | None = None
    logins: Mapping[str, str] = field(default_factory=dict)  # ours, where the settings name none


def commands(settings: Settings, platform: Platform, parts: CommandParts) -> tuple[Listener, ...]:
    """The reaction to commands, if there is to be one."""
    if not settings.commands.enabled:
        return ()
    hearing = Hearing(
        platform.commands,
        parts.permissions,
        us=_us(settings.github, parts.logins),
        trusted_bots=settings.github.trusted_bots,
        rules=parts.rules,
    )
    listener = command_listener(platform, hearing, effects=effects_of_commands(settings))
    return () if listener is None else (listener,)


async def all_listeners(
    settings: Settings, platform: Platform, github: GitHubParts, parts: CommandParts
) -> tuple[tuple[Listener, ...], Mapping[str, str]]:
    """The reactions of the settings, and the one to commands; our logins, by host, where asked for.

    Raises `BadReactions`.
    """
    named = listeners(settings, platform)
    logins = await github.logins((*named, *commands(settings, platform, parts)))
    return (*named, *commands(settings, platform, replace(parts, logins=logins))), logins


def effects_of_commands(settings: Settings) -> Mode:
    """What the settings say, or what follows from the reactions."""
    if settings.commands.effects is not None:
        return settings.commands.effects
    only_observes = all(reaction.effects == "observe" for reaction in settings.reactions)
    return "observe" if only_observes else "live"


@contextmanager
def permissions(github: GitHubParts, redis: RedisParts) -> Iterator[Permissions]:
    """Who may do what, asked of GitHub and kept for a minute, as long as the context lasts."""
    if not github.accounts:
        yield NobodyToAsk()
        return
    from reactor.adapters.github.permissions import GitHubPermissions

    asked = GitHubPermissions(github.accounts)
    try:
        yield RedisPermissions(asked, redis.client, prefix=redis.prefix)
    finally:
        asked.close()


def _us(github: GitHubSettings, found: Mapping[str, str]) -> Mapping[str, str]:
    named = {GITHUB_COM: github.bot_login}
    named |= {name: host.bot_login for name, host in github.hosts.items()}
    return {**found, **{host: login for host, login in named.items() if login}}
