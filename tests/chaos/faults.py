"""What goes wrong, and when: drawn from the seed, then done to the field.

Each kind comes at least once where there is room for it.  One thing has one fault at a time;
faults of different things overlap as it happens.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random  # noqa: TID251 - seeded: one seed draws the same again
from typing import Literal, get_args

from tests.chaos.actors import Actor
from tests.chaos.field import LEASE_S, SESSION_S, Field
from tests.chaos.proxy import Mode
from tests.chaos.thinking import Thinking

Kind = Literal[
    "kill_worker",
    "pause_worker",
    "kill_gateway",
    "restart_kafka",
    "kill_kafka",
    "kill_redis",
    "cut",
]
_THINKS_WITHIN_S = 20.0  # a worker that is to be paused, while there is work
_WAKES_S = 5.0  # in which it is left alone, so that it can try to write what it had decided
_TAKEN_OVER_WITHIN_S = 30.0  # beyond the pause: while Kafka is away, nobody takes over
_MODES: tuple[Mode, ...] = ("drop", "delay", "reset")
_SERVERS = ("kafka", "redis", "sink")
_SHARES = {
    "kill_worker": 6,
    "pause_worker": 4,
    "kill_gateway": 2,
    "restart_kafka": 0,  # once each: nothing can be done meanwhile, so nothing else would happen
    "kill_kafka": 0,
    "kill_redis": 2,
    "cut": 6,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong."""

    at_s: float  # after the start
    kind: Kind
    target: str  # the name of a process or of a wire
    for_s: float = 0.0
    mode: Mode = "pass"
    delay_s: float = 0.0

    def __str__(self) -> str:
        how = f" {self.mode}" if self.kind == "cut" else ""
        length = f" for {self.for_s:.1f} s" if self.for_s else ""
        return f"{self.kind} {self.target}{how}{length}"


def draw(rng: Random, *, count: int, over_s: float, workers: Sequence[str]) -> list[Fault]:
    """So many faults, in the order of their times; the first ones are one of each kind."""
    kinds: list[Kind] = list(get_args(Kind))
    shares = [_SHARES[kind] for kind in kinds]
    modes = list(_MODES)
    rng.shuffle(modes)
    chosen = [*kinds, "cut", "cut", "kill_worker", "pause_worker"][:count]
    chosen += rng.choices(kinds, shares, k=max(0, count - len(chosen)))
    rng.shuffle(chosen)
    step_s = over_s / max(1, count)
    cuts = iter(_wires(rng, workers))
    return [
        _fault(rng, kind, (number + rng.random() * 0.8) * step_s, workers, cuts)
        for number, kind in enumerate(chosen)
    ]


def _wires(rng: Random, workers: Sequence[str]) -> Iterator[tuple[str, Mode]]:
    """Wires to be cut, and how: every server and every mode soon, then anything."""
    while True:
        servers, modes = [*_SERVERS, "gateway"], [*_MODES, rng.choice(_MODES)]
        rng.shuffle(servers)
        rng.shuffle(modes)
        for server, mode in zip(servers, modes, strict=True):
            if server == "gateway":
                yield rng.choice(("gateway-kafka", "gateway-redis")), mode
            else:
                yield f"{rng.choice(workers)}-{server}", mode


def _fault(
    rng: Random,
    kind: Kind,
    at_s: float,
    workers: Sequence[str],
    cuts: Iterator[tuple[str, Mode]],
) -> Fault:
    match kind:
        case "kill_worker":
            return Fault(at_s=at_s, kind=kind, target=rng.choice(workers))
        case "pause_worker":
            # in which the group notices, shares out the partitions, and others go on
            longer_s = max(LEASE_S, SESSION_S) + rng.uniform(5, 9)
            return Fault(at_s=at_s, kind=kind, target=rng.choice(workers), for_s=longer_s)
        case "kill_gateway":
            return Fault(at_s=at_s, kind=kind, target="gateway")
        case "kill_redis":
            return Fault(at_s=at_s, kind=kind, target="redis", for_s=rng.uniform(0, 2))
        case "restart_kafka" | "kill_kafka":
            return Fault(at_s=at_s, kind=kind, target="kafka", for_s=rng.uniform(0, 2))
        case "cut":
            wire, mode = next(cuts)
            return Fault(
                at_s=at_s,
                kind=kind,
                target=wire,
                for_s=rng.uniform(2, 9),
                mode=mode,
                delay_s=rng.uniform(0.1, 1.0) if mode == "delay" else 0.0,
            )


class Breaker:
    """Does faults to a field, and undoes them."""

    def __init__(self, field: Field, thinking: Thinking, tell: Callable[[str], None]) -> None:
        self._field, self._thinking, self._tell = field, thinking, tell
        self._busy: set[str] = set()
        self.done = 0

    async def run(self, faults: Sequence[Fault]) -> None:
        """Return when the last one is over, and everything works again."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        async with asyncio.TaskGroup() as group:
            for fault in faults:
                await asyncio.sleep(max(0.0, began_s + fault.at_s - loop.time()))
                group.create_task(self._do(fault))

    async def _do(self, fault: Fault) -> None:
        thing = fault.target
        while thing in self._busy:  # noqa: ASYNC110 - a few of them
            await asyncio.sleep(0.2)
        self._busy.add(thing)
        self._tell(str(fault))
        try:
            await self._break(fault)
        finally:
            self._busy.discard(thing)
        self.done += 1

    async def _break(self, fault: Fault) -> None:
        field = self._field
        match fault.kind:
            case "kill_worker" | "kill_gateway":
                actor = field.actors[fault.target]
                actor.kill()
                (field.folder / f"{fault.target}.ready").unlink(missing_ok=True)
                actor.start()
            case "pause_worker":
                await self._pause(field.actors[fault.target], fault.for_s)
            case "kill_redis":
                field.actors["redis"].kill()
                await asyncio.sleep(fault.for_s)
                await field.start_redis()
            case "restart_kafka" | "kill_kafka":
                await field.kafka("stop" if fault.kind == "restart_kafka" else "kill")
                await asyncio.sleep(fault.for_s)
                await field.kafka("start")
            case "cut":
                wire = field.wires[fault.target]
                wire.turn(fault.mode, delay_s=fault.delay_s)
                await asyncio.sleep(fault.for_s)
                wire.turn("pass")

    async def _pause(self, actor: Actor, for_s: float) -> None:
        """In the middle of a process, and until another has it; or as long as is said."""
        loop = asyncio.get_running_loop()
        held, patience_s = None, loop.time() + _THINKS_WITHIN_S
        while held is None and loop.time() < patience_s:
            await asyncio.sleep(0.02)
            held = await self._thinking.of(actor.name)
        actor.send(signal.SIGSTOP)
        try:
            await asyncio.sleep(for_s)
            patience_s = loop.time() + _TAKEN_OVER_WITHIN_S
            while held and loop.time() < patience_s:
                if await self._thinking.is_taken_over(held):
                    break
                await asyncio.sleep(0.2)
        finally:
            actor.send(signal.SIGCONT)
        await asyncio.sleep(_WAKES_S)
