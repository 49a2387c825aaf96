import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from reactor.children import free_port, start
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.topic import Position
from streams import embedded
from streams.codec import DeliveryCodec
from streams.host import HostSettings
from streams.letters import LetterCodec
from streams.ordered import Patience
from streams.packing import Packing
from streams.processor import Processor, ProcessorSettings
from streams.producer import KafkaDeadLetters, KafkaDeliveryLog
from streams.progress import progressed
from streams.reader import open_reader
from streams.record import Outgoing
from streams.topics import TopicSpec, ensure_topics
from streams.watch import ProcessorStalled, Stall
from streams.window import Limits, Partition
from streams.writer import KafkaWriter
from tests.fixtures.kafka_broker import broker_child

NewTopic = Callable[..., Awaitable[str]]
MakeDelivery = Callable[..., Delivery]
Until = Callable[[Callable[[], bool]], Awaitable[None]]

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(90)]


class Worker:
    """A handler that does what each test tells it, and remembers."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.settled: list[str] = []
        self.positions: dict[str, Position] = {}
        self.held_back: set[str] = set()  # ids of deliveries that hang until `released`
        self.released = asyncio.Event()
        self.errors: dict[str, BaseException] = {}  # raised as long as they are here

    async def settle(self, delivery: Delivery, position: Position) -> None:
        self.begun.append(delivery.id)
        if delivery.id in self.held_back:
            await self.released.wait()
        if delivery.id in self.errors:
            raise self.errors[delivery.id]
        self.settled.append(delivery.id)
        self.positions[delivery.id] = position


@dataclass
class Stage:
    """Topics, a log to write to, and processors that settle what is written."""

    settings: ProcessorSettings
    codec: DeliveryCodec
    log: KafkaDeliveryLog
    letters: KafkaDeadLetters
    dead_topic: str

    def processor(self, worker: Worker, settings: ProcessorSettings | None = None) -> Processor:
        return Processor(
            settings or self.settings,
            codec=self.codec,
            settle=worker.settle,
            dead_letters=self.letters,
        )

    @asynccontextmanager
    async def running(
        self, worker: Worker, settings: ProcessorSettings | None = None
    ) -> AsyncIterator[Processor]:
        processor = self.processor(worker, settings)
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:  # a processor that fails ends the test
            group.create_task(processor.run(stop))
            while not processor.health().is_ready:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            try:
                yield processor
            finally:
                stop.set()


@pytest.fixture
def worker() -> Worker:
    return Worker()


@pytest.fixture
async def stage(
    host: HostSettings,
    writer: KafkaWriter,
    codec: DeliveryCodec,
    packing: Packing,
    new_topic: NewTopic,
) -> Stage:
    topic, dead = await new_topic(partitions=2), await new_topic("dead")
    settings = ProcessorSettings(
        host=host,
        limits=Limits(running=4, held=16, per_key=3, parked=100),
        patience=Patience(first_wait_s=0.01, longest_wait_s=0.02),
        drain_s=10,
        commit_every_s=0.05,
    )
    return Stage(
        settings=settings,
        codec=codec,
        log=KafkaDeliveryLog(writer, codec, topic=topic),
        letters=KafkaDeadLetters(writer, LetterCodec(packing), topic=dead),
        dead_topic=dead,
    )


async def test_deliveries_of_a_subject_are_settled_in_order_and_subjects_side_by_side(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery, until: Until
) -> None:
    worker.held_back = {"s0-n0"}
    for n in range(10):
        for subject in range(4):
            await stage.log.append(make_delivery(f"s{subject}-n{n}", number=subject))

    async with stage.running(worker):
        await until(lambda: len(worker.settled) == 30)  # all but those of subject 0
        worker.released.set()
        await until(lambda: len(worker.settled) == 40)

    for subject in range(4):
        mine = [id for id in worker.settled if id.startswith(f"s{subject}-")]
        assert mine == [f"s{subject}-n{n}" for n in range(10)]


async def test_what_was_settled_is_not_read_again_after_a_stop(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery, until: Until
) -> None:
    await stage.log.append(make_delivery("first"))
    async with stage.running(worker):
        await until(lambda: worker.settled == ["first"])

    await stage.log.append(make_delivery("second"))
    async with stage.running(worker):
        await until(lambda: worker.settled == ["first", "second"])

    assert worker.begun == ["first", "second"]


async def test_poison_goes_to_the_dead_letters_and_the_rest_goes_on(
    stage: Stage,
    worker: Worker,
    writer: KafkaWriter,
    make_delivery: MakeDelivery,
    until: Until,
) -> None:
    topic = stage.settings.host.topics[0]
    good = make_delivery("good")
    key = good.subject.key.encode()
    odd = Outgoing(key=key, value=b"\xff{", headers=(("schema", b"1"), ("odd", b"\xfe")))
    [place] = await writer.write(topic, odd)
    await stage.log.append(good)

    async with stage.running(worker) as processor:
        await until(lambda: worker.settled == ["good"])
        assert processor.health().pump.given_up == 1

    async with open_reader(stage.settings.host.bootstrap) as reader:
        [record] = await reader.read_all(stage.dead_topic)
    letter = await LetterCodec(Packing(None)).decode(record)
    assert (record.key, record.value) == (key, odd.value)
    assert set(odd.headers) <= set(record.headers)
    assert (letter.reason, letter.origin, letter.attempts) == ("poison", place, 1)
    assert "media-type is missing" in letter.detail


async def test_a_handler_that_keeps_raising_costs_its_delivery_only(
    stage: Stage,
    worker: Worker,
    make_delivery: MakeDelivery,
    until: Until,
) -> None:
    worker.errors["bug"] = ZeroDivisionError("by zero")
    await stage.log.append(make_delivery("bug"))
    await stage.log.append(make_delivery("next"))

    async with stage.running(worker):
        await until(lambda: worker.settled == ["next"])

    async with open_reader(stage.settings.host.bootstrap) as reader:
        [record] = await reader.read_all(stage.dead_topic)
    letter = await LetterCodec(Packing(None)).decode(record)
    assert letter.detail.startswith("ZeroDivisionError in test_processor.py")
    assert (letter.attempts, worker.begun.count("bug")) == (3, 3)


async def test_a_server_that_is_away_is_waited_out_and_nothing_is_lost_or_given_up(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery, until: Until
) -> None:
    ids = [f"d-{n}" for n in range(200)]  # far more than the window holds
    away = InfrastructureError("redis", "away")
    worker.errors = dict.fromkeys(ids, away)
    for n, id in enumerate(ids):
        await stage.log.append(make_delivery(id, number=n))

    async with stage.running(worker) as processor:
        await until(lambda: len(worker.begun) > 100)
        state = processor.health().pump
        assert state.running <= 4
        assert state.held <= 16
        worker.errors.clear()  # it is back
        await until(lambda: len(worker.settled) == 200)
        assert processor.health().pump.given_up == 0

    assert sorted(worker.settled) == sorted(ids)


async def test_one_hanging_subject_does_not_stop_the_others(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery, until: Until
) -> None:
    worker.held_back = {"hangs-0"}
    for n in range(40):  # more than the window holds
        await stage.log.append(make_delivery(f"hangs-{n}", number=1))
    for n in range(40):
        await stage.log.append(make_delivery(f"other-{n}", number=100 + n))

    async with stage.running(worker) as processor:
        await until(lambda: len(worker.settled) == 40)
        assert processor.health().lag >= 40
        worker.released.set()
        await until(lambda: len(worker.settled) == 80)
        await until(lambda: processor.health().lag == 0)


async def test_what_runs_at_a_stop_is_finished_and_committed_and_the_rest_is_left(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery, until: Until
) -> None:
    worker.held_back = {"running"}
    for id in ("running", "follower"):
        await stage.log.append(make_delivery(id))

    processor = stage.processor(worker)
    await processor.start()
    await until(lambda: worker.begun == ["running"])
    stopping = asyncio.create_task(processor.stop())
    await asyncio.sleep(0)  # now it has begun to stop
    worker.released.set()
    await stopping

    assert worker.begun == worker.settled == ["running"]
    async with stage.running(worker):
        await until(lambda: worker.settled == ["running", "follower"])
    assert worker.begun == ["running", "follower"]


async def test_what_does_not_finish_before_the_deadline_runs_again(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery, until: Until
) -> None:
    worker.held_back = {"slow"}
    await stage.log.append(make_delivery("slow"))

    async with stage.running(worker, replace(stage.settings, drain_s=0)):
        await until(lambda: worker.begun == ["slow"])
    worker.released.set()
    async with stage.running(worker):
        await until(lambda: worker.settled == ["slow"])

    assert worker.begun == ["slow", "slow"]


async def test_two_processors_share_the_partitions_and_lose_nothing_when_one_leaves(
    stage: Stage, make_delivery: MakeDelivery, until: Until
) -> None:
    first, second = Worker(), Worker()

    async with stage.running(first) as one:
        async with stage.running(second) as other:
            await until(lambda: one.health().partitions == other.health().partitions == 1)
            for n in range(60):
                await stage.log.append(make_delivery(f"d-{n}", number=n))
            await until(lambda: len(first.settled) + len(second.settled) == 60)
        for n in range(60, 80):
            await stage.log.append(make_delivery(f"d-{n}", number=n))
        await until(lambda: len(first.settled) + len(second.settled) == 80)
        assert one.health().partitions == 2

    assert sorted(first.settled + second.settled) == sorted(f"d-{n}" for n in range(80))
    assert first.settled
    assert second.settled


async def test_the_order_of_a_subject_holds_over_rebalances(
    stage: Stage, make_delivery: MakeDelivery, until: Until
) -> None:
    worker = Worker()  # shared, so that it sees the order over both processors
    written: defaultdict[str, list[str]] = defaultdict(list)

    async def write() -> None:
        for n in range(600):
            id = f"s{n % 7}-n{n}"
            written[id.partition("-")[0]].append(id)
            await stage.log.append(make_delivery(id, number=n % 7))

    async with asyncio.TaskGroup() as group, stage.running(worker) as one:
        group.create_task(write())
        async with stage.running(worker):
            await until(lambda: one.health().partitions == 1)
        await until(lambda: one.health().partitions == 2)
        await until(lambda: len(set(worker.settled)) == 600)

    for subject, ids in written.items():
        mine = [id for id in worker.settled if id.startswith(f"{subject}-")]
        assert list(dict.fromkeys(mine)) == ids  # each for the first time, in order


async def test_health_tells_what_is_ours_and_what_waits(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery, until: Until
) -> None:
    processor = stage.processor(worker)
    assert not processor.health().is_ready

    await stage.log.append(make_delivery("d-1"))
    await processor.start()
    await until(lambda: worker.settled == ["d-1"])

    assert processor.health().is_ready
    assert processor.health().partitions == 2
    await until(lambda: processor.health().lag == 0)
    await processor.stop()
    assert not processor.health().is_ready


async def test_a_broker_may_come_late_come_back_empty_and_be_gone_at_the_end(
    stage: Stage,
    worker: Worker,
    own_broker_port: int,
    make_delivery: MakeDelivery,
    until: Until,
) -> None:
    topic, bootstrap = stage.settings.host.topics[0], embedded.bootstrap(own_broker_port)
    host = replace(stage.settings.host, bootstrap=bootstrap)
    processor = stage.processor(worker, replace(stage.settings, host=host))
    stop = asyncio.Event()
    running = asyncio.create_task(processor.run(stop))
    own = KafkaWriter(bootstrap, timeout_s=15)
    log = KafkaDeliveryLog(own, stage.codec, topic=topic)
    await asyncio.sleep(0)  # now it tries to connect

    for life in ("first", "second"):
        broker = await start(broker_child(own_broker_port), environ={})
        await ensure_topics(bootstrap, [TopicSpec(name=topic, partitions=2)])
        worker.settled.clear()
        ids = [f"{life}-{n}" for n in range(20)]
        for n, id in enumerate(ids):
            await log.append(make_delivery(id, number=n))
        # what came before the processor noticed that the broker is another one may come twice
        await until(lambda ids=ids: set(worker.settled) == set(ids))  # type: ignore[misc]
        await broker.stop()

    stop.set()
    await running
    await own.stop()


async def test_a_handler_that_never_ends_makes_the_processor_ask_for_a_new_start(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery
) -> None:
    worker.held_back = {"for-ever"}
    await stage.log.append(make_delivery("for-ever"))
    processor = stage.processor(
        worker, replace(stage.settings, stall=Stall(silent_s=1, try_s=0.2), drain_s=0)
    )

    with pytest.raises(ProcessorStalled, match="has not got on for"):
        await processor.run(asyncio.Event())


async def test_a_handler_that_takes_long_and_gets_on_is_left_in_peace(
    stage: Stage, worker: Worker, make_delivery: MakeDelivery
) -> None:
    async def settle(delivery: Delivery, position: Position) -> None:
        for _ in range(25):
            await asyncio.sleep(0.1)
            progressed()
        await worker.settle(delivery, position)

    await stage.log.append(make_delivery("long"))
    processor = Processor(
        replace(stage.settings, stall=Stall(silent_s=0.2, try_s=2)),
        codec=stage.codec,
        settle=settle,
        dead_letters=stage.letters,
    )
    stop = asyncio.Event()

    async with asyncio.TaskGroup() as group:
        group.create_task(processor.run(stop))
        while worker.settled != ["long"]:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        stop.set()

    assert worker.begun == ["long"]


async def test_a_stop_before_the_broker_is_up_is_quick(stage: Stage, worker: Worker) -> None:
    host = replace(stage.settings.host, bootstrap=f"127.0.0.1:{free_port()}")
    stop = asyncio.Event()
    processor = stage.processor(worker, replace(stage.settings, host=host))
    running = asyncio.create_task(processor.run(stop))

    stop.set()

    await running
    assert not processor.health().is_ready


def test_a_partition_is_named_by_topic_and_number() -> None:
    assert Partition("topic", 3) == ("topic", 3)
