"""Closing: places that go take with them what waits there, is held for them, or is to be sent."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from reactor import EffectGivenUp, EffectRefused
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryDeliveryLog
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.adapters.memory_places import MemoryAbsences, MemoryOpenProcesses
from reactor.catalog import TypeCatalog
from reactor.closing import Acted, Closing
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.effect import Effect, EffectRecord, Mode
from reactor.errors import InfrastructureError
from reactor.github import AddLabels, Dispatch
from reactor.github.lifecycle import OurApp, change_of, place_changed_by
from reactor.ledger import Caps, Intent
from reactor.lifecycle import Change
from reactor.signal import LIFECYCLE, Signal, read_signal
from reactor.status import ProcessHead, Status
from reactor.testing import account, delivery, issue, repository

HERE = "github.com/1296269"
ISSUE, OTHER = f"{HERE}#7", f"{HERE}#8"
PLENTY = Caps(per_event=9, per_day=9, per_subject=9, window=timedelta(days=1))
APP = {"id": 42, "app_id": 12, "account": account("octo")}

DELETED = delivery("issues.deleted", issue=issue(number=7), id="d-deleted")
MOVED = delivery(
    "issues.transferred",
    issue=issue(number=7),
    changes={"new_issue": issue(number=3), "new_repository": repository("octo/b")},
)


class Call(Effect):
    """A team's own, which has nothing to do with GitHub."""


