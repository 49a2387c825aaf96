"""`reactor doctor`: what is missing, and what to do about it."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from reactor.cli.place import DEFAULT_DATA, Data, known_config, known_environ
from reactor.cli.serving import Config
from reactor.errors import InfrastructureError, ReactorError

if TYPE_CHECKING:
    from reactor.settings import Settings

Verdict = Literal["ok", "note", "missing"]
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}  # others have other ways
_SHOWN: dict[Verdict, str] = {"ok": "ok     ", "note": "note   ", "missing": "MISSING"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    verdict: Verdict
    detail: str

    def __str__(self) -> str:
        return f"{_SHOWN[self.verdict]}  {self.what:<12} {self.detail}"


def register(app: typer.Typer) -> None:
    """Add `doctor`."""

    @app.command()
    def doctor(
        config: Config = None,
        github: Annotated[
            bool, typer.Option("--github", help="Also ask GitHub who we are there.")
        ] = False,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Say what is there, what is missing, and what to do about it.  Exit code 1 if anything is.

        Where a `reactor up` runs from the data folder, its servers and settings are looked at.
        """
        environ = known_environ(data, os.environ)
        findings = asyncio.run(examine(known_config(data, config), environ, ask_github=github))
        for finding in findings:
            typer.echo(str(finding))
        if any(finding.verdict == "missing" for finding in findings):
            raise typer.Exit(1)
        typer.echo("ready: `reactor up`, or `reactor demo` for a first look")


async def examine(
    config: Path | None, environ: Mapping[str, str], *, ask_github: bool = False
) -> list[Finding]:
    """Look at everything that running needs; GitHub is asked only if that is wanted."""
    from reactor.settings import BadSettings, load

    version = ".".join(map(str, sys.version_info[:3]))
    findings = [Finding("python", "ok", version)]
    try:
        settings = load(config, environ)
    except BadSettings as error:
        return [*findings, Finding("settings", "missing", str(error))]
    findings.append(Finding("settings", "ok", f"{len(settings.reactions)} reaction(s)"))
    findings.append(_secret(settings))
    findings += await _github(settings, ask=ask_github)
    findings.append(await _looked_at("kafka", lambda: _kafka(settings)))
    findings += await _redis(settings)
    findings += await asyncio.to_thread(_components, settings)
    findings += _granted(settings)
    findings += _models(settings)
    return findings


