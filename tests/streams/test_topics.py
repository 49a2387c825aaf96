import asyncio
import os
from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.children import free_port, start
from reactor.errors import InfrastructureError
from streams import embedded
from streams.reader import open_reader
from streams.topics import (
    TopicMismatch,
    TopicRefused,
    TopicSpec,
    check_partitions,
    cluster_id,
    ensure_topics,
)
from streams.window import Partition
from tests.fixtures.cut_off import left_open_by
from tests.fixtures.kafka_broker import broker_child

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]


@pytest.fixture
def spec(kafka_prefix: str) -> TopicSpec:
    return TopicSpec(name=f"{kafka_prefix}.x", partitions=3, retention=timedelta(days=14))


async def test_a_missing_topic_is_created_with_its_partitions(
    kafka_bootstrap: str, spec: TopicSpec
) -> None:
    await ensure_topics(kafka_bootstrap, [spec])

    async with open_reader(kafka_bootstrap) as reader:
        extents = await reader.extents(spec.name)
    assert set(extents) == {Partition(spec.name, number) for number in range(3)}


async def test_who_is_cut_off_while_it_asks_for_a_cluster_leaves_no_connection_open(
    kafka_bootstrap: str,
) -> None:
    assert await left_open_by(lambda: cluster_id(kafka_bootstrap)) == []


async def test_who_is_cut_off_while_it_creates_topics_leaves_no_connection_open(
    kafka_bootstrap: str, spec: TopicSpec
) -> None:
    assert await left_open_by(lambda: ensure_topics(kafka_bootstrap, [spec])) == []


async def test_a_repeat_does_no_harm_and_creates_what_is_new(
    kafka_bootstrap: str, spec: TopicSpec
) -> None:
    new = replace(spec, name=f"{spec.name}.new", partitions=1)
    await ensure_topics(kafka_bootstrap, [spec])

    await ensure_topics(kafka_bootstrap, [spec, new])

    async with open_reader(kafka_bootstrap) as reader:
        assert len(await reader.extents(spec.name, new.name)) == 4


async def test_another_number_of_partitions_is_an_error_that_says_what_to_do(
    kafka_bootstrap: str, spec: TopicSpec
) -> None:
    await ensure_topics(kafka_bootstrap, [spec])

    with pytest.raises(TopicMismatch, match="has 3 partitions, the settings say 4") as caught:
        await ensure_topics(kafka_bootstrap, [replace(spec, partitions=4)])

    assert "set kafka.partitions" in str(caught.value)


def test_one_that_somebody_else_is_creating_is_waited_for(spec: TopicSpec) -> None:
    for found in ({spec.name: 0}, {}):
        with pytest.raises(InfrastructureError, match="is only being created"):
            check_partitions([spec], found)
    check_partitions([spec], {spec.name: 3})


async def test_many_who_create_it_at_once_all_find_it(
    kafka_bootstrap: str, spec: TopicSpec
) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(6):
            group.create_task(ensure_topics(kafka_bootstrap, [spec]))

    async with open_reader(kafka_bootstrap) as reader:
        assert len(await reader.extents(spec.name)) == 3


@pytest.mark.skipif(
    "KAFKA_BOOTSTRAP_SERVERS" not in os.environ,  # noqa: TID251 - the one setting of the test run
    reason="the embedded broker takes any name",
)
async def test_a_name_that_the_broker_does_not_take_is_an_error_at_once(
    kafka_bootstrap: str, spec: TopicSpec
) -> None:
    with pytest.raises(TopicRefused, match="refused to create topic a/b"):
        await ensure_topics(kafka_bootstrap, [replace(spec, name="a/b")])


async def test_a_broker_that_is_away_is_infrastructure(spec: TopicSpec) -> None:
    with pytest.raises(InfrastructureError, match="creating topics"):
        await ensure_topics(f"127.0.0.1:{free_port()}", [spec], patience_s=0)


async def test_the_embedded_broker_can_be_told_from_any_other(own_broker_port: int) -> None:
    broker = await start(broker_child(own_broker_port), environ={})

    assert await cluster_id(embedded.bootstrap(own_broker_port)) == embedded.CLUSTER_ID

    await broker.stop()


def test_retention_is_told_in_the_terms_of_the_broker(spec: TopicSpec) -> None:
    assert spec.configs()["retention.ms"] == str(14 * 24 * 3_600_000)
    assert replace(spec, retention=None).configs()["retention.ms"] == "-1"
