"""Taking a delivery in: whatever fails, nobody is told that we have what nobody has."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryClaims, MemoryDeadLetters, MemoryDeliveryLog
from reactor.delivery import Delivery, Subject, digest
from reactor.errors import InfrastructureError
from reactor.ports import Claim, Clock
from reactor.topic import Position
from reactor.web.intake import Intake, Patience


class HeldLog(MemoryDeliveryLog):
    """A broker that acknowledges when it is told to, or fails then."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()
        self.fails_once = False

    async def append(self, delivery: Delivery) -> Position:
        self.reached.set()
        await self.go_on.wait()
        if self.fails_once:
            self.fails_once = False
            raise InfrastructureError("kafka", "it was told to fail")
        return await super().append(delivery)


class KeepingLog(MemoryDeliveryLog):
    """A log that keeps deliveries somewhere else than on the topic."""

    async def append(self, delivery: Delivery) -> None:  # type: ignore[override]
        await super().append(delivery)


class FailingAfterClaim(MemoryClaims):
    """A Redis that goes away as soon as it has given a claim."""

    async def claim(self, delivery: str, *, digest: str) -> Claim:
        claim = await super().claim(delivery, digest=digest)
        self.is_down = True
        return claim


class Asked(MemoryClaims):
    """A Redis that knows what it was asked."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.asked: list[str] = []

    async def claim(self, delivery: str, *, digest: str) -> Claim:
        self.asked.append("claim")
        return await super().claim(delivery, digest=digest)

    async def kept(self, delivery: str, *, digest: str) -> None:
        self.asked.append("kept")
        await super().kept(delivery, digest=digest)

    async def produced(self, delivery: str, position: Position, *, digest: str) -> None:
        self.asked.append("produced")
        await super().produced(delivery, position, digest=digest)


class HangingAfterClaim(MemoryClaims):
    """A Redis that answers nothing more as soon as it has given a claim."""

    async def kept(self, delivery: str, *, digest: str) -> None:
        await asyncio.Event().wait()

    async def produced(self, delivery: str, position: Position, *, digest: str) -> None:
        await asyncio.Event().wait()


class Hall:
    """An intake and its parts."""

    def __init__(
        self,
        *,
        log: MemoryDeliveryLog | None = None,
        claims: type[MemoryClaims] = MemoryClaims,
        give_up_s: float = 10,
        remember_s: float = 10,
    ) -> None:
        self.clock = ManualClock()
        self.claims = claims(self.clock)
        self.log = log or MemoryDeliveryLog()
        self.dead = MemoryDeadLetters()
        patience = Patience(
            first_look_s=0.001,
            longest_pause_s=0.001,
            give_up_s=give_up_s,
            remember_s=remember_s,
        )
        self.intake = Intake(
            claims=self.claims, deliveries=self.log, dead=self.dead, patience=patience
        )


def delivery(
    delivery_id: str = "guid-1", *, event: str = "issues", body: bytes = b"{}"
) -> Delivery:
    return Delivery(
        id=delivery_id,
        event=event,
        action="opened",
        host="github.com",
        subject=Subject(key="github.com/9#7", name="octo/hello#7"),
        body=body,
        media_type="application/json",
        payload={},
        received_at=datetime(2026, 3, 1, 12, tzinfo=UTC),
        digest=digest(body),
        headers={"x-github-event": event},
    )


async def test_a_delivery_is_accepted_once_and_a_duplicate_after_that() -> None:
    hall = Hall()

    first = await hall.intake.accept(delivery())
    second = await hall.intake.accept(delivery())

    assert (first.status, second.status) == ("accepted", "duplicate")
    assert first.position == second.position == Position("reactor.deliveries", 0, 0)
    assert len(hall.log.deliveries) == 1


async def test_the_same_body_under_another_id_is_accepted_and_flagged() -> None:
    hall = Hall()

    await hall.intake.accept(delivery("guid-1"))
    await hall.intake.accept(delivery("guid-2"))

    assert [each.replayed for each in hall.log.deliveries] == [False, True]


async def test_an_id_with_another_body_is_kept_for_a_person() -> None:
    hall = Hall()
    await hall.intake.accept(delivery(body=b"{}"))

    receipt = await hall.intake.accept(delivery(body=b'{"other":1}'))

    assert receipt.status == "conflict"
    assert len(hall.log.deliveries) == 1
    (letter,) = hall.dead.letters
    assert (letter.reason, letter.body, letter.key) == (
        "conflict",
        b'{"other":1}',
        b"github.com/9#7",
    )
    assert letter.headers == {"x-github-event": "issues", "x-github-delivery": "guid-1"}


async def test_a_conflict_that_can_not_be_kept_is_not_acknowledged() -> None:
    hall = Hall()
    await hall.intake.accept(delivery(body=b"{}"))
    hall.dead.is_down = True

    with pytest.raises(InfrastructureError):
        await hall.intake.accept(delivery(body=b'{"other":1}'))


async def test_a_ping_is_answered_and_kept_nowhere() -> None:
    hall = Hall()

    receipt = await hall.intake.accept(delivery(event="ping"))

    assert (receipt.status, hall.log.deliveries) == ("ignored", [])


async def test_what_the_broker_did_not_take_is_not_claimed_any_more() -> None:
    hall = Hall()
    hall.log.is_down = True
    with pytest.raises(InfrastructureError):
        await hall.intake.accept(delivery())
    hall.log.is_down = False

    receipt = await hall.intake.accept(delivery())

    assert receipt.status == "accepted"


async def test_a_delivery_is_accepted_without_a_claim_while_redis_is_away() -> None:
    hall = Hall()
    hall.claims.is_down = True

    receipt = await hall.intake.accept(delivery())

    assert (receipt.status, receipt.unclaimed) == ("accepted", True)
    assert [each.unclaimed for each in hall.log.deliveries] == [True]


async def test_redis_is_not_waited_for_once_more_when_it_could_not_say_whether_an_id_is_new() -> (
    None
):
    hall = Hall(claims=Asked)
    assert isinstance(hall.claims, Asked)
    hall.claims.is_down = True

    await hall.intake.accept(delivery())

    assert hall.claims.asked == ["claim"]


@pytest.mark.parametrize("log", [MemoryDeliveryLog, KeepingLog])
async def test_a_redis_that_hangs_keeps_nobody_waiting_whose_delivery_is_durable(
    log: type[MemoryDeliveryLog],
) -> None:
    hall = Hall(log=log(), claims=HangingAfterClaim, remember_s=0.01)

    receipt = await hall.intake.accept(delivery())

    assert (receipt.status, receipt.unclaimed) == ("accepted", False)
    assert len(hall.log.deliveries) == 1


async def test_a_delivery_is_accepted_when_redis_goes_away_after_the_claim() -> None:
    hall = Hall(claims=FailingAfterClaim)

    receipt = await hall.intake.accept(delivery())

    assert (receipt.status, receipt.unclaimed) == ("accepted", False)


async def test_a_failure_of_both_servers_is_the_brokers() -> None:
    hall = Hall(claims=FailingAfterClaim)
    hall.log.is_down = True

    with pytest.raises(InfrastructureError, match="kafka"):
        await hall.intake.accept(delivery())


# Two requests with one id at the same time


async def test_of_two_at_once_one_is_produced_and_the_other_is_the_duplicate() -> None:
    log = HeldLog()
    hall = Hall(log=log)

    async with asyncio.TaskGroup() as group:
        first = group.create_task(hall.intake.accept(delivery()))
        await log.reached.wait()
        second = group.create_task(hall.intake.accept(delivery()))
        await asyncio.sleep(0)  # it is waiting now
        assert not second.done()
        log.go_on.set()

    assert (first.result().status, second.result().status) == ("accepted", "duplicate")
    assert len(log.deliveries) == 1


async def test_when_the_first_of_two_fails_the_second_is_produced_in_its_place() -> None:
    log = HeldLog()
    log.fails_once = True
    hall = Hall(log=log)

    async with asyncio.TaskGroup() as group:
        first = group.create_task(_failing(hall, delivery()))
        await log.reached.wait()
        second = group.create_task(hall.intake.accept(delivery()))
        log.go_on.set()

    assert first.result() is InfrastructureError
    assert (second.result().status, second.result().unclaimed) == ("accepted", False)
    assert len(log.deliveries) == 1


async def test_when_the_first_of_two_is_cancelled_the_second_is_produced_in_its_place() -> None:
    log = HeldLog()
    hall = Hall(log=log)

    async with asyncio.TaskGroup() as group:
        first = group.create_task(hall.intake.accept(delivery()))
        await log.reached.wait()
        second = group.create_task(hall.intake.accept(delivery()))
        first.cancel()
        log.go_on.set()

    assert first.cancelled()
    assert (second.result().status, second.result().unclaimed) == ("accepted", False)
    assert len(log.deliveries) == 1


async def test_when_the_first_of_two_hangs_the_second_is_produced_without_a_claim() -> None:
    hall = Hall(give_up_s=0.02)
    await hall.claims.claim(delivery().key, digest=delivery().digest)  # its gateway was killed

    receipt = await hall.intake.accept(delivery())

    assert (receipt.status, receipt.unclaimed) == ("accepted", True)
    assert [each.unclaimed for each in hall.log.deliveries] == [True]
    assert (await hall.intake.accept(delivery())).status == "duplicate"


async def test_a_claim_that_nobody_produces_runs_out() -> None:
    hall = Hall()
    await hall.claims.claim(delivery().key, digest=delivery().digest)
    hall.clock.move(timedelta(seconds=61))

    receipt = await hall.intake.accept(delivery())

    assert (receipt.status, receipt.unclaimed) == ("accepted", False)


async def test_a_request_that_outlived_its_claim_does_not_give_its_successors_away() -> None:
    log = HeldLog()
    hall = Hall(log=log)

    async with asyncio.TaskGroup() as group:
        slow = group.create_task(hall.intake.accept(delivery()))
        await log.reached.wait()
        log.reached.clear()
        hall.clock.move(timedelta(seconds=61))
        successor = group.create_task(hall.intake.accept(delivery()))
        await log.reached.wait()
        slow.cancel()
        await asyncio.wait([slow])
        third = group.create_task(hall.intake.accept(delivery()))
        await asyncio.sleep(0)  # it has asked for the id now
        log.go_on.set()

    assert (successor.result().status, third.result().status) == ("accepted", "duplicate")
    assert len(log.deliveries) == 1


async def test_what_was_kept_off_the_topic_is_accepted_and_a_duplicate_for_as_long() -> None:
    hall = Hall(log=KeepingLog())

    receipt = await hall.intake.accept(delivery())
    hall.clock.move(timedelta(hours=1))  # a claim that is only pending would have run out
    again = await hall.intake.accept(delivery())
    other = await hall.intake.accept(delivery(body=b'{"other":1}'))

    assert (receipt.status, receipt.position) == ("accepted", None)
    assert (again.status, again.position) == ("duplicate", None)
    assert other.status == "conflict"
    assert len(hall.log.deliveries) == 1


async def test_what_is_kept_while_nobody_can_claim_is_accepted_too() -> None:
    hall = Hall(log=KeepingLog())
    hall.claims.is_down = True

    receipt = await hall.intake.accept(delivery())

    assert (receipt.status, receipt.position, receipt.unclaimed) == ("accepted", None, True)


async def test_many_at_once_are_one_record() -> None:
    hall = Hall()

    async with asyncio.TaskGroup() as group:
        requests = [group.create_task(hall.intake.accept(delivery())) for _ in range(20)]

    assert sorted(each.result().status for each in requests) == ["accepted"] + 19 * ["duplicate"]
    assert len(hall.log.deliveries) == 1


async def _failing(hall: Hall, sent: Delivery) -> type[BaseException]:
    with pytest.raises(InfrastructureError) as failed:
        await hall.intake.accept(sent)
    return failed.type
