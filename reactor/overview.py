"""An overview of an installation: how far behind it is, who works, what waits for somebody.

Plain data, as `reactor status` shows it; what looks it up is `reactor.wiring.status`.  Whatever
could not be seen, because a server is away, is None.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from reactor.heartbeat import Heartbeat, Holding


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSeen:
    """The broker or Redis."""

    name: str  # "kafka", "redis"
    trouble: str = ""  # a clause; "": it answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits for somebody, or for its time; the same whichever worker looks."""

    dead: int | None = None  # letters that nobody has retried or dropped
    oldest_dead_at: datetime | None = None
    forms: int | None = None  # that people may answer; some may be answered already
    timers: int | None = None
    timers_due: int | None = None  # of these: due, and not fired
    effects: int | None = None  # subjects with effects to be sent, now or later
    effects_given_up: int | None = None  # effects that nobody has driven again


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """What was accepted and is not settled."""

    by: Literal["broker", "workers"]  # who says so; the workers, where the broker is away
    partitions: tuple[Holding, ...]
    oldest_at: datetime | None  # when the oldest of it was written

    @property
    def records(self) -> int:
        """How many records."""
        return sum(partition.lag for partition in self.partitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolSeen:
    """Deliveries that wait on a disk for the broker."""

    folder: str
    items: int
    size: int  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All of it, at one moment."""

    at: datetime
    servers: tuple[ServerSeen, ...]
    lag: Lag | None
    workers: tuple[Heartbeat, ...] | None
    backlog: Backlog
    spool: SpoolSeen | None = None  # None: no folder of one is known
    redis_lost_at: datetime | None = None  # when Redis was found without the data that it had

    @property
    def is_well(self) -> bool:
        """Whether all servers answer, and somebody works."""
        is_worked = any(worker.is_ready for worker in self.workers or ())
        return is_worked and not any(server.trouble for server in self.servers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What all workers together said at one moment; a row of them makes a chart."""

    at: datetime
    workers: int
    lag: int  # records of what they hold
    settled_per_s: float
    running: int  # deliveries and signals that were worked on


def sample_of(workers: Sequence[Heartbeat], at: datetime) -> Sample:
    """The sum of their last words."""
    return Sample(
        at=at,
        workers=len(workers),
        lag=sum(worker.lag for worker in workers),
        settled_per_s=round(sum(worker.settled_per_s for worker in workers), 2),
        running=sum(worker.running for worker in workers),
    )


def told_sample(sample: Sample) -> dict[str, object]:
    """The sample as JSON."""
    return {
        "at": sample.at.isoformat(),
        "workers": sample.workers,
        "lag": sample.lag,
        "settled_per_s": sample.settled_per_s,
        "running": sample.running,
    }


def lag_of_workers(workers: tuple[Heartbeat, ...]) -> Lag:
    """The lag as the workers told it last: of what they hold, and nothing else."""
    oldest = [worker.oldest_at for worker in workers if worker.oldest_at is not None]
    return Lag(
        by="workers",
        partitions=tuple(held for worker in workers for held in worker.holds),
        oldest_at=min(oldest, default=None),
    )


def told_overview(seen: Overview) -> dict[str, object]:
    """The overview as one JSON document."""
    lag, backlog = seen.lag, seen.backlog
    return {
        "at": seen.at.isoformat(),
        "well": seen.is_well,
        "servers": {s.name: {"up": not s.trouble, "trouble": s.trouble} for s in seen.servers},
        "redis_lost_data_s": _age_s(seen.at, seen.redis_lost_at),
        "lag": lag
        and {
            "records": lag.records,
            "by": lag.by,
            "oldest_s": _age_s(seen.at, lag.oldest_at),
            "partitions": [
                {"topic": held.topic, "partition": held.partition, "lag": held.lag}
                for held in lag.partitions
            ],
        },
        "in_flight": _in_flight(seen.workers),
        "dead": _counted("letters", backlog.dead, oldest_s=_age_s(seen.at, backlog.oldest_dead_at)),
        "forms": _counted("waiting", backlog.forms),
        "timers": _counted("set", backlog.timers, due=backlog.timers_due),
        "effects": _counted("subjects_due", backlog.effects, given_up=backlog.effects_given_up),
        "spool": seen.spool
        and {"folder": seen.spool.folder, "items": seen.spool.items, "bytes": seen.spool.size},
        "workers": None
        if seen.workers is None
        else [_told_worker(worker, seen.at) for worker in seen.workers],
    }


def _in_flight(workers: tuple[Heartbeat, ...] | None) -> dict[str, int] | None:
    if workers is None:
        return None
    return {
        "running": sum(worker.running for worker in workers),
        "waiting": sum(worker.waiting for worker in workers),
        "waiting_for_server": sum(worker.waiting_out for worker in workers),
    }


def _counted(name: str, count: int | None, **more: object) -> dict[str, object] | None:
    return None if count is None else {name: count, **more}


def _told_worker(worker: Heartbeat, now: datetime) -> dict[str, object]:
    return {
        "name": worker.name,
        "host": worker.host,
        "owner": worker.owner,
        "ready": worker.is_ready,
        "partitions": [f"{held.topic}[{held.partition}]" for held in worker.holds],
        "lag": worker.lag,
        "running": worker.running,
        "waiting": worker.waiting,
        "waiting_for_server": worker.waiting_out,
        "settled": worker.settled,
        "settled_per_s": worker.settled_per_s,
        "given_up": worker.given_up,
        "oldest_s": _age_s(now, worker.oldest_at),
        "up_s": _age_s(now, worker.started_at),
        "seen_s": _age_s(now, worker.at),
        "http": worker.http or None,
    }


def _age_s(now: datetime, then: datetime | None) -> float | None:
    return None if then is None else max(0.0, round((now - then).total_seconds(), 1))
