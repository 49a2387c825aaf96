"""Sending, put together: what is warned of, what is told on the log, and how it ends."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
import structlog
from structlog.testing import capture_logs

from reactor import (
    AlreadyDone,
    Attempt,
    Effect,
    EffectRecord,
    EffectRefused,
    Package,
    Platform,
    ProcessHead,
    Scope,
    action,
    component,
    executes,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.codec import Codec
from reactor.effect import Mode
from reactor.github import Issue
from reactor.ledger import Fate
from reactor.reaction import Reaction
from reactor.settings import Settings
from reactor.wiring.sending import (
    PAUSES,
    SendingParts,
    caps_of,
    sending,
    tries_within,
    unsent_kinds,
)
from reactor.worker import Listener

SUBJECT = "github.com/1#7"


class Sent(Effect):
    says: str = "done"


class Unsent(Effect): ...


@component(effects=(Sent, Unsent))
class Team:
    @action
    async def ask(self, issue: Issue) -> Sent:
        """Ask for it."""
        return Sent()

    @executes
    async def send(self, effect: Sent, attempt: Attempt) -> object:
        if effect.says == "refused":
            raise EffectRefused("not here")
        if effect.says == "hangs" and attempt.number == 1:
            await asyncio.Event().wait()
        return AlreadyDone() if effect.says == "there" else None


@pytest.fixture
def platform() -> Platform:
    return Platform(packages=[Package(name="team", components=(Team,))])


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def ledger(platform: Platform, clock: ManualClock) -> MemoryLedger:
    return MemoryLedger(Codec(platform.catalog), clock)


@pytest.fixture
def logs() -> Iterator[list[structlog.typing.EventDict]]:
    with capture_logs() as found:
        yield found


def listener(mode: Mode) -> Listener:
    reaction = Reaction(name=f"a-{mode}-one", on=("issues",), effects=mode)
    return Listener(reaction=reaction, scope=Scope.platform(), when=None)


def head(process_id: str = "p1") -> ProcessHead:
    now = ManualClock().now()
    return ProcessHead(
        id=process_id,
        delivery="github.com/d-1",
        reaction="r",
        subject=SUBJECT,
        subject_name="octo/hello#7",
        agent="reactor",
        planner="utility",
        created_at=now,
        updated_at=now,
    )


def records(*said: str) -> Sequence[EffectRecord]:
    return [
        EffectRecord(
            key=f"key-{says}",
            effect=Sent(says=says),
            subject=SUBJECT,
            action="team.ask",
            mode="live",
            state="intended",
        )
        for says in said
    ]


async def comes_to(ledger: MemoryLedger, key: str, *states: str) -> Fate:
    async with asyncio.timeout(10):
        while (fate := (await ledger.fates(SUBJECT, [key]))[key]).state not in states:  # noqa: ASYNC110 - a ledger tells nobody
            await asyncio.sleep(0.002)
    return fate


def test_a_live_reaction_is_warned_of_the_kinds_that_nothing_sends(platform: Platform) -> None:
    found = list(unsent_kinds([listener("live"), listener("observe")], platform))

    assert found == [("a-live-one", "Unsent")]


def test_the_caps_are_those_of_the_settings() -> None:
    settings = Settings.model_validate(
        {"effects": {"per_event": 1, "per_day": 2, "per_subject": 3, "window_s": 4}}
    )

    caps = caps_of(settings)

    assert (caps.per_event, caps.per_day, caps.per_subject) == (1, 2, 3)
    assert caps.window == timedelta(seconds=4)


def test_pauses_are_doubled_from_a_second_to_five_minutes() -> None:
    pauses = [PAUSES.before(failures).total_seconds() for failures in (0, 1, 2, 8, 9)]

    assert pauses == [1, 2, 4, 256, 300]


@pytest.mark.parametrize(("length_s", "tries"), [(0, 1), (1, 2), (3, 3), (4, 4), (86_400, 297)])
def test_an_outage_is_waited_out_with_as_many_tries_as_its_pauses_need(
    length_s: int, tries: int
) -> None:
    assert tries_within(timedelta(seconds=length_s), PAUSES) == tries


async def test_the_log_tells_what_became_of_each_effect_and_what_a_guard_caught(
    platform: Platform,
    ledger: MemoryLedger,
    clock: ManualClock,
    logs: list[structlog.typing.EventDict],
) -> None:
    parts = SendingParts(platform=platform, ledger=ledger, clock=clock, owner="w")
    async with sending(Settings(), parts) as sender:
        await sender.take(head(), records("done", "refused", "there"))
        await comes_to(ledger, "key-there", "done")
        await sender.take(head("p2"), records("done"))

    told = [(line["event"], line.get("guard", ""), line["key"]) for line in logs]
    assert told == [
        ("effect_sent", "", "key-done"),
        ("effect_refused", "", "key-refused"),
        ("guard_caught", "ledger", "key-there"),
        ("effect_sent", "", "key-there"),
        ("guard_caught", "ledger", "key-done"),
    ]
    assert logs[1]["reason"].endswith("not here")
    assert logs[-1]["sent_for"] == "p1"


async def test_at_its_end_what_hangs_is_handed_back(
    platform: Platform, ledger: MemoryLedger, clock: ManualClock
) -> None:
    settings = Settings.model_validate({"worker": {"drain_s": 0}})
    parts = SendingParts(platform=platform, ledger=ledger, clock=clock, owner="w")
    async with sending(settings, parts) as sender:
        await sender.take(head(), records("hangs"))
        await comes_to(ledger, "key-hangs", "sending")

    handed_back = await comes_to(ledger, "key-hangs", "due")
    async with sending(settings, replace(parts, owner="w2")):
        done = await comes_to(ledger, "key-hangs", "done")

    assert handed_back.attempts == 1
    assert done.attempts == 2