async def _looked_at(what: str, look: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(what, "ok", await look())
    except ReactorError as error:
        return Finding(what, "missing", str(error))


def _secret(settings: "Settings") -> Finding:
    if settings.github.secrets:
        return Finding("secret", "ok", f"{len(settings.github.secrets)} webhook secret(s)")
    return Finding(
        "secret",
        "note",
        "no GITHUB_WEBHOOK_SECRET: the gateway listens on loopback only, and takes unsigned"
        " deliveries there",
    )


async def _github(settings: "Settings", *, ask: bool) -> list[Finding]:
    """As whom we write on each host, or would."""
    from reactor.adapters.clock import SystemClock
    from reactor.attempt import EffectDelayed
    from reactor.wiring.app_grants import lacks
    from reactor.wiring.github import greetings, hosts_in

    try:
        hosts = hosts_in(settings.github)
        said = dict(await greetings(settings, clock=SystemClock())) if ask else {}
    except ReactorError as error:
        return [Finding("github", "missing", str(error))]
    found: list[Finding] = []
    for name, host in hosts.items():
        login, answer = host.login, said.get(name)
        if isinstance(answer, ReactorError):
            why = answer.reason if isinstance(answer, EffectDelayed) else str(answer)
            found.append(Finding("github", "missing", why))
        elif not login.is_anybody:
            to_do = "set GITHUB_APP_ID and GITHUB_PRIVATE_KEY, or GITHUB_TOKEN, to write there"
            found.append(Finding("github", "note", f"no credentials for {name}: {to_do}"))
        else:
            who = answer.who if answer else f"app {login.app_id}" if login.is_app else "a token"
            asked = "" if answer else "; --github asks it"
            found.append(Finding("github", "ok", f"{name} at {host.api_url}: {who}{asked}"))
            if answer is not None:
                notes = await asyncio.to_thread(lacks, answer, settings)
                found += (Finding("github", "note", note) for note in notes)
    return found


async def _kafka(settings: "Settings") -> str:
    from reactor.wiring.kafka import bootstrap_of
    from streams import embedded
    from streams.writer import KafkaWriter

    address = settings.kafka.bootstrap_servers
    if address is None:
        return f"embedded broker: {embedded.find_broker()}"
    broker = bootstrap_of(settings)
    await broker.check_access()
    writer = KafkaWriter(broker, timeout_s=5)
    try:
        if not await writer.is_ready(within_s=5):
            raise _Silent("KAFKA_BOOTSTRAP_SERVERS", address)
    finally:
        await writer.stop()
    return f"{address} answers"


async def _redis(settings: "Settings") -> list[Finding]:
    from reactor.adapters import embedded_redis
    from reactor.adapters.redis_standing import examine
    from reactor.wiring.redis import endpoint_of

    try:
        if settings.redis.url is None:
            server = embedded_redis.find_server(os.environ.get("PATH"))
            return [Finding("redis", "ok", f"embedded redis-server: {server}")]
        endpoint = endpoint_of(settings)
        standing = await examine(endpoint, prefix=settings.redis.prefix)
    except InfrastructureError as error:
        start = f"start it, or correct REDIS_URL: {error.detail}"
        return [Finding("redis", "missing", f"nothing answers at {endpoint.where}; {start}")]
    except ReactorError as error:
        return [Finding("redis", "missing", str(error))]
    answers = f"{endpoint.where} answers (Redis {standing.version})"
    return [
        Finding("redis", "ok", answers),
        *(Finding("redis", "note", risk) for risk in standing.risks),
        *await _lost_data(settings),
    ]


async def _lost_data(settings: "Settings") -> list[Finding]:
    """What the mark of the installation tells."""
    from reactor.adapters.redis_mark import RedisMark
    from reactor.wiring.redis import redis_parts
    from reactor.wiring.redis_watch import WHAT_IS_GONE

    async with redis_parts(settings) as redis:
        try:
            mark = await RedisMark(redis.client, prefix=redis.prefix).read()
        except InfrastructureError as error:
            return [Finding("redis", "missing", str(error))]
    if mark is None:
        return [Finding("redis", "note", "it holds nothing of this installation so far")]
    if mark.lost_at:
        at = f"{mark.lost_at:%Y-%m-%d %H:%M} UTC"
        return [Finding("redis", "note", f"on {at} it was without its data: {WHAT_IS_GONE}")]
    return []


def _components(settings: "Settings") -> list[Finding]:
    from reactor.adapters.clock import SystemClock
    from reactor.adapters.memory import MemoryFirsts
    from reactor.wiring.granting import unknown_kinds
    from reactor.wiring.overlooked import misspelt_reactions, overlooked_packages
    from reactor.wiring.platform import install, listeners

    try:
        installed = install(settings, firsts=MemoryFirsts(), clock=SystemClock())
        ready = listeners(settings, installed.platform)
        odd = [*misspelt_reactions(settings), *overlooked_packages(installed.platform, ready)]
        wrong = list(unknown_kinds(settings, installed.platform))
    except ReactorError as error:
        return [Finding("components", "missing", str(error))]
    packages = installed.platform.packages
    names = ", ".join(f"{package.name} {package.version}".strip() for package in packages)
    actions = len(installed.platform.actions)
    found = [Finding("components", "ok" if names else "missing", f"{names} ({actions} actions)")]
    wrong += map(str, installed.faults)
    found += (Finding("components", "missing", fault) for fault in wrong)
    return [*found, *(Finding("reactions", "note", sentence) for sentence in odd)]


def _granted(settings: "Settings") -> list[Finding]:
    """What may be done where, for whoever wonders why nothing is."""
    from reactor.wiring.granting import told_grants

    return [Finding("granted", "ok", line) for line in told_grants(settings)]


def _models(settings: "Settings") -> list[Finding]:
    """Which language models may be asked; none is."""
    models, budget = settings.llm.models, settings.llm.budget
    if not models:
        return [
            Finding("models", "ok", "none: rules do all the work (REACTOR_LLM_MODEL names one)")
        ]
    if find_spec("litellm") is None:
        return [Finding("models", "missing", "install webhook-reactor with its extra llm")]
    named = ", ".join(f"{name} ({model.model})" for name, model in models.items())
    found = [Finding("models", "ok", named)]
    found += [
        Finding("models", "note", f"no key for {name}: {_KEYS[provider]}, or its api_key")
        for name, model in models.items()
        if (provider := model.model.partition("/")[0]) in _KEYS
        and not (model.api_key or model.api_base or os.environ.get(_KEYS[provider]))
    ]
    prompts = settings.llm.prompts
    if prompts is not None and not prompts.is_dir():
        found.append(Finding("models", "missing", f"llm.prompts is no folder: {prompts}"))
    if (budget.per_process, budget.per_repository_day, budget.per_day) == (None, None, None):
        found.append(Finding("models", "note", "nothing limits what they may cost: llm.budget"))
    return found


class _Silent(ReactorError):
    """A server that was named does not answer."""

    def __str__(self) -> str:
        name, address = self.args
        return f"nothing answers at {address}; start the broker, or correct {name}"
