"""Whatever is written into the log on behalf of a record names its delivery and subject."""

import asyncio
from collections.abc import Iterator, Mapping

import pytest
import structlog
from structlog.testing import LogCapture

from reactor.errors import InfrastructureError
from reactor.log_context import current
from reactor.logs import first_processors
from streams.ordered import OrderedPump, Patience
from streams.record import Outgoing, PoisonRecord, Record
from tests.fixtures.records import as_read

AT_ONCE = Patience(attempts=3, first_wait_s=0.0, longest_wait_s=0.0)
HEADERS = (("delivery", b"d-7"), ("subject", b"octo/hello#7"), ("schema", b"1"))


@pytest.fixture
def told() -> Iterator[LogCapture]:
    capture = LogCapture()
    structlog.configure(processors=[*first_processors(), capture])
    yield capture
    structlog.reset_defaults()


async def test_the_handler_and_every_line_of_the_pump_name_the_delivery(told: LogCapture) -> None:
    seen: list[Mapping[str, str]] = []

    async def settle(record: Record) -> None:
        seen.append(current())
        if len(seen) == 1:
            raise InfrastructureError("redis", "away")
        raise PoisonRecord("never")

    buried = asyncio.Event()

    async def bury(record: Record, error: BaseException, attempts: int) -> None:
        seen.append(current())
        buried.set()

    pump = OrderedPump(settle, on_poison=bury, patience=AT_ONCE)
    await pump.admit(as_read(Outgoing(key=b"k", value=b"{}", headers=HEADERS)))
    await buried.wait()

    names = {"delivery_id": "d-7", "subject": "octo/hello#7"}
    assert seen == [names, names, names]
    lines = {line["event"]: line for line in told.entries}
    assert set(lines) == {"record_tried_again", "record_given_up"}
    assert all(names.items() <= line.items() for line in lines.values())
    assert current() == {}
