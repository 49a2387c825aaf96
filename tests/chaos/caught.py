"""How often each guard caught something, from the logs of all lives of all processes.

A guard says so itself, in a line `guard_caught` with its name; a process that is killed loses
its counters, but not its lines.  One guard can't speak for itself: the ordered acknowledgement
saves a record by *not* doing something in a process that is killed right after.  So it is seen
from what was settled where: a record that was settled for the first time after another life had
settled one behind it in the same partition.  An acknowledgement out of order would have lost it.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GUARDS = ("claim", "lease", "ledger", "order")

_POSITION = re.compile(r"(.+)\[(\d+)\]@(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A record was settled."""

    at: str  # ISO 8601, UTC: sorts as it stands
    life: str
    partition: str
    offset: int


def count(logs: Sequence[Path]) -> dict[str, int]:
    """By guard."""
    caught: Counter[str] = Counter(dict.fromkeys(GUARDS, 0))
    settled: list[Settled] = []
    for log in logs:
        for line in _lines(log):
            if line.get("event") == "guard_caught":
                caught[str(line.get("guard"))] += 1
            if line.get("event") == "delivery_settled" and (one := _settled(line, log.name)):
                settled.append(one)
    caught["order"] += saved_by_order(settled)
    return {guard: caught[guard] for guard in GUARDS}


def saved_by_order(settled: Sequence[Settled]) -> int:
    """How many records were settled first when another life had settled one behind them."""
    done: set[tuple[str, int]] = set()
    furthest: defaultdict[str, dict[str, int]] = defaultdict(dict)  # partition -> life -> offset
    saved = 0
    for one in sorted(settled, key=lambda one: one.at):
        lives = furthest[one.partition]
        is_first = (one.partition, one.offset) not in done
        saved += is_first and any(
            offset > one.offset for life, offset in lives.items() if life != one.life
        )
        done.add((one.partition, one.offset))
        lives[one.life] = max(lives.get(one.life, -1), one.offset)
    return saved


def _lines(log: Path) -> Iterator[Mapping[str, object]]:
    for text in log.read_text(errors="replace").splitlines():
        if not text.startswith("{"):
            continue
        try:
            line = json.loads(text)
        except ValueError:  # cut off by a kill
            continue
        if isinstance(line, dict):
            yield line


def _settled(line: Mapping[str, object], life: str) -> Settled | None:
    match = _POSITION.fullmatch(str(line.get("position", "")))
    if match is None:
        return None
    topic, partition, offset = match.groups()
    return Settled(
        at=str(line.get("timestamp", "")),
        life=life,
        partition=f"{topic}[{partition}]",
        offset=int(offset),
    )
