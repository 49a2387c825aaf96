"""What is held waits for a person, who names one effect and no other."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryDeliveryLog
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.approvals import Approvals, Expiry, UnknownApproval, approval_id
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.effect import EffectRecord, effect_key
from reactor.errors import InfrastructureError, ReactorError
from reactor.github.effects import AddLabels
from reactor.ledger import Caps, Fate, Held, Intent
from reactor.signal import EffectRuling, read_signal

SUBJECT = "github.com/1#7"
PLENTY = Caps(per_event=1000, per_day=1000, per_subject=1000, window=timedelta(minutes=10))
WEEK = timedelta(days=7)


def wish(label: str) -> Intent:
    effect = AddLabels(labels=(label,))
    record = EffectRecord(
        key=effect_key(effect, host="github.com", subject=SUBJECT, cause="c1"),
        effect=effect,
        subject=SUBJECT,
        action="triage.label",
        mode="approve",
        state="intended",
    )
    return Intent(
        record=record,
        process_id="p1",
        delivery="github.com/d-1",
        host="github.com",
        subject_name="octo/hello#7",
        cause="c1",
    )


@dataclass
class Site:
    clock: ManualClock = field(default_factory=ManualClock)
    signals: MemoryDeliveryLog = field(default_factory=MemoryDeliveryLog)
    troubles: list[ReactorError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ledger = MemoryLedger(Codec(TypeCatalog([AddLabels])), self.clock)
        self.approvals = Approvals(ledger=self.ledger, signals=self.signals, clock=self.clock)
        self.expiry = Expiry(
            ledger=self.ledger, clock=self.clock, after=WEEK, tell=self.troubles.append
        )

    async def hold(self, label: str) -> str:
        """Gives the id."""
        wanted = wish(label)
        await self.ledger.enrol([wanted], PLENTY, now=self.clock.now())
        return approval_id(wanted.key)

    async def fate(self, label: str) -> Fate:
        key = wish(label).key
        return (await self.ledger.fates(SUBJECT, [key]))[key]


@pytest.fixture
def site() -> Site:
    return Site()


async def test_what_waits_is_listed_oldest_first(site: Site) -> None:
    await site.hold("bug")
    site.clock.move(timedelta(hours=1))
    await site.hold("urgent")

    waiting = await site.approvals.waiting()

    assert [held.intent.record.effect for held in waiting] == [
        AddLabels(labels=("bug",)),
        AddLabels(labels=("urgent",)),
    ]


@pytest.mark.parametrize("is_approved", [True, False], ids=["yes", "no"])
async def test_a_ruling_is_told_to_a_worker_with_who_said_so(
    site: Site, *, is_approved: bool
) -> None:
    approval = await site.hold("bug")

    await site.approvals.rule(approval, is_approved=is_approved, by="octocat", reason="seen")

    (record,) = site.signals.deliveries
    signal = read_signal(replace(record, payload=json.loads(record.body)))
    ruling = EffectRuling(subject=SUBJECT, key=wish("bug").key, is_approved=is_approved)
    assert (signal.kind, signal.ruling) == ("rule", ruling)
    assert (signal.process_id, signal.by, signal.reason) == ("p1", "octocat", "seen")


async def test_an_id_stands_for_one_content_and_no_other(site: Site) -> None:
    """The same wish with another label is another effect: who approved one has not the other."""
    bug, urgent = await site.hold("bug"), await site.hold("urgent")

    assert bug != urgent
    assert (await site.approvals.find(bug)).intent == wish("bug")
    assert (await site.approvals.find(urgent.upper())).intent == wish("urgent")
    assert (await site.approvals.find(wish("bug").key)).intent == wish("bug")


@pytest.mark.parametrize("approval", ["", "0", "0" * 12, wish("urgent").key, wish("bug").key[:11]])
async def test_what_names_nothing_that_waits_rules_on_nothing(site: Site, approval: str) -> None:
    await site.hold("bug")

    with pytest.raises(UnknownApproval, match="reactor approvals"):
        await site.approvals.rule(approval, is_approved=True, by="octocat")

    assert site.signals.deliveries == []


async def test_what_nobody_approves_in_time_is_refused_and_says_so(site: Site) -> None:
    await site.hold("bug")
    site.clock.move(timedelta(hours=1))
    await site.hold("urgent")
    site.clock.move(WEEK - timedelta(hours=1))

    refused = await site.expiry.refuse_old()

    assert refused == 1
    old = await site.fate("bug")
    assert (old.state, old.ruled_by) == ("refused", "timer")
    assert old.reason == "nobody approved it within 7 days (effects.approval_days)"
    assert (await site.fate("urgent")).state == "held"


async def test_any_number_of_them_runs_out(site: Site) -> None:
    labels = [f"label-{number}" for number in range(230)]
    for label in labels:
        await site.hold(label)
    site.clock.move(WEEK)

    assert await site.expiry.refuse_old() == 230
    assert await site.expiry.refuse_old() == 0
    assert await site.approvals.waiting() == []


class AwayAtFirst(MemoryLedger):
    """A ledger that does not answer the first time it is asked what is held."""

    is_away = True

    async def held(self, *, until: datetime, limit: int) -> list[Held]:
        if self.is_away:
            self.is_away = False
            raise InfrastructureError("redis", "it does not answer")
        return await super().held(until=until, limit=limit)


async def test_while_the_ledger_is_away_it_says_so_and_looks_again(site: Site) -> None:
    site.ledger = AwayAtFirst(Codec(TypeCatalog([AddLabels])), site.clock)
    await site.hold("bug")
    site.clock.move(WEEK)
    expiry = replace(site.expiry, ledger=site.ledger, every=timedelta(milliseconds=1))

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        running = group.create_task(expiry.run())
        while (await site.fate("bug")).state == "held":  # noqa: ASYNC110 - a ledger tells nobody
            await asyncio.sleep(0.002)
        running.cancel()

    assert [str(trouble) for trouble in site.troubles] == [
        str(InfrastructureError("redis", "it does not answer"))
    ]
