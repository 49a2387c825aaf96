"""A command rules on what its asker could read, in their own repository, and on nothing else."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryDeliveryLog
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.adapters.memory_prompts import MemoryPrompts
from reactor.approvals import Approvals, approval_id
from reactor.approving import Spoken, SubjectApprovals, Taken
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.github.effects import AddLabels
from reactor.ledger import Caps, Intent, Outcome, Sending
from reactor.prompt import Listed, Prompt
from reactor.signal import read_signal
from tests.test_approvals import SUBJECT, wish

PLENTY = Caps(per_event=1000, per_day=1000, per_subject=1000, window=timedelta(minutes=10))
MINUTE = timedelta(minutes=1)


@dataclass
class Site:
    clock: ManualClock = field(default_factory=ManualClock)
    signals: MemoryDeliveryLog = field(default_factory=MemoryDeliveryLog)
    prompts: MemoryPrompts = field(default_factory=MemoryPrompts)

    def __post_init__(self) -> None:
        self.ledger = MemoryLedger(Codec(TypeCatalog([AddLabels])), self.clock)
        approvals = Approvals(ledger=self.ledger, signals=self.signals, clock=self.clock)
        self.desk = SubjectApprovals(approvals=approvals, prompts=self.prompts)

    async def hold(self, label: str, *, subject: str = SUBJECT) -> str:
        """Gives the id."""
        wanted = on(wish(label), subject)
        await self.ledger.enrol([wanted], PLENTY, now=self.clock.now())
        return approval_id(wanted.key)

    async def prompt(self, *labels: str, sends: bool = True) -> None:
        """A prompt is wished for that lists these, and sent."""
        made = on(wish(f"prompt {labels}"), SUBJECT, mode="live")
        await self.ledger.enrol([made], PLENTY, now=self.clock.now())
        if sends:
            await self._send()
        listed = (wish(label).key for label in labels)
        await self.prompts.add(
            SUBJECT,
            Prompt(
                key=made.key,
                listed=tuple(Listed(key=key, id=key[:12], would="", action="") for key in listed),
            ),
        )

    async def _send(self) -> None:
        now = self.clock.now()
        sending = await self.ledger.begin(SUBJECT, owner="a", lease=MINUTE, now=now)
        assert isinstance(sending, Sending)
        await self.ledger.finish(sending, Outcome(state="done"), now=now)

    async def say(self, *ids: str, **fields: object) -> Taken:
        known = {"subject": SUBJECT, "by": "ann", "at": self.clock.now(), "ids": ids, **fields}
        return await self.desk.take(Spoken(**known))  # type: ignore[arg-type]

    def ruled(self) -> list[tuple[str, bool, str]]:
        """What the signals say: label, whether it is approved, and by whom."""
        told = [read_signal(each) for each in self.signals.deliveries]
        names = {wish(label).key: label for label in ("bug", "urgent", "docs")}
        return [
            (names[each.ruling.key], each.ruling.is_approved, each.by)
            for each in told
            if each.ruling is not None
        ]


def on(wanted: Intent, subject: str, **fields: object) -> Intent:
    record = replace(wanted.record, subject=subject, **fields)  # type: ignore[arg-type]
    return replace(wanted, record=record)


@pytest.fixture
def site() -> Site:
    return Site()


async def test_what_is_named_is_ruled_on_and_nothing_else(site: Site) -> None:
    bug, _ = await site.hold("bug"), await site.hold("urgent")

    taken = await site.say(bug.upper())

    assert taken.ruled == (wish("bug").key,)
    assert site.ruled() == [("bug", True, "ann")]


async def test_it_can_be_dropped_as_well(site: Site) -> None:
    await site.say(await site.hold("bug"), is_approved=False)

    assert site.ruled() == [("bug", False, "ann")]


async def test_an_id_is_good_for_its_repository_only(site: Site) -> None:
    beside = await site.hold("bug", subject="github.com/1#8")
    elsewhere = await site.hold("urgent", subject="github.com/11#7")

    taken = await site.say(beside, elsewhere)

    assert taken.unknown == (elsewhere,)
    assert site.ruled() == [("bug", True, "ann")]


@pytest.mark.parametrize("wanted", ["", "abc", "f" * 12])
async def test_what_names_nothing_is_told_and_rules_on_nothing(site: Site, wanted: str) -> None:
    await site.hold("bug")

    taken = await site.say(wanted)

    assert (taken.ruled, taken.unknown) == ((), (wanted,))
    assert site.ruled() == []


async def test_the_bare_form_takes_what_the_last_prompt_listed(site: Site) -> None:
    for label in ("bug", "urgent", "docs"):
        await site.hold(label)
    await site.prompt("bug")
    site.clock.move(MINUTE)
    await site.prompt("bug", "urgent")

    await site.say()

    assert site.ruled() == [("bug", True, "ann"), ("urgent", True, "ann")]


async def test_without_a_prompt_the_bare_form_takes_nothing(site: Site) -> None:
    await site.hold("bug")

    assert await site.say() == Taken()


async def test_what_could_not_be_read_yet_when_it_was_said_is_not_meant(site: Site) -> None:
    for label in ("bug", "urgent"):
        await site.hold(label)
    await site.prompt("bug")
    said_at = site.clock.now()
    site.clock.move(MINUTE)
    await site.prompt("bug", "urgent")

    await site.say(at=said_at)

    assert site.ruled() == [("bug", True, "ann")]


async def test_a_prompt_that_was_not_sent_lists_nothing(site: Site) -> None:
    for label in ("bug", "urgent"):
        await site.hold(label)
    await site.prompt("bug")
    await site.prompt("bug", "urgent", sends=False)

    await site.say()

    assert site.ruled() == [("bug", True, "ann")]
