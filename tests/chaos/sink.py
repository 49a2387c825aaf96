"""Where effects arrive: a server of our own that behaves as GitHub does, and forgets nothing.

    python -m tests.chaos.sink PORT LOG SEED UNRULY

Labels are a set for each subject, comments are appended and are found by their marker.  Every
request is written to the log before it is answered, with what it changed; no fault of the suite
touches this process.  Of the requests that change something a share UNRULY is answered badly
*after* the change: 502, a connection that is closed, an answer that takes its time.

One request, POST with a JSON object (`Asked`), one answer: {"there": bool, "changed": bool}.
"""

import asyncio
import json
import sys
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random  # noqa: TID251 - seeded: one seed draws the same again
from typing import IO, Literal, cast

Operation = Literal["look", "put", "take", "comment"]
Manner = Literal["well", "late", "error", "hang_up"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request of an executor."""

    operation: Operation
    subject: str
    name: str  # of the label; of a comment its marker
    key: str  # the idempotency key of the effect
    attempt: int
    delivery: str
    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Asked):
    """A line of the log: the request, and what came of it."""

    number: int  # in the order in which they took effect
    there: bool  # whether the label or comment was there before
    changed: bool
    manner: Manner


@dataclass(slots=True)
class Place:
    """What the sink holds."""

    labels: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    comments: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    calls: int = 0

    def take_in(self, asked: Asked, manner: Manner) -> Call:
        """Do what is asked."""
        labels, comments = self.labels[asked.subject], self.comments[asked.subject]
        there = asked.name in labels or asked.name in comments
        changed = False
        match asked.operation:
            case "put":
                changed = not there
                labels.add(asked.name)
            case "take":
                changed = there
                labels.discard(asked.name)
            case "comment":
                changed = True  # a second one is there twice, for all to see
                comments.append(asked.name)
        self.calls += 1
        return Call(**asdict(asked), number=self.calls, there=there, changed=changed, manner=manner)


class Sink:
    """The server."""

    def __init__(self, log: IO[str], rng: Random, *, unruly: float) -> None:
        self._place, self._log, self._rng, self._unruly = Place(), log, rng, unruly

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after the other."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while body := await _body(reader):
                asked = Asked(**json.loads(body))
                call = self._place.take_in(asked, self._manner(asked))
                self._log.write(json.dumps(asdict(call)) + "\n")
                self._log.flush()
                if not await self._answer(call, writer):
                    break
        writer.close()

    def _manner(self, asked: Asked) -> Manner:
        if asked.operation == "look" or self._rng.random() >= self._unruly:
            return "well"
        return self._rng.choice(("late", "late", "error", "hang_up"))

    async def _answer(self, call: Call, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection goes on."""
        if call.manner == "hang_up":
            return False
        if call.manner == "late":
            await asyncio.sleep(self._rng.uniform(0.2, 1.5))
        status = "502 Bad Gateway" if call.manner == "error" else "200 OK"
        document = json.dumps({"there": call.there, "changed": call.changed}).encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
        writer.write(head.encode() + b"Content-Length: %d\r\n\r\n" % len(document) + document)
        await writer.drain()
        return True


async def _body(reader: asyncio.StreamReader) -> bytes:
    """The body of the next request; empty at the end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""
    lines = head.decode("latin-1").lower().split("\r\n")
    length = next(line for line in lines if line.startswith("content-length:"))
    return await reader.readexactly(int(length.partition(":")[2]))


def calls_in(log: Path) -> list[Call]:
    """What the log holds, in order."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [Call(**cast("dict[str, object]", json.loads(line))) for line in lines]  # type: ignore[arg-type]


async def main(port: int, log: Path, seed: int, unruly: float) -> None:
    """Serve until killed."""
    with log.open("a") as lines:
        sink = Sink(lines, Random(seed), unruly=unruly)
        async with await asyncio.start_server(sink.serve, "127.0.0.1", port) as server:
            await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
