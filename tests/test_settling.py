"""Settling what was read: whose its id is, who settles it, and what is given up."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from reactor import action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import (
    MemoryBoards,
    MemoryClaims,
    MemoryDeadLetters,
    MemoryJournalLog,
)
from reactor.adapters.memory_forms import MemoryForms
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_timers import MemoryTimers
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.follow_up import FollowUp
from reactor.github import Issue
from reactor.github.facts import FACT_TYPES
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.package import Package
from reactor.platform import Platform
from reactor.ports import Claim
from reactor.reaction import Reaction
from reactor.runner import Runner
from reactor.scope import Scope
from reactor.settling import ProcessesFailed, Settling
from reactor.signal import Signal, as_delivery
from reactor.status import Status, process_id
from reactor.steering import Steering
from reactor.testing import delivery, issue
from reactor.topic import Position
from reactor.worker import Listener, Settled, Worker

HERE = Position("reactor.deliveries", 0, 7)
THERE = Position("reactor.deliveries", 1, 3)
BROKEN = "It is broken"


@component
class WriterComponent:
    """Remembers titles."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    @action(value=0.5)
    async def write(self, issue: Issue) -> None:
        """Take it down, or fail for good."""
        if issue.title == BROKEN:
            raise ValueError("a bug")
        self.titles.append(issue.title)


class Shelf:
    """Knows what nobody needs any more; fits `Keeping`."""

    def __init__(self) -> None:
        self.settled_at: list[Position] = []

    async def settled(self, delivery: Delivery, position: Position) -> None:
        self.settled_at.append(position)


