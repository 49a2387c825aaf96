"""Commands, put together: who is heard where, who may, and what happens to the effects of it."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

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
from reactor.wiring.logins import own_logins
from reactor.wiring.platform import listeners
from reactor.wiring.redis import RedisParts
from reactor.worker import Listener


def commands(
    settings: Settings, platform: Platform, logins: Mapping[str, str] | None = None
) -> tuple[Listener, ...]:
    """The reaction to commands, if there is to be one.

    `logins`: ours, by host, some of which may come later; None: those of the settings.
    """
    if not settings.commands.enabled:
        return ()
    hearing = Hearing(
        platform.commands,
        us=logins_of(settings.github) if logins is None else logins,
        trusted_bots=settings.github.trusted_bots,
    )
    listener = command_listener(platform, hearing, effects=effects_of_commands(settings))
    return () if listener is None else (listener,)


@asynccontextmanager
async def all_listeners(
    settings: Settings, platform: Platform, github: GitHubParts
) -> AsyncIterator[tuple[tuple[Listener, ...], Mapping[str, str]]]:
    """The reactions of the settings, and the one to commands; our logins, by host, where asked for.

    They are asked for only where something is to be sent, so that what we do is known to be ours;
    what a host tells later is among them from then on.  Raises `BadReactions`.
    """
    named = listeners(settings, platform)
    everything = (*named, *commands(settings, platform))
    sends = any(listener.reaction.effects != "observe" for listener in everything)
    async with own_logins(github.accounts if sends else {}, logins_of(settings.github)) as logins:
        yield (*named, *commands(settings, platform, logins)), logins


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


def logins_of(github: GitHubSettings) -> Mapping[str, str]:
    """Ours by host, where the settings name one."""
    named = {GITHUB_COM: github.bot_login}
    named |= {name: host.bot_login for name, host in github.hosts.items()}
    return {host: login for host, login in named.items() if login}
