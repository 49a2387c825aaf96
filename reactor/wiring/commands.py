"""Commands, put together: who is heard where, who may, and what happens to the effects of it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from reactor.adapters.memory_permissions import NobodyToAsk
from reactor.adapters.redis_permissions import RedisPermissions
from reactor.commanding import command_listener
from reactor.delivery import GITHUB_COM
from reactor.effect import Mode
from reactor.github.hearing import Hearing
from reactor.permissions import Permissions
from reactor.platform import Platform
from reactor.settings import GitHubSettings, Settings
from reactor.wiring.github import GitHubParts
from reactor.wiring.platform import listeners
from reactor.wiring.redis import RedisParts
from reactor.worker import Listener


def commands(
    settings: Settings, platform: Platform, logins: Mapping[str, str] = MappingProxyType({})
) -> tuple[Listener, ...]:
    """The reaction to commands, if there is to be one.

    `logins`: ours, by host, where the settings name none.
    """
    if not settings.commands.enabled:
        return ()
    hearing = Hearing(
        platform.commands,
        us=_us(settings.github, logins),
        trusted_bots=settings.github.trusted_bots,
    )
    listener = command_listener(platform, hearing, effects=effects_of_commands(settings))
    return () if listener is None else (listener,)


async def all_listeners(
    settings: Settings, platform: Platform, github: GitHubParts
) -> tuple[tuple[Listener, ...], Mapping[str, str]]:
    """The reactions of the settings, and the one to commands; our logins, by host, where asked for.

    Raises `BadReactions`.
    """
    named = listeners(settings, platform)
    logins = await github.logins((*named, *commands(settings, platform)))
    return (*named, *commands(settings, platform, logins)), logins


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
