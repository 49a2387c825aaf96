"""An overview for the terminal: a line for each thing, then the workers as a table."""

from datetime import datetime, timedelta

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reactor.heartbeat import Heartbeat
from reactor.overview import Lag, Overview

_UNKNOWN = "?"
_LOSS_TOLD_FOR = timedelta(days=1)


def rendered(seen: Overview) -> RenderableType:
    """The overview for a terminal."""
    lines = [Text.assemble(f"{name:<10} ", (text, style)) for name, text, style in _lines(seen)]
    return Group(*lines, *([_workers(seen)] if seen.workers else []))


def _lines(seen: Overview) -> list[tuple[str, str, str]]:
    """Name, what there is to say, and how it looks."""
    backlog, spool = seen.backlog, seen.spool
    dead_age = _age(seen.at, backlog.oldest_dead_at)
    lines = [
        (server.name, server.trouble or "answers", "bold red" if server.trouble else "green")
        for server in seen.servers
    ]
    if seen.redis_lost_at and seen.at - seen.redis_lost_at < _LOSS_TOLD_FOR:
        ago = _age(seen.at, seen.redis_lost_at)
        text = f"it was found without its data {ago} ago: `reactor doctor`"
        lines.append(("redis", text, "bold red"))
    lines.append(("lag", _lag(seen.lag, seen.at), "yellow" if _is_behind(seen.lag) else ""))
    lines.append(("in flight", _in_flight(seen.workers), ""))
    lines.append(
        (
            "dead",
            _counted(backlog.dead, "letter", f", the oldest {dead_age} old: `reactor dead list`"),
            "red" if backlog.dead else "",
        )
    )
    lines.append(("forms", _counted(backlog.forms, "form", " open: `reactor forms`"), ""))
    due = "" if not backlog.timers_due else f", {backlog.timers_due} due"
    lines.append(("timers", _counted(backlog.timers, "timer", due), ""))
    given_up = backlog.effects_given_up
    lost = f"; {given_up} given up: `reactor effects list`" if given_up else ""
    effects = _counted(backlog.effects, "subject", " with some to be sent")
    lines.append(("effects", effects + lost, "red" if given_up else ""))
    if spool:
        text = f"{spool.items} deliveries, {spool.size:,} bytes in {spool.folder}"
        lines.append(("spool", text, "yellow" if spool.items else ""))
    return [*lines, _who_works(seen.workers)]


def _who_works(workers: tuple[Heartbeat, ...] | None) -> tuple[str, str, str]:
    if workers is None:
        return "workers", _UNKNOWN, ""
    if not workers:
        return "workers", "none: what comes in waits; start one with `reactor worker`", "bold red"
    rate = sum(worker.settled_per_s for worker in workers)
    return "workers", f"{len(workers)}, settling {rate:.1f}/s", ""


def _is_behind(lag: Lag | None) -> bool:
    return lag is not None and lag.records > 0


def _lag(lag: Lag | None, now: datetime) -> str:
    if lag is None:
        return _UNKNOWN
    said = "" if lag.by == "broker" else " (as the workers said last)"
    oldest = f", the oldest {_age(now, lag.oldest_at)} old" if lag.oldest_at else ""
    return _counted(lag.records, "record", f" not settled{oldest}{said}")


def _in_flight(workers: tuple[Heartbeat, ...] | None) -> str:
    if workers is None:
        return _UNKNOWN
    running = sum(worker.running for worker in workers)
    away = sum(worker.waiting_out for worker in workers)
    waiting = sum(worker.waiting for worker in workers)
    held_up = f", {away} of them held up by a server that is away" if away else ""
    return f"{running} in work{held_up}, {waiting} behind them"


def _counted(count: int | None, what: str, more: str) -> str:
    """As "?", "none", "1 letter, ...", "2 letters, ..."."""
    if count is None:
        return _UNKNOWN
    if count == 0:
        return "none"
    return f"{count:,} {what}{'' if count == 1 else 's'}{more}"


def _workers(seen: Overview) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("worker", "host", "up", "partitions", "lag", "in work", "settled", "a second"):
        table.add_column(column)
    table.add_column("probes", overflow="fold")
    for worker in seen.workers or ():
        table.add_row(
            worker.name if worker.is_ready else f"{worker.name} (joining)",
            worker.host,
            _age(seen.at, worker.started_at),
            _partitions(worker),
            str(worker.lag),
            f"{worker.running} + {worker.waiting}",
            f"{worker.settled:,}",
            f"{worker.settled_per_s:.1f}",
            worker.http or "-",
        )
    return table


def _partitions(worker: Heartbeat) -> str:
    """As "deliveries 0 2, signals 0 2"."""
    topics: dict[str, list[str]] = {}
    for held in worker.holds:
        topics.setdefault(held.topic.rpartition(".")[2], []).append(str(held.partition))
    return ", ".join(f"{topic} {' '.join(numbers)}" for topic, numbers in topics.items()) or "-"


def _age(now: datetime, then: datetime | None) -> str:
    """As "17 s", "3 min", "5 h", "12 d"."""
    if then is None:
        return _UNKNOWN
    age_s = max(0.0, (now - then).total_seconds())
    for unit, length_s, up_to_s in (("s", 1, 120), ("min", 60, 7_200), ("h", 3_600, 172_800)):
        if age_s < up_to_s:
            return f"{age_s / length_s:.0f} {unit}"
    return f"{age_s / 86_400:.0f} d"
