"""Writing to GitHub, put together: who we are on which host, and what sends the effects.

PyGithub is loaded only where there are credentials.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from pydantic import SecretStr

from reactor.action import component, executes
from reactor.adapters.memory_changed_files import NoFilesToAsk
from reactor.adapters.memory_conversations import MemoryConversations
from reactor.adapters.redis_installations import RedisInstallations
from reactor.attempt import Attempt, EffectGivenUp
from reactor.changed_files import ChangedFiles
from reactor.conversations import Conversations
from reactor.delivery import Delivery
from reactor.errors import ReactorError
from reactor.github.effects import EFFECT_TYPES, GitHubEffect
from reactor.github.hosts import Host, Login, hosts_of
from reactor.github.private_key import BadPrivateKey, pem_of
from reactor.package import Package
from reactor.ports import Clock
from reactor.settings import GitHubSettings, HostSettings, Settings
from reactor.wiring.pacing import make_turns
from reactor.wiring.redis import RedisParts
from reactor.worker import Listener

if TYPE_CHECKING:
    from reactor.adapters.github.accounts import Account, Greeting
    from reactor.adapters.github.connection import Pace
    from reactor.adapters.github.installations import Installations, InstallationStore
    from reactor.adapters.github.pacing import TurnTaker

PACKAGE = "reactor-github"  # what is shown as the package of the executor
_MISSING = "set GITHUB_APP_ID and GITHUB_PRIVATE_KEY, or GITHUB_TOKEN"


class NoPyGithub(ReactorError):
    """There are credentials, and nothing to use them with."""

    def __str__(self) -> str:
        return (
            "PyGithub is not installed, so nothing can be written: install webhook-reactor[github]"
        )


@component(name="github", effects=EFFECT_TYPES)
class WithoutCredentials:
    """In place of the executor where we are nobody anywhere."""

    @executes
    async def send(self, effect: GitHubEffect, attempt: Attempt) -> None:
        """Raises `EffectGivenUp`."""
        raise EffectGivenUp(f"no credentials for {attempt.host}: {_MISSING}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubParts:
    """What sends effects, and where it can."""

    package: Package  # with the executor
    able: frozenset[str]  # hosts that we can write to
    installations: "Installations | None" = None  # None: no deliveries need to be heard
    turns: "TurnTaker | None" = None  # None: there is nobody to send as
    accounts: Mapping[str, "Account"] = field(default_factory=dict)  # by host

    async def hear(self, delivery: Delivery) -> None:
        """Note which installation a delivery comes from.  Raises `InfrastructureError`."""
        if self.installations is not None and delivery.source == "webhook":
            await self.installations.note(delivery.host, delivery.payload)

    def believes(self, delivery: Delivery) -> bool:
        """Whether it tells of no other installation than is known here anyway."""
        if self.installations is None or delivery.source != "webhook":
            return True
        return self.installations.believes(delivery.host, delivery.payload)


@asynccontextmanager
async def github_parts(
    settings: Settings, redis: RedisParts, *, clock: Clock
) -> AsyncIterator[GitHubParts]:
    """The executor of all effects on GitHub, for as long as the context lasts.

    Raises `BadPrivateKey`, `BadApiUrl` and `NoPyGithub`.
    """
    hosts = await asyncio.to_thread(hosts_in, settings.github)
    able = frozenset(name for name, host in hosts.items() if host.login.is_anybody)
    if not able:
        yield GitHubParts(package=_package(WithoutCredentials()), able=able)
        return
    try:
        from reactor.adapters.github.executor import GitHubExecutor
        from reactor.adapters.github.installations import Installations
    except ModuleNotFoundError as error:
        if any(reaction.effects != "observe" for reaction in settings.reactions):
            raise NoPyGithub from error
        yield GitHubParts(package=_package(WithoutCredentials()), able=frozenset())
        return
    store = RedisInstallations(redis.client, prefix=redis.prefix)
    installations = Installations(store, clock.monotonic_s)
    turns = make_turns(settings.github, redis)
    accounts = {
        name: account(host, installations, settings, clock, turns) for name, host in hosts.items()
    }
    executor = GitHubExecutor(accounts)
    try:
        for each in accounts.values():
            if each.login.is_app:
                await asyncio.to_thread(each.app)  # a key that is none stops the start
        uses_app = any(host.login.is_app for host in hosts.values())
        yield GitHubParts(
            package=_package(executor),
            able=able,
            installations=installations if uses_app else None,
            turns=turns,
            accounts=accounts,
        )
    finally:
        executor.close()


@contextmanager
def conversations(github: GitHubParts) -> Iterator[Conversations]:
    """Who tells whether one is open, as long as the context lasts."""
    if not github.accounts:
        yield MemoryConversations()  # which knows of none
        return
    from reactor.adapters.github.conversations import GitHubConversations

    asked = GitHubConversations(github.accounts)
    try:
        yield asked
    finally:
        asked.close()


@contextmanager
def changed_files(github: GitHubParts) -> Iterator[ChangedFiles]:
    """Who tells which files a pull request changes, as long as the context lasts."""
    if not github.accounts:
        yield NoFilesToAsk()
        return
    from reactor.adapters.github.changed_files import GitHubChangedFiles

    asked = GitHubChangedFiles(github.accounts)
    try:
        yield asked
    finally:
        asked.close()


def account(
    host: Host,
    installations: "Installations",
    settings: Settings,
    clock: Clock,
    pace: "Pace | None" = None,
) -> "Account":
    """We on one host; without a pace everything goes at once."""
    from reactor.adapters.github.accounts import Account
    from reactor.adapters.github.connection import Unpaced, Wire

    effects = settings.effects
    wire = Wire(
        host=host.name,
        api_url=host.api_url,
        timeout_s=max(1.0, effects.timeout_s / 3),  # a try has several requests
        pool=effects.concurrency,
        pace=pace or Unpaced(),
    )
    return Account(
        login=host.login, wire=wire, installations=installations, monotonic_s=clock.monotonic_s
    )


async def greetings(
    settings: Settings, *, clock: Clock
) -> list[tuple[str, "Greeting | ReactorError"]]:
    """Ask each host that we have credentials for who we are there, or what is wrong.

    Raises `BadPrivateKey`, `BadApiUrl` and `NoPyGithub`.
    """
    hosts = await asyncio.to_thread(hosts_in, settings.github)
    try:
        from reactor.adapters.github.installations import Installations, MemoryInstallations
    except ModuleNotFoundError as error:
        raise NoPyGithub from error
    store: InstallationStore = MemoryInstallations()
    installations = Installations(store, clock.monotonic_s)
    found: list[tuple[str, Greeting | ReactorError]] = []
    for host in hosts.values():
        if not host.login.is_anybody:
            continue
        us = account(host, installations, settings, clock)
        try:
            found.append((host.name, await asyncio.to_thread(us.greet)))
        except ReactorError as error:
            found.append((host.name, error))
        finally:
            us.close()
    return found


def hosts_in(github: GitHubSettings) -> dict[str, Host]:
    """Every host of the settings.  Raises `BadPrivateKey` and `BadApiUrl`; reads files."""
    enterprise = {
        name: (_login(host, f"github.hosts.{name}"), host.api_url)
        for name, host in github.hosts.items()
    }
    return hosts_of(_login(github, "github"), github.api_url, enterprise)


def warn_of_nobody(listeners: Iterable[Listener], able: frozenset[str], settings: Settings) -> None:
    """Log where a live reaction has nobody to write as."""
    log = structlog.get_logger("reactor.github")
    for reaction, host in unable(listeners, able, settings.github):
        log.warning("no_credentials", host=host, reaction=reaction, to_do=_MISSING)


def unable(
    listeners: Iterable[Listener], able: frozenset[str], github: GitHubSettings
) -> Iterator[tuple[str, str]]:
    """Reaction and host, where a live reaction has nobody to write as."""
    for listener in listeners:
        if listener.reaction.effects == "observe":
            continue
        for host in github.host_names:
            if host not in able:
                yield listener.reaction.name, host


def _login(settings: GitHubSettings | HostSettings, where: str) -> Login:
    token = settings.token.get_secret_value() if settings.token else None
    return Login(
        app_id=settings.app_id,
        private_key=_key(settings.private_key, settings.private_key_path, where),
        token=token or None,
        account=settings.bot_login,
    )


def _key(text: SecretStr | None, path: Path | None, where: str) -> str | None:
    if text is not None and text.get_secret_value().strip():
        return pem_of(text.get_secret_value(), f"{where}.private_key")
    if path is None:
        return None
    try:
        return pem_of(path.read_text("utf-8"), f"{where}.private_key_path")
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "it is no text"
        raise BadPrivateKey(f"{where}.private_key_path", f"the file can't be read: {why}") from None


def _package(executor: object) -> Package:
    return Package(name=PACKAGE, components=(executor,), distribution="webhook-reactor")