class Site:
    """What closes places, in memory, and what it works on."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.absences, self.open = MemoryAbsences(), MemoryOpenProcesses()
        self.signals = MemoryDeliveryLog()
        catalog = TypeCatalog((AddLabels, Dispatch, Call))
        self.ledger = MemoryLedger(Codec(catalog), self.clock)
        self.installed = [HERE, "github.com/2"]
        self.forgotten: list[Change] = []
        self.told: list[Acted] = []
        self.started: dict[str, list[str]] = {}  # by delivery
        self.closing = Closing(
            reads=lambda each: change_of(each, OurApp(app_id=12)),
            knows=self._known,
            forgets=(self._forget,),
            absences=self.absences,
            open=self.open,
            started_by=self._started_by,
            signals=self.signals,
            ledger=self.ledger,
            place_of=place_changed_by,
            clock=self.clock,
            tells=self.told.append,
        )

    async def _known(self, change: Change) -> Iterable[str]:
        return self.installed if change.installation == 42 else ()

    async def _started_by(self, delivery: str) -> list[str]:
        return self.started.get(delivery, [])

    async def _forget(self, change: Change) -> None:
        self.forgotten.append(change)

    async def hear(self, *told: Delivery) -> None:
        for each in told:
            await self.closing.hear(each)

    @property
    def kills(self) -> Sequence[Signal]:
        return [read_signal(each) for each in self.signals.deliveries]

    async def want(self, effect: Effect, *, subject: str = ISSUE, mode: Mode = "live") -> Intent:
        record = EffectRecord(
            key=f"k-{effect.kind}-{subject}",
            effect=effect,
            subject=subject,
            action="team.act",
            mode=mode,
            state="intended",
        )
        wanted = Intent(
            record=record,
            process_id="p1",
            delivery="github.com/d-1",
            host="github.com",
            subject_name="octo/hello",
            cause="c",
        )
        await self.ledger.enrol([wanted], PLENTY, now=self.clock.now())
        return wanted

    async def states(self, *wanted: Intent) -> list[str]:
        found: list[str] = []
        for each in wanted:
            fates = await self.ledger.fates(each.record.subject, [each.key])
            found.append(fates[each.key].state)
        return found


@pytest.fixture
def site() -> Site:
    return Site()


def resting(process_id: str = "p1", *, delivery: str = "github.com/d-1") -> ProcessHead:
    now = ManualClock().now()
    return ProcessHead(
        id=process_id,
        delivery=delivery,
        reaction="r",
        subject=ISSUE,
        agent="reactor",
        planner="utility",
        status=Status.WAITING,
        created_at=now,
        updated_at=now,
    )


def installation(kind: str, **payload: Any) -> Delivery:
    return delivery(kind, repository=None, installation=APP, **payload)


# What waits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", [DELETED, MOVED], ids=["deleted", "transferred"])
async def test_what_waits_on_an_issue_that_goes_is_told_to_end_and_why(
    site: Site, gone: Delivery
) -> None:
    await site.open.add("p1", subject=ISSUE)
    await site.open.add("p2", subject=OTHER)

    await site.hear(gone)

    (kill,) = site.kills
    assert (kill.kind, kill.process_id, kill.by) == ("kill", "p1", LIFECYCLE)
    assert kill.reason.startswith("octo/hello#7 was ")


async def test_a_repository_takes_all_of_its_issues_along(site: Site) -> None:
    for process_id, subject in (("p1", ISSUE), ("p2", OTHER), ("p3", "github.com/2#7")):
        await site.open.add(process_id, subject=subject)

    await site.hear(delivery("repository.deleted"))

    assert sorted(kill.process_id for kill in site.kills) == ["p1", "p2"]


@pytest.mark.parametrize(
    "told",
    [
        delivery("repository.archived"),
        delivery("repository.renamed"),
        installation("installation.suspend"),
        installation("installation.deleted"),
    ],
    ids=lambda told: told.kind,
)
async def test_what_may_come_back_ends_no_process(site: Site, told: Delivery) -> None:
    await site.open.add("p1", subject=ISSUE)

    await site.hear(told)

    assert site.kills == []


async def test_a_delivery_that_is_read_again_does_the_same_again(site: Site) -> None:
    await site.open.add("p1", subject=ISSUE)

    await site.hear(DELETED, DELETED)

    assert len({kill.id for kill in site.kills}) == 1
    assert [each.word for each in await site.absences.of(ISSUE)] == ["deleted"]


async def test_a_process_that_comes_to_rest_on_what_is_gone_is_ended_as_well(site: Site) -> None:
    await site.hear(DELETED)

    await site.closing.rests(resting())

    assert [kill.process_id for kill in site.kills] == ["p1"]


async def test_one_that_the_deletion_itself_has_started_may_wait(site: Site) -> None:
    await site.hear(DELETED)

    await site.closing.rests(resting(delivery=DELETED.key))

    assert site.kills == []


async def test_nor_is_it_ended_when_the_deletion_is_read_again(site: Site) -> None:
    await site.hear(DELETED)
    site.started[DELETED.key] = ["p2"]
    await site.closing.rests(resting("p2", delivery=DELETED.key))

    await site.hear(DELETED)

    assert site.kills == []


async def test_what_an_installation_had_is_forgotten_last_so_that_all_of_it_can_be_done_again(
    site: Site,
) -> None:
    held = await site.want(AddLabels(labels=("bug",)), mode="approve")
    states: list[str] = []

    async def forget(change: Change) -> None:
        states.extend(await site.states(held))

    await replace(site.closing, forgets=(forget,)).hear(installation("installation.deleted"))

    assert states == ["refused"]


async def test_a_process_is_listed_while_it_rests(site: Site) -> None:
    await site.closing.rests(resting("p1"))
    await site.closing.rests(resting("p2"))

    await site.closing.is_over(resting("p1"))

    assert await site.open.at(ISSUE) == ["p2"]
    assert site.kills == []


# What is held --------------------------------------------------------------------------------


async def test_what_is_held_for_what_is_gone_is_refused_and_other_things_wait_on(
    site: Site,
) -> None:
    gone = await site.want(AddLabels(labels=("bug",)), mode="approve")
    elsewhere = await site.want(AddLabels(labels=("bug",)), subject=OTHER, mode="approve")
    not_there = await site.want(Call(), mode="approve")
    of_repository = await site.want(Dispatch(event_type="x"), mode="approve")

    await site.hear(DELETED)

    states = await site.states(gone, elsewhere, not_there, of_repository)
    assert states == ["refused", "held", "held", "held"]
    fates = await site.ledger.fates(ISSUE, [gone.key])
    assert fates[gone.key].reason == "octo/hello#7 was deleted"
    assert fates[gone.key].ruled_by == LIFECYCLE


async def test_what_is_held_in_a_repository_without_the_app_is_refused(site: Site) -> None:
    held = await site.want(AddLabels(labels=("bug",)), mode="approve")

    await site.hear(installation("installation.deleted"))

    assert await site.states(held) == ["refused"]


async def test_what_is_held_waits_on_while_the_app_is_suspended(site: Site) -> None:
    held = await site.want(AddLabels(labels=("bug",)), mode="approve")

    await site.hear(installation("installation.suspend"))

    assert await site.states(held) == ["held"]


# What is to be sent --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (DELETED, "octo/hello#7 was deleted"),
        (MOVED, "octo/hello#7 was transferred to octo/b#3"),
        (delivery("repository.deleted"), "octo/hello was deleted"),
        (installation("installation.deleted"), "the app was uninstalled"),
    ],
    ids=lambda told: told.kind if isinstance(told, Delivery) else "",
)
async def test_what_is_to_be_sent_where_nothing_is_any_more_is_refused(
    site: Site, told: Delivery, why: str
) -> None:
    wanted = await site.want(AddLabels(labels=("bug",)))

    await site.hear(told)

    with pytest.raises(EffectRefused, match=why) as refused:
        await site.closing.look_for(wanted)
    assert not isinstance(refused.value, EffectGivenUp)


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        (installation("installation.suspend"), installation("installation.unsuspend")),
        (delivery("repository.archived"), delivery("repository.unarchived")),
    ],
    ids=["suspended", "archived"],
)
async def test_what_may_be_sent_later_is_given_up_until_it_may(
    site: Site, begins: Delivery, ends: Delivery
) -> None:
    wanted = await site.want(AddLabels(labels=("bug",)))
    await site.hear(begins)

    with pytest.raises(EffectGivenUp):
        await site.closing.look_for(wanted)
    await site.hear(ends)

    await site.closing.look_for(wanted)


async def test_what_is_gone_for_good_counts_before_what_may_pass(site: Site) -> None:
    wanted = await site.want(AddLabels(labels=("bug",)))

    await site.hear(installation("installation.suspend"), DELETED)

    with pytest.raises(EffectRefused, match="was deleted"):
        await site.closing.look_for(wanted)


async def test_effects_elsewhere_and_on_what_is_there_go_out(site: Site) -> None:
    wanted = [
        await site.want(AddLabels(labels=("bug",)), subject=OTHER),
        await site.want(Dispatch(event_type="an issue is gone")),
        await site.want(Call()),
    ]

    await site.hear(DELETED)

    for each in wanted:
        await site.closing.look_for(each)


async def test_an_app_that_is_installed_anew_writes_again(site: Site) -> None:
    wanted = await site.want(AddLabels(labels=("bug",)))
    listed = [{"id": 1296269, "full_name": "octo/hello"}]
    anew = installation("installation.created", repositories=listed)

    await site.hear(installation("installation.deleted"), anew)

    await site.closing.look_for(wanted)


# What is forgotten and told -------------------------------------------------------------------


async def test_who_kept_something_of_the_places_is_told_all_of_them(site: Site) -> None:
    listed = [{"id": 3, "full_name": "octo/three"}]

    await site.hear(installation("installation.deleted", repositories=listed))

    (change,) = site.forgotten
    assert sorted(change.places) == [HERE, "github.com/2", "github.com/3"]
    assert site.told == [Acted(change=change, killed=0, refused=0)]


async def test_it_is_told_how_much_has_ended(site: Site) -> None:
    await site.open.add("p1", subject=ISSUE)
    await site.want(AddLabels(labels=("bug",)), mode="approve")

    await site.hear(DELETED)

    (acted,) = site.told
    assert (acted.killed, acted.refused) == (1, 1)


async def test_most_deliveries_are_passed_over(site: Site) -> None:
    await site.hear(delivery("issues.opened", issue=issue()), delivery("push", ref="main"))

    assert site.told == []


async def test_trouble_with_a_store_is_for_whoever_settles_the_delivery(site: Site) -> None:
    await site.open.add("p1", subject=ISSUE)
    site.signals.is_down = True

    with pytest.raises(InfrastructureError):
        await site.hear(DELETED)
    site.signals.is_down = False
    await site.hear(replace(DELETED, attempt=1))

    assert [kill.process_id for kill in site.kills] == ["p1"]
