"""A stream processor in a process of its own, to be killed; its acknowledgement may be a hasty one.

    python -m tests.chaos.teeth.reader_process BOOTSTRAP PREFIX FOLDER SESSION_S in_order|hasty

Writes the id of each delivery that it has settled to FOLDER/settled, and the offsets that a hasty
acknowledgement has committed to FOLDER/committed.  The delivery "slow" is not
settled before FOLDER/gate exists.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import cast

from reactor.delivery import Delivery
from reactor.payload import parse
from reactor.topic import Position, Topics
from streams.codec import DeliveryCodec
from streams.host import FaustHost, HostSettings
from streams.letters import LetterCodec
from streams.packing import Packing
from streams.processor import Processor, ProcessorSettings
from streams.producer import KafkaDeadLetters
from streams.serve import serve
from streams.window import Partition
from streams.writer import KafkaWriter

COMMIT_EVERY_S = 0.05


class Settling:
    """The handler: notes what is settled, where all can see it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.furthest: dict[Partition, int] = {}  # what a hasty acknowledgement would commit

    async def settle(self, delivery: Delivery, position: Position) -> None:
        """Return when it is settled."""
        while delivery.id == "slow" and not (self._folder / "gate").exists():  # noqa: ASYNC110 - another process opens it
            await asyncio.sleep(0.02)
        self.note("settled", delivery.id)
        partition = Partition(position.topic, position.partition)
        reached = max(self.furthest.get(partition, 0), position.offset + 1)
        self.furthest[partition] = reached

    def note(self, file: str, word: str) -> None:
        """Add a word to a file of the folder, in one step."""
        handle = os.open(self._folder / file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{word}\n".encode())
        os.close(handle)


class HastyProcessor(Processor):
    """Commits as far as anything is settled, whatever still runs before it: what Faust would do."""

    settling: Settling

    async def _commit_for_ever(self, host: FaustHost) -> None:
        while True:
            await asyncio.sleep(COMMIT_EVERY_S)
            furthest = dict(self.settling.furthest)
            if furthest and await host.commit(furthest):
                self.settling.note("committed", str(max(furthest.values())))


async def main(bootstrap: str, prefix: str, folder: str, session_s: str, manner: str) -> None:
    """Work until killed."""
    topics, packing, settling = Topics(prefix), Packing(None), Settling(Path(folder))
    writer = KafkaWriter(bootstrap, timeout_s=15)
    kind = HastyProcessor if manner == "hasty" else Processor
    processor = kind(
        ProcessorSettings(
            host=HostSettings(
                bootstrap=bootstrap,
                group=prefix,
                topics=(topics.deliveries,),
                session_timeout_s=float(session_s),
            ),
            commit_every_s=COMMIT_EVERY_S,
        ),
        codec=DeliveryCodec(parse=parse, packing=packing),
        settle=settling.settle,
        dead_letters=KafkaDeadLetters(writer, LetterCodec(packing), topic=topics.dead),
    )
    if manner == "hasty":
        cast("HastyProcessor", processor).settling = settling
    await serve(processor)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