class Site:
    """All that settles, in memory."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.component = WriterComponent()
        package = Package(name="p", components=(self.component,))
        platform = Platform(packages=[package], types=FACT_TYPES)
        self.boards = MemoryBoards(Codec(platform.catalog), self.clock)
        self.claims, self.dead = MemoryClaims(self.clock), MemoryDeadLetters()
        self.outcomes, self.shelf = MemoryOutcomes(), Shelf()
        self.heard: list[str] = []
        runner = Runner(
            platform=platform,
            boards=self.boards,
            clock=self.clock,
            owner="w",
            lease=timedelta(seconds=30),
        )
        reaction = Reaction(name="triage", on=("issues",))
        follow_up = FollowUp(forms=MemoryForms(), timers=MemoryTimers(self.clock))
        worker = Worker(
            listeners=[Listener(reaction=reaction, scope=Scope.platform(), when=None)],
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            runner=runner,
            boards=self.boards,
            journal=MemoryJournalLog(),
            follow_up=follow_up,
        )
        self.settling = Settling(
            worker=worker,
            steering=Steering(worker=worker, follow_up=follow_up, clock=self.clock),
            claims=self.claims,
            outcomes=self.outcomes,
            dead=self.dead,
            keeping=self.shelf,
            hears=self._hear,
        )

    async def _hear(self, delivery: Delivery) -> None:
        self.heard.append(delivery.key)

    async def settle(self, delivery: Delivery, position: Position = HERE) -> Settled:
        return await self.settling.settle(delivery, position)

    async def claimed(self, delivery: Delivery) -> Claim:
        """What the gateway is told that has this delivery now."""
        return await self.claims.claim(delivery.key, digest=delivery.digest)


@pytest.fixture
def site() -> Site:
    return Site()


def unclaimed(title: str) -> Delivery:
    """A delivery that was accepted while Redis was away; its id is always the same."""
    return replace(opened(title), unclaimed=True)


def opened(title: str) -> Delivery:
    return delivery("issues.opened", issue=issue(title))


def statuses(settled: Settled) -> list[Status]:
    return [head.status for head in settled.heads]


# Ids that nobody could look up -----------------------------------------------------------------


async def test_what_nobody_could_claim_has_its_id_and_its_place_once_it_is_settled(
    site: Site,
) -> None:
    settled = await site.settle(unclaimed("one"), HERE)

    assert statuses(settled) == [Status.TERMINATED]
    assert await site.claims.position("github.com/d-1") == HERE
    assert await site.claimed(opened("one")) == Claim("produced", HERE)
    assert await site.claimed(opened("two")) == Claim("conflict")


async def test_the_same_body_a_second_time_is_the_same_process_and_stays_where_it_was(
    site: Site,
) -> None:
    first = await site.settle(unclaimed("one"), HERE)
    second = await site.settle(unclaimed("one"), THERE)

    assert [head.id for head in first.heads] == [head.id for head in second.heads]
    assert site.component.titles == ["one"]
    assert await site.claims.position("github.com/d-1") == HERE
    assert site.dead.letters == []
    assert site.shelf.settled_at == [HERE, THERE]


async def test_another_body_under_the_id_is_kept_for_a_person_and_not_taken_for_the_first(
    site: Site,
) -> None:
    await site.settle(unclaimed("one"), HERE)

    with capture_logs() as logs:
        settled = await site.settle(unclaimed("two"), THERE)

    (letter,) = site.dead.letters
    assert (settled.heads, settled.ignored) == ((), "conflict")
    assert (letter.reason, letter.body, letter.origin) == ("conflict", opened("two").body, THERE)
    assert site.component.titles == ["one"]
    assert site.shelf.settled_at == [HERE, THERE]
    assert [(line["event"], line.get("guard"), line.get("ignored")) for line in logs] == [
        ("guard_caught", "claim", None),
        ("delivery_settled", None, "conflict"),
    ]


async def test_a_conflict_says_nothing_about_the_delivery_whose_id_it_has(site: Site) -> None:
    await site.settle(unclaimed("one"), HERE)
    await site.settle(unclaimed("two"), THERE)

    assert await site.outcomes.ignored("github.com/d-1") == ""
    assert await site.claims.position("github.com/d-1") == HERE


async def test_the_letter_is_the_request_so_that_it_can_be_accepted_under_an_id_of_its_own(
    site: Site,
) -> None:
    headers = {"content-type": "application/json", "x-github-event": "issues"}
    await site.settle(unclaimed("one"), HERE)
    await site.settle(replace(unclaimed("two"), headers=headers), THERE)

    (letter,) = site.dead.letters
    assert letter.headers == {**headers, "x-github-delivery": "d-1"}


async def test_a_body_that_is_being_accepted_under_the_id_has_it(site: Site) -> None:
    await site.claimed(opened("two"))  # a gateway has not produced it yet

    settled = await site.settle(unclaimed("one"), HERE)
    await site.settle(opened("two"), THERE)

    assert settled.ignored == "conflict"
    assert [letter.body for letter in site.dead.letters] == [opened("one").body]
    assert site.component.titles == ["two"]


async def test_of_two_bodies_that_are_settled_at_once_one_runs_and_the_other_is_kept(
    site: Site,
) -> None:
    settled = await asyncio.gather(
        site.settle(unclaimed("one"), HERE), site.settle(unclaimed("two"), THERE)
    )

    assert sorted(each.ignored for each in settled) == ["", "conflict"]
    assert len(site.component.titles) == len(site.dead.letters) == 1


async def test_while_redis_is_away_it_is_not_settled_and_not_given_up(site: Site) -> None:
    site.claims.is_down = True

    with pytest.raises(InfrastructureError, match="redis"):
        await site.settle(unclaimed("one"))

    assert (site.component.titles, site.dead.letters, site.shelf.settled_at) == ([], [], [])


async def test_while_the_broker_is_away_a_conflict_is_not_settled_and_buried_later(
    site: Site,
) -> None:
    await site.settle(unclaimed("one"), HERE)
    site.dead.is_down = True
    with pytest.raises(InfrastructureError, match="kafka"):
        await site.settle(unclaimed("two"), THERE)
    assert site.shelf.settled_at == [HERE]
    site.dead.is_down = False

    await site.settle(unclaimed("two"), THERE)

    assert [letter.body for letter in site.dead.letters] == [opened("two").body]


async def test_what_was_claimed_by_its_gateway_costs_no_look_at_its_id(site: Site) -> None:
    site.claims.is_down = True

    assert statuses(await site.settle(opened("one"))) == [Status.TERMINATED]


# Who settles it, and what is told ---------------------------------------------------------------


async def test_a_signal_goes_to_its_process_and_everything_is_heard(site: Site) -> None:
    await site.settle(opened("one"))
    process = process_id(delivery="github.com/d-1", reaction="triage", attempt=1)
    kill = Signal(id="s-1", process_id=process, kind="kill", by="ann")

    settled = await site.settle(as_delivery(kill, at=site.clock.now()), THERE)

    assert settled.ignored == "process_over"
    assert await site.outcomes.ignored("reactor/s-1") == "process_over"
    assert site.heard == ["github.com/d-1", "reactor/s-1"]


async def test_why_nothing_came_of_a_delivery_is_kept(site: Site) -> None:
    await site.settle(delivery("star.created"))

    assert await site.outcomes.ignored("github.com/d-1") == "no_reaction"
    assert site.shelf.settled_at == [HERE]


async def test_what_ended_failed_is_given_up_by_name_and_stays_on_the_shelf_until_it_is_buried(
    site: Site,
) -> None:
    with pytest.raises(ProcessesFailed, match="reactor explain d-1") as failed:
        await site.settle(opened(BROKEN))

    about: Mapping[str, str] = failed.value.about
    assert failed.value.dead_reason == "failed"
    assert (about["delivery"], about["event"], about["attempt"]) == (
        "github.com/d-1",
        "issues.opened",
        "1",
    )
    assert site.shelf.settled_at == []
