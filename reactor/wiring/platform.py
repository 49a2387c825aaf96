"""The platform of what is installed, and the reactions that the settings ask for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from types import MappingProxyType

from reactor.adapters.memory_changed_files import NoFilesToAsk
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_conversations import MemoryConversations
from reactor.adapters.memory_desks import (
    MemoryApprovalDesk,
    MemoryExplanations,
    MemoryRestarts,
)
from reactor.adapters.memory_issues import MemoryIssues
from reactor.adapters.memory_permissions import NobodyToAsk
from reactor.adapters.memory_timers import MemoryTimers
from reactor.ai import Ai
from reactor.ai.without import without_models
from reactor.approving import ApprovalDesk
from reactor.breakers import BreakerRule, Breakers
from reactor.changed_files import ChangedFiles
from reactor.command_desk import desk_package
from reactor.commanded import REACTION
from reactor.commanding import without_commands
from reactor.community import CommunityStore, Conversations, IssueIndex
from reactor.errors import ReactorError
from reactor.expression import BadExpression, Expression, compile_expression
from reactor.github.event import Event
from reactor.github.facts import FACT_TYPES
from reactor.github.marker import MARKER
from reactor.github.models import Account
from reactor.github.own import OwnIdentity
from reactor.github.prompt import ApprovalPrompt
from reactor.github.reading import GitHubReader
from reactor.narrowing import Narrowing
from reactor.package import BadPlatform, Fault, Package
from reactor.permissions import Permissions
from reactor.platform import Platform, UnknownAgent, UnknownGoal
from reactor.plugins import enabled, installed_entry_points, load
from reactor.ports import Clock, Contexts, Firsts
from reactor.reaction import Reaction
from reactor.recording import recording
from reactor.recounting import Explanations
from reactor.reminders import Reminders
from reactor.request_desk import may_be_asked, request_package
from reactor.restarting import RestartedReader, Restarts, Retriaged
from reactor.scope import EmptyScope, Scope
from reactor.settings import Settings
from reactor.timed import TimedReader
from reactor.timer import TimerFired
from reactor.worker import Listener

_SEEDS: Mapping[str, type | None] = {"event": Event, "sender": Account}
_TYPES = (*FACT_TYPES, TimerFired, Retriaged)  # of what processes are seeded with


_ONLY_COMMANDS = (
    "its scope has actions of commands only, and those are run by a reaction that is there by"
    " itself (settings: commands); leave this one out"
)


class BadReactions(ReactorError):
    """Reactions in the settings that can't work with what is installed."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        listed = "".join(f"\n  - {fault}" for fault in self.faults)
        return f"mend these reactions in the settings and start again:{listed}"


@dataclass(frozen=True, slots=True)
class Installed:
    """A platform of all packages that work, and what is wrong with those that don't."""

    platform: Platform
    faults: tuple[Fault, ...]
    disabled: tuple[str, ...] = ()  # packages that the settings disable


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provided:
    """What every platform is made with, besides packages."""

    services: Mapping[type, object]
    name: str

    def platform(self, packages: Sequence[Package]) -> tuple[Platform, tuple[Fault, ...]]:
        """Of the packages that work, and what is wrong with the others."""
        return Platform.without_faulty(
            packages=packages,
            services=self.services,
            types=(*_TYPES, ApprovalPrompt),
            seeds=_SEEDS,
            name=self.name,
        )


def install(
    settings: Settings,
    *,
    firsts: Firsts,
    clock: Clock,
    services: Mapping[type, object] = MappingProxyType({}),
    points: Iterable[EntryPoint | Package] | None = None,
) -> Installed:
    """Load and validate the component packages: those of `points`, or all that are installed.

    A point may be a package that is there already.  What components ask for is kept in memory,
    and nothing comes of it, where `services` has nothing in its place.  What services answer is
    recorded, and recalled in a replay (`reactor.recording`).

    Raises `BadPlatform` where the settings are strict and anything is at fault.
    """
    found_points = tuple(installed_entry_points() if points is None else points)
    ready = [point for point in found_points if isinstance(point, Package)]
    points_left = [point for point in found_points if not isinstance(point, Package)]
    packages, broken = load(points_left, settings.components)
    to_load = {point.name for point in enabled(points_left, settings.components)}
    provided = _Provided(
        services=recording(
            {
                CommunityStore: CommunityStore(firsts),
                IssueIndex: IssueIndex(MemoryIssues()),
                Reminders: Reminders(MemoryTimers(clock)),
                Clock: clock,
                Contexts: MemoryContexts(),
                ApprovalDesk: MemoryApprovalDesk(),
                Explanations: MemoryExplanations(),
                Restarts: MemoryRestarts(),
                Permissions: NobodyToAsk(),
                ChangedFiles: NoFilesToAsk(),
                Conversations: MemoryConversations(),
                Ai: without_models(),
                Breakers: Breakers(clock, BreakerRule(failures=0)),  # of a worker: its own
                **services,
            }
        ),
        name=settings.name,
    )
    all_packages = (*packages, *ready, desk_package())
    platform, faults = provided.platform(all_packages)
    if settings.llm.models and may_be_asked(platform):
        requests = request_package(settings.commands.min_confidence)
        platform, faults = provided.platform((*all_packages, requests))
    found = (*broken, *faults)
    if found and settings.strict:
        raise BadPlatform(found)
    disabled = tuple(sorted({point.name for point in points_left} - to_load))
    return Installed(platform, found, disabled)


