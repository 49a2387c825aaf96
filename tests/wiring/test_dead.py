"""Driving dead letters again: which record begins the next attempt, and where it goes."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reactor.dead import DeadDesk, Entry, NotDrivable, Selection, letter_id
from reactor.delivery import digest
from reactor.settings import Settings, load
from reactor.signal import read_signal, retrying
from reactor.topic import DeadLetter
from reactor.wiring.dead import conflicting, open_dead
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.shelf import restore
from streams.embedded import CLUSTER_ID
from streams.reader import open_reader
from streams.record import Outgoing, Record
from streams.topics import cluster_id

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
BODY = b'{"action": "opened", "repository": {"id": 1, "full_name": "octo/hello"}}'
CONFLICT = DeadLetter(
    reason="conflict",
    detail="came before with another body",
    key=b"github.com/1",
    body=BODY,
    headers={
        "content-type": "application/json",
        "x-github-event": "issues",
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    },
)


def entry(letter: DeadLetter) -> Entry:
    return Entry(id=letter_id(letter), letter=letter, at=NOW)


def test_a_conflict_becomes_a_delivery_under_an_id_made_of_its_own_and_its_body() -> None:
    delivery = conflicting(entry(CONFLICT))

    assert delivery.id == f"72d3162e-cc78-11e3-81ab-4c9367dc0958-c{digest(BODY)[:8]}"
    assert (delivery.kind, delivery.body, delivery.attempt) == ("issues.opened", BODY, 1)
    assert delivery.subject.name == "octo/hello"
    assert conflicting(entry(CONFLICT)) == delivery


def test_the_id_of_a_conflict_is_never_too_long() -> None:
    headers = {**CONFLICT.headers, "x-github-delivery": "a" * 64}

    assert len(conflicting(entry(replace(CONFLICT, headers=headers))).id) <= 64


def test_two_conflicts_of_one_id_are_two_deliveries() -> None:
    other = replace(CONFLICT, body=BODY.replace(b"opened", b"closed"))

    assert conflicting(entry(other)).id != conflicting(entry(CONFLICT)).id


@pytest.mark.parametrize(
    "letter",
    [
        replace(CONFLICT, body=b"not json"),
        replace(CONFLICT, headers={}),
        replace(CONFLICT, headers={**CONFLICT.headers, "x-github-enterprise-host": "gone.example"}),
    ],
)
def test_a_conflict_that_is_no_delivery_can_not_be_driven_again(letter: DeadLetter) -> None:
    with pytest.raises(NotDrivable, match=letter_id(letter)):
        conflicting(entry(letter))


# With servers ---------------------------------------------------------------------------------

WOKEN = DeadLetter(
    reason="failed",
    detail="ended FAILED",
    key=b"p1",
    body=b'{"kind": "wake", "process": "p1"}',
    headers={"host": "reactor", "delivery": "wake-5-p1", "source": "signal"},
    about={"delivery": "github.com/d-2", "process": "p1", "attempt": "2"},
)
POISON = DeadLetter(
    reason="poison",
    detail="the header schema is missing",
    key=b"k\xff",
    body=b"not json",
    headers={"odd": "\udcff", "attempt": "3"},
)


@pytest.fixture
def settings(
    kafka_bootstrap: str, kafka_prefix: str, redis_url: str, redis_prefix: str
) -> Settings:
    return load(
        None,
        {
            "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
            "REACTOR_KAFKA_PREFIX": kafka_prefix,
            "REDIS_URL": redis_url,
            "REACTOR_REDIS_PREFIX": redis_prefix,
        },
    )


@pytest.fixture
async def parts(settings: Settings) -> AsyncIterator[tuple[DeadDesk, KafkaParts]]:
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
        open_dead(settings) as dead,
    ):
        yield dead.desk, kafka


async def records(kafka: KafkaParts, topic: str) -> list[Record]:
    async with open_reader(kafka.bootstrap) as reader:
        return await reader.read_all(topic)


@pytest.mark.kafka
@pytest.mark.redis
async def test_a_record_is_driven_again_as_it_was_and_never_onto_the_topic_of_deliveries(
    parts: tuple[DeadDesk, KafkaParts],
) -> None:
    desk, kafka = parts
    await kafka.dead.bury(POISON)
    (found,) = [entry async for entry in desk.chosen(Selection())]

    await desk.retry(found, by="ann", at=NOW)

    (record,) = await records(kafka, kafka.topics.signals)
    assert (record.key, record.value) == (b"k\xff", b"not json")
    assert sorted(record.headers) == [("attempt", b"4"), ("odd", b"\xff")]
    assert await records(kafka, kafka.topics.deliveries) == []
    assert await desk.listed(Selection()) == []


@pytest.mark.kafka
@pytest.mark.redis
async def test_for_what_a_signal_has_made_fail_the_next_attempt_is_asked_of_its_process(
    parts: tuple[DeadDesk, KafkaParts],
) -> None:
    desk, kafka = parts
    await kafka.dead.bury(WOKEN)
    (found,) = [entry async for entry in desk.chosen(Selection(delivery="d-2"))]

    await desk.retry(found, by="ann", at=NOW)

    (record,) = await records(kafka, kafka.topics.signals)
    signal = read_signal(await kafka.codec.decode(record))
    assert signal == retrying("p1", attempt=3)


@pytest.mark.kafka
@pytest.mark.redis
async def test_a_conflict_is_accepted_for_the_first_time_and_its_id_is_claimed(
    parts: tuple[DeadDesk, KafkaParts],
) -> None:
    desk, kafka = parts
    await kafka.dead.bury(CONFLICT)
    (found,) = [entry async for entry in desk.chosen(Selection())]

    await desk.retry(found, by="ann", at=NOW)

    (record,) = await records(kafka, kafka.topics.deliveries)
    assert (await kafka.codec.decode(record)).key == conflicting(found).key
    assert await records(kafka, kafka.topics.signals) == []


@pytest.mark.kafka
@pytest.mark.redis
async def test_what_lies_among_the_letters_and_is_none_is_told_and_can_be_dropped(
    parts: tuple[DeadDesk, KafkaParts],
) -> None:
    desk, kafka = parts
    await kafka.writer.write(kafka.topics.dead, Outgoing(key=b"k", value=b"{}"))
    (found,) = [entry async for entry in desk.chosen(Selection())]
    assert found.letter.reason == "unreadable"

    with pytest.raises(NotDrivable):
        await desk.retry(found, by="ann", at=NOW)
    assert len(await desk.listed(Selection())) == 1
    await desk.drop(found, by="ann", at=NOW)

    assert await desk.listed(Selection()) == []


@pytest.mark.kafka
@pytest.mark.redis
async def test_a_letter_that_a_broker_is_given_again_is_the_same_letter(
    parts: tuple[DeadDesk, KafkaParts], settings: Settings
) -> None:
    desk, kafka = parts
    if await cluster_id(kafka.bootstrap) != CLUSTER_ID:
        pytest.skip("Apache Kafka keeps its records itself")
    await kafka.dead.bury(POISON)
    await kafka.dead.bury(WOKEN)
    before = await desk.listed(Selection())

    assert (
        await restore(settings) == 2
    )  # as if the broker had begun anew, but for what it still has
    assert [entry.id for entry in await desk.listed(Selection())] == [each.id for each in before]

    for entry in before:
        await desk.drop(entry, by="ann", at=NOW)
    assert await restore(settings) == 0
