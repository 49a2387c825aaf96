"""A processor in a process of its own, for the tests that kill it.

    python settling_process.py HOST_SETTINGS_AS_JSON DEAD_TOPIC FOLDER

Writes "begun ID" and "settled ID" lines to FOLDER/log, each in one write, so that several
processes can share it.  A delivery whose number is 1 hangs until FOLDER/gate exists.
"""

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from reactor.delivery import Delivery
from reactor.payload import parse
from reactor.topic import Position
from streams.codec import DeliveryCodec
from streams.host import HostSettings
from streams.letters import LetterCodec
from streams.packing import Packing
from streams.processor import Processor, ProcessorSettings
from streams.producer import KafkaDeadLetters
from streams.serve import serve
from streams.window import Limits
from streams.writer import KafkaWriter

HANGS = "#1"  # what the key of a hanging delivery ends with


class Log:
    """Lines that outlive the process."""

    def __init__(self, folder: Path) -> None:
        self._gate = folder / "gate"
        self._file = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def settle(self, delivery: Delivery, _position: Position) -> None:
        self.note(f"begun {delivery.id}")
        hangs = delivery.subject.key.endswith(HANGS)
        while hangs and not self._gate.exists():  # noqa: ASYNC110 - another process opens it
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)
        self.note(f"settled {delivery.id}")

    def note(self, line: str) -> None:
        os.write(self._file, f"{os.getpid()} {line}\n".encode())


async def main(host_settings: str, dead_topic: str, folder: str) -> None:
    host = HostSettings(**json.loads(host_settings))
    packing, log = Packing(None), Log(Path(folder))
    writer = KafkaWriter(host.bootstrap, timeout_s=15)
    processor = Processor(
        ProcessorSettings(
            host=replace(host, topics=tuple(host.topics)),
            limits=Limits(running=8, held=32),
            drain_s=30,
            commit_every_s=0.05,
        ),
        codec=DeliveryCodec(parse=parse, packing=packing),
        settle=log.settle,
        dead_letters=KafkaDeadLetters(writer, LetterCodec(packing), topic=dead_topic),
    )
    log.note("started")
    await serve(processor)
    await writer.stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
