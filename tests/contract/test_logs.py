"""Every adapter of `DeliveryLog`, `DeadLetters` and `JournalLog`: what was written is there."""

import asyncio
from dataclasses import replace

from reactor.delivery import Delivery, Subject, digest
from reactor.topic import DeadLetter, Position
from tests.contract.logs import Logs
from tests.contract.samples import NOW, record

BODY = b'{"action":"opened","issue":{"number":7}}'

OPENED = Delivery(
    id="d-1",
    event="issues",
    action="opened",
    host="github.com",
    subject=Subject(key="github.com/1#7", name="octo/hello#7"),
    body=BODY,
    media_type="application/json",
    payload={"action": "opened", "issue": {"number": 7}},
    received_at=NOW,
    digest=digest(BODY),
    headers={"x-github-hook-id": "42"},
    causation=("github.com/d-0",),
    replayed=True,
)


async def test_a_delivery_is_on_its_topic_as_it_was_received(logs: Logs) -> None:
    position = await logs.deliveries.append(OPENED)

    found = await logs.read_deliveries()
    assert position == Position(logs.topics.deliveries, 0, 0)
    assert list(found) == [OPENED]
    assert found[0].payload == OPENED.payload


async def test_deliveries_of_one_subject_lie_in_the_order_they_were_written(logs: Logs) -> None:
    several = [replace(OPENED, id=f"d-{number}") for number in range(5)]

    positions = [await logs.deliveries.append(each) for each in several]

    topic = logs.topics.deliveries
    assert positions == [Position(topic, 0, offset) for offset in range(5)]
    assert [each.id for each in await logs.read_deliveries()] == [each.id for each in several]


async def test_deliveries_written_at_once_are_all_there_each_at_its_own_position(
    logs: Logs,
) -> None:
    several = [replace(OPENED, id=f"d-{number}") for number in range(50)]

    positions = await asyncio.gather(*map(logs.deliveries.append, several))

    found = await logs.read_deliveries()
    assert len(set(positions)) == 50
    for each, position in zip(several, positions, strict=True):
        assert position
        assert found[position.offset] == each


async def test_a_dead_letter_keeps_the_original_bytes_and_the_reason(logs: Logs) -> None:
    letter = DeadLetter(
        reason="poison",
        detail="the body is no JSON",
        key=b"github.com/1#7",
        body=b"\x00\xff not JSON",
        headers={"guid": "d-1"},
        origin=Position(logs.topics.deliveries, 0, 2**40),
        traceback_digest="0123456789abcdef",
        attempts=3,
        first_seen=NOW,
    )

    position = await logs.letters.bury(letter)

    assert position.topic == logs.topics.dead
    assert list(await logs.read_letters()) == [letter]


async def test_a_letter_that_never_was_on_a_topic_has_no_origin(logs: Logs) -> None:
    letter = DeadLetter(reason="conflict", detail="another body", key=None, body=b"")

    await logs.letters.bury(letter)

    assert list(await logs.read_letters()) == [letter]


async def test_decision_records_lie_in_the_order_they_were_published(logs: Logs) -> None:
    records = [record("p1", seq) for seq in (1, 2, 3)]

    await logs.journal.publish(records)

    assert list(await logs.read_journal()) == records


async def test_publishing_a_record_again_does_no_harm(logs: Logs) -> None:
    await logs.journal.publish([record("p1", 1), record("p1", 2)])

    await logs.journal.publish([record("p1", 2), record("p1", 3)])

    assert [each.seq for each in await logs.read_journal()] == [1, 2, 3]


async def test_publishing_nothing_is_nothing(logs: Logs) -> None:
    await logs.journal.publish([])

    assert list(await logs.read_journal()) == []