def listeners(settings: Settings, platform: Platform) -> tuple[Listener, ...]:
    """The reactions of the settings, ready to run.  Raises `BadReactions` with every fault."""
    ready: list[Listener] = []
    faults: list[str] = []
    for reaction in settings.reactions:
        scope = without_commands(_scope(reaction), platform)
        planner = _planner(reaction, platform)
        faults += _faults(reaction, scope, platform)
        if reaction.name == REACTION:
            faults.append(f"{REACTION}: so is the reaction to commands called; choose another name")
        try:
            when = _compiled(reaction)
        except BadExpression as error:
            faults.append(f"{reaction.name}: when: {error}")
            continue
        ready.append(
            Listener(
                reaction=reaction,
                scope=scope,
                when=when,
                planner=planner,
                narrowing=_narrowing(reaction, scope, platform),
            )
        )
    if faults:
        raise BadReactions(tuple(faults))
    return tuple(ready)


def reader(settings: Settings, logins: Mapping[str, str] | None = None) -> RestartedReader:
    """Reads deliveries of GitHub, of timers and of what was asked for, knowing who we are.

    `logins`: of our accounts, by host, where the settings do not name them; they may come later.
    """
    github = settings.github
    others = {
        name: _own(host.app_id, host.bot_login)
        for name, host in github.hosts.items()
        if host.app_id is not None or host.bot_login is not None
    }
    known = {} if logins is None else logins
    us = GitHubReader(_own(github.app_id, github.bot_login), others, known)
    return RestartedReader(TimedReader(us))


def _own(app_id: int | None, login: str | None) -> OwnIdentity:
    return OwnIdentity(app_id=app_id, login=login, marker=MARKER)


def _compiled(reaction: Reaction) -> Expression | None:
    if reaction.when is None:
        return None
    from reactor.blackboard import snake_case

    known = {snake_case(kind.__name__): kind for kind in _TYPES}
    return compile_expression(reaction.when, known={**known, **_SEEDS})


def _scope(reaction: Reaction) -> Scope:
    if reaction.agent:
        return Scope.from_agents(reaction.agent)
    return Scope.from_packages(*reaction.scope) if reaction.scope else Scope.platform()


def _narrowing(reaction: Reaction, scope: Scope, platform: Platform) -> Narrowing | None:
    """None where it says what is to be done, and not only who may look at it."""
    if reaction.agent or reaction.goal:
        return None
    return Narrowing(platform=platform, scope=scope)


def _is_empty(reaction: Reaction, platform: Platform) -> bool:
    """Whether it would have no action even if those of commands were its."""
    try:
        platform.repertoire(_scope(reaction))
    except EmptyScope:
        return True
    return False


def _planner(reaction: Reaction, platform: Platform) -> str:
    """The one that the reaction names, or that its agent declares, or that fits what it is for."""
    agent = platform.agents.get(reaction.agent or "")
    declared = agent.mark.planner if agent else ""
    return reaction.planner or declared or ("goap" if reaction.goal else "utility")


def _faults(reaction: Reaction, scope: Scope, platform: Platform) -> Iterator[str]:
    there = {package.name for package in platform.packages}
    for name in reaction.scope:
        if name not in there:
            known = ", ".join(sorted(there)) or "none"
            yield f"{reaction.name}: scope: no package {name!r} works here (there are: {known})"
    if not set(reaction.scope) <= there:
        return
    try:
        if reaction.agent:
            platform.agent(reaction.agent)
        repertoire = platform.repertoire(scope, frozenset(reaction.goal) or None)
    except EmptyScope as error:
        only_commands = any(True for _ in platform.commands) and not _is_empty(reaction, platform)
        yield f"{reaction.name}: {_ONLY_COMMANDS if only_commands else error}"
        return
    except (UnknownAgent, UnknownGoal) as error:
        yield f"{reaction.name}: {error}"
        return
    planner = _planner(reaction, platform)
    if planner in ("goap", "supervisor") and not repertoire.real_aims:
        yield f"{reaction.name}: planner {planner} plans towards goals, and the scope {scope} has none"
