"""The life of places, put together: who hears of it, what is kept of it, and what then forgets."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from reactor.adapters.redis_places import RedisAbsences, RedisOpenProcesses
from reactor.closing import Acted, Closing
from reactor.delivery import Delivery
from reactor.github.lifecycle import OurApp, change_of, place_changed_by
from reactor.ledger import Ledger
from reactor.lifecycle import Change, Word, repository_of
from reactor.ports import Boards, Clock
from reactor.settings import Settings
from reactor.wiring.github import GitHubParts
from reactor.wiring.redis import RedisParts, open_for

if TYPE_CHECKING:
    from reactor.topic import DeliveryLog
    from reactor.web.worker_metrics import WorkerMetrics

_BACK: frozenset[Word] = frozenset(("removed", "suspended"))
_SAME_REPOSITORIES = frozenset(
    ("installation.suspend", "installation.unsuspend", "installation.new_permissions_accepted")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleParts:
    """What it is put together from."""

    redis: RedisParts
    github: GitHubParts
    signals: "DeliveryLog"
    boards: Boards
    ledger: Ledger
    clock: Clock
    metrics: "WorkerMetrics | None" = None


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """What acts on the life of places, and what hears of it."""

    closing: Closing
    installed: "_Installed"

    async def hear(self, delivery: Delivery) -> None:
        """Before the processes of a delivery.  Raises `InfrastructureError`."""
        await self.closing.hear(delivery)
        await self.installed.hear(delivery)


def make_lifecycle(settings: Settings, parts: LifecycleParts) -> Lifecycle:
    """For one worker."""
    redis, clock = parts.redis, parts.clock
    # as long as keys of effects: what was wished before may come again until then
    keep = timedelta(days=settings.kafka.retention_days * 2)
    absences = RedisAbsences(redis.client, prefix=redis.prefix, keep=keep)
    installed = _Installed(parts.github, absences)
    closing = Closing(
        reads=installed.read,
        knows=installed.known,
        forgets=(installed.forget,),
        absences=absences,
        open=RedisOpenProcesses(redis.client, clock, prefix=redis.prefix, keep=open_for(settings)),
        started_by=parts.boards.started_by,
        signals=parts.signals,
        ledger=parts.ledger,
        place_of=place_changed_by,
        clock=clock,
        tells=_Telling(parts.metrics),
    )
    return Lifecycle(closing, installed)


@dataclass(frozen=True, slots=True)
class _Installed:
    """What the installations of our apps have to do with it."""

    github: GitHubParts
    absences: RedisAbsences

    def read(self, delivery: Delivery) -> Change | None:
        account = self.github.accounts.get(delivery.host)
        if account is None:
            return change_of(delivery, OurApp())
        login = account.login
        return change_of(delivery, OurApp(app_id=login.app_id, has_token=login.token is not None))

    async def known(self, change: Change) -> Iterable[str]:
        installations = self.github.installations
        if installations is None or change.installation is None:
            return ()
        found = await installations.repositories(change.host, change.installation)
        return [f"{change.host}/{repository_id}" for repository_id in found]

    async def forget(self, change: Change) -> None:
        """Tokens have other rights, and repositories may belong to another installation."""
        account = self.github.accounts.get(change.host)
        if account is not None and change.installation is not None:
            account.forget_token(change.installation)
        installations = self.github.installations
        if installations is not None and change.kind not in _SAME_REPOSITORIES:
            ids = [int(place.rpartition("/")[2]) for place in change.places if "#" not in place]
            await installations.drop(change.host, ids)

    async def hear(self, delivery: Delivery) -> None:
        """Note which installation it comes from: one from which something comes is at work.

        Unless we have heard of its end since: then this one has waited somewhere.
        """
        if self.github.believes(delivery):
            return
        place = repository_of(delivery.subject.key)
        gone = [each for each in await self.absences.of(place) if each.word in _BACK]
        if any(each.since >= delivery.received_at for each in gone):
            return
        await self.absences.end(place, {each.word for each in gone})
        await self.github.hear(delivery)


@dataclass(frozen=True, slots=True)
class _Telling:
    """On the log, and in the counts."""

    metrics: "WorkerMetrics | None"

    def __call__(self, acted: Acted) -> None:
        change = acted.change
        if self.metrics:
            self.metrics.changed(change.kind)
        structlog.get_logger("reactor.lifecycle").info(
            "place_changed",
            change=change.kind,
            host=change.host,
            places=len(change.places),
            first=next(iter(change.places), ""),
            **({"became": change.begins.why} if change.begins else {}),
            killed=acted.killed,
            refused=acted.refused,
        )
