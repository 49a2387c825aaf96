"""What is held is listed in one prompt, which is sent once for what it lists."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.adapters.memory_prompts import MemoryPrompts
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.effect import EffectRecord, Mode
from reactor.execution import Executor
from reactor.github.effects import EFFECT_TYPES, AddLabels
from reactor.github.prompt import ApprovalPrompt, write_prompt
from reactor.ledger import Fate, Ruling
from reactor.platform import Platform
from reactor.prompting import Prompting
from reactor.sending import Sender
from reactor.status import ProcessHead
from reactor.trying import Tries
from tests.test_sending import PAUSE, PLENTY

SUBJECT = "github.com/1#7"
YES = Ruling(is_approved=True, by="ann")


def wish(label: str, *, mode: Mode = "approve", subject: str = SUBJECT) -> EffectRecord:
    return EffectRecord(
        key=f"{label:0<32}",
        effect=AddLabels(labels=(label,)),
        subject=subject,
        action="triage.label",
        mode=mode,
        state="intended",
    )


def head(number: int = 1) -> ProcessHead:
    now = ManualClock().now()
    return ProcessHead(
        id=f"p{number}",
        delivery=f"github.com/d-{number}",
        reaction="triage",
        subject=SUBJECT,
        agent="reactor",
        planner="utility",
        created_at=now,
        updated_at=now,
        host="github.com",
        cause=f"c{number}",
    )


@dataclass
class Site:
    clock: ManualClock = field(default_factory=ManualClock)
    prompts: MemoryPrompts = field(default_factory=MemoryPrompts)

    def __post_init__(self) -> None:
        catalog = TypeCatalog([*EFFECT_TYPES, ApprovalPrompt])
        self.ledger = MemoryLedger(Codec(catalog), self.clock)
        with Executor() as executor:
            tries = Tries(
                platform=Platform(packages=[]),
                executor=executor,
                now=self.clock.now,
                monotonic_s=self.clock.monotonic_s,
                pause=lambda _: PAUSE,
            )
        sender = Sender(ledger=self.ledger, tries=tries, caps=PLENTY, clock=self.clock, owner="a")
        self.outlet = Prompting(
            outlet=sender, ledger=self.ledger, prompts=self.prompts, write=write_prompt
        )

    async def take(self, effects: Sequence[EffectRecord], *, number: int = 1) -> None:
        await self.outlet.take(head(number), effects)

    async def listed(self) -> list[list[str]]:
        """The labels that each prompt lists, the newest first."""
        kept = await self.prompts.of(SUBJECT)
        return [[each.key.rstrip("0") for each in prompt.listed] for prompt in kept]

    async def fate(self) -> Fate:
        """Of the newest prompt."""
        newest, *_ = await self.prompts.of(SUBJECT)
        return (await self.ledger.fates(SUBJECT, [newest.key]))[newest.key]


@pytest.fixture
def site() -> Site:
    return Site()


async def test_what_is_held_is_listed_and_the_prompt_is_to_be_sent(site: Site) -> None:
    await site.take([wish("bug"), wish("urgent")])

    assert await site.listed() == [["bug", "urgent"]]
    assert (await site.fate()).state == "intended"


async def test_what_needs_no_approval_is_not_listed(site: Site) -> None:
    await site.take([wish("bug", mode="live"), wish("urgent", subject="github.com/1")])

    assert await site.listed() == []


async def test_taken_again_it_is_listed_once(site: Site) -> None:
    await site.take([wish("bug")])
    await site.take([wish("bug")])

    assert await site.listed() == [["bug"]]
    assert len(await site.ledger.waiting(now=site.clock.now(), limit=9)) == 1


async def test_after_a_crash_before_it_was_remembered_the_same_prompt_is_listed(
    site: Site,
) -> None:
    await site.take([wish("bug")])
    (before,) = await site.prompts.of(SUBJECT)

    site.prompts = MemoryPrompts()
    site.outlet = Prompting(
        outlet=site.outlet.outlet, ledger=site.ledger, prompts=site.prompts, write=write_prompt
    )
    await site.take([wish("bug")])

    assert await site.prompts.of(SUBJECT) == [before]


async def test_a_later_prompt_lists_what_still_waits_and_what_is_new(site: Site) -> None:
    await site.take([wish("bug"), wish("urgent")])
    await site.ledger.rule(SUBJECT, wish("bug").key, YES, now=site.clock.now())

    await site.take([wish("docs")], number=2)

    assert await site.listed() == [["urgent", "docs"], ["bug", "urgent"]]


async def test_what_was_ruled_on_meanwhile_is_listed_no_more(site: Site) -> None:
    await site.take([wish("bug")])
    site.prompts = MemoryPrompts()
    site.outlet = Prompting(
        outlet=site.outlet.outlet, ledger=site.ledger, prompts=site.prompts, write=write_prompt
    )
    await site.ledger.rule(SUBJECT, wish("bug").key, YES, now=site.clock.now())

    await site.take([wish("bug")])

    assert await site.listed() == []
