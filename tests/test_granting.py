"""What narrows an effect counts where it lands, and again when it is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor import Effect, Package, Platform, action, component, executes
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.codec import Codec
from reactor.effect import EffectRecord, Mode
from reactor.errors import InfrastructureError
from reactor.execution import Executor
from reactor.explain import told_process
from reactor.github.facts import FACT_TYPES
from reactor.github.models import Issue
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.granting import OURS, PROMPTS, Granting
from reactor.ledger import Caps, Fate, Intent, NotNow, Ruling, Sending, Turn
from reactor.permissions import RepositoryRef
from reactor.policy import SEVERITY, Decision, Grants, Narrowing, Wish, judge
from reactor.reaction import Reaction
from reactor.repository_rules import RepositoryRules
from reactor.runner import Runner
from reactor.scope import Scope
from reactor.sending import Sender
from reactor.sentences import fate_notes
from reactor.status import ProcessHead, Status
from reactor.steering import resuming
from reactor.testing import delivery, issue
from reactor.trying import Tries
from reactor.withholding import Withholding
from reactor.worker import Listener, Worker

PLENTY = Caps(per_event=99, per_day=99, per_subject=99, window=timedelta(minutes=10))
FILE = ".github/reactor.yml"


class Label(Effect):
    label: str


class Close(Effect): ...


@component(effects=(Label, Close))
class Notes:
    def __init__(self) -> None:
        self.made: list[str] = []

    @action(value=0.9)
    async def label(self, issue: Issue) -> Label:
        """Name it a bug."""
        return Label(label="bug")

    @action(value=0.5)
    async def close(self, issue: Issue) -> Close:
        """Close it."""
        return Close()

    @executes
    async def send_label(self, effect: Label) -> None:
        """Note it."""
        self.made.append(effect.kind)

    @executes
    async def send_close(self, effect: Close) -> None:
        """Note it."""
        self.made.append(effect.kind)


@dataclass
class Rules:
    """Fits `RulesOfRepositories`: one repository, whose owner changes their mind."""

    now: RepositoryRules = field(default_factory=lambda: rules())
    asked: list[RepositoryRef] = field(default_factory=list)
    is_away: bool = False

    async def of(self, repository: RepositoryRef) -> RepositoryRules:
        if self.is_away:
            raise InfrastructureError("redis", "it is away")
        self.asked.append(repository)
        return self.now


def rules(version: str = "", **fields: Any) -> RepositoryRules:
    return RepositoryRules(whole=Narrowing(source=FILE, **fields), version=version)


def unknown_rules() -> RepositoryRules:
    return replace(rules(mode="observe"), unknown="octo/hello: away")


class World:
    """A worker whose one reaction wants a label and a close, and what sends them when told to."""

    def __init__(self, mode: Mode = "live", grants: Grants | None = None) -> None:
        self.notes, self.clock, self.rules = Notes(), ManualClock(), Rules()
        granting = Granting(grants=grants or Grants(), rules=self.rules)
        package = Package(name="notes", components=(self.notes,))
        self.platform = Platform(packages=[package], types=FACT_TYPES)
        codec = Codec(self.platform.catalog)
        self.boards = MemoryBoards(codec, self.clock)
        self.ledger = MemoryLedger(codec, self.clock)
        self.sender = Sender(
            ledger=self.ledger,
            tries=Tries(
                platform=self.platform,
                executor=Executor(),
                now=self.clock.now,
                monotonic_s=self.clock.monotonic_s,
                pause=lambda failures: timedelta(seconds=1),
                withholding=Withholding(granting=granting, platform=self.platform),
            ),
            caps=PLENTY,
            clock=self.clock,
            owner="w",
        )
        reaction = Reaction(name="tidy", on=("issues",), effects=mode, terminate_when_stuck=True)
        self.worker = Worker(
            listeners=[Listener(reaction=reaction, scope=Scope.platform(), when=None)],
            reader=GitHubReader(OwnIdentity()),
            runner=Runner(
                platform=self.platform,
                boards=self.boards,
                clock=self.clock,
                owner="w",
                granting=granting,
            ),
            boards=self.boards,
            journal=MemoryJournalLog(),
            outlet=self.sender,
        )

    async def heads(self) -> Sequence[ProcessHead]:
        """Of what an opened issue starts."""
        opened = delivery("issues.opened", issue=issue("It crashes"))
        return (await self.worker.settle(opened)).heads

    async def settle(self) -> Mapping[str, EffectRecord]:
        """What is recorded of an opened issue, by kind of effect."""
        (head,) = await self.heads()
        stored = await self.boards.read(head.id)
        assert stored is not None
        return {record.effect.kind: record for record in stored.effects}

    async def send_all(self) -> list[str]:
        """Everything that can be sent now; what was made so far."""
        self.clock.move(timedelta(seconds=1))
        lease = timedelta(seconds=30)
        for waiting in await self.ledger.waiting(now=self.clock.now(), limit=99):
            while not isinstance(
                found := await self.ledger.begin(
                    waiting.subject, owner="w", lease=lease, now=self.clock.now()
                ),
                NotNow,
            ):
                tried = await self.sender.tries.make(found)
                await self.ledger.finish(found, tried.outcome, now=self.clock.now())
        return self.notes.made

    async def explained(self) -> list[dict[str, Any]]:
        """The effects of its process, as people are told of them."""
        (process,) = await self.boards.started_by("github.com/d-1")
        stored, records = await self.boards.read(process), await self.boards.journal(process)
        assert stored is not None
        keys = [record.key for record in stored.effects]
        fates = await self.ledger.fates(stored.head.subject, keys)
        return told_process(stored, records, fates)["effects"]

    async def fate(self, record: EffectRecord) -> Fate:
        return (await self.ledger.fates(record.subject, [record.key]))[record.key]


# Where it lands ----------------------------------------------------------------------------------


async def test_what_a_component_is_not_allowed_is_refused_by_name_and_the_rest_is_sent() -> None:
    grants = Grants(
        components={"notes": Narrowing(source="components.notes", kinds=frozenset({"Label"}))}
    )
    world = World(grants=grants)

    found = await world.settle()

    assert (found["Label"].state, found["Label"].mode, found["Label"].reason) == (
        "intended",
        "live",
        "",
    )
    assert (found["Close"].state, found["Close"].reason) == (
        "refused",
        "components.notes does not allow Close",
    )
    assert await world.send_all() == ["Label"]


async def test_what_its_repository_only_observes_is_recorded_with_the_reason() -> None:
    world = World()
    world.rules.now = rules(mode="observe")

    found = await world.settle()

    assert (found["Label"].state, found["Label"].mode) == ("observed", "observe")
    assert found["Label"].reason == f"{FILE} says observe"
    assert await world.send_all() == []


async def test_what_its_repository_wants_approved_is_held() -> None:
    world = World()
    world.rules.now = rules(mode="approve")

    found = await world.settle()

    assert (found["Label"].state, found["Label"].mode) == ("intended", "approve")
    assert (await world.fate(found["Label"])).state == "held"
    assert await world.send_all() == []
    (explained, _) = await world.explained()
    assert fate_notes(explained).startswith(f"{FILE} says approve; `reactor approve ")


async def test_journal_and_explanation_tell_why_and_by_which_version_of_the_file() -> None:
    world = World()
    world.rules.now = rules("blob-1", kinds=frozenset({"Label"}))
    found = await world.settle()

    (process,) = await world.boards.started_by("github.com/d-1")
    records = await world.boards.journal(process)

    effects = [each for r in records if r.kind == "tick" for each in r.data["effects"]]  # type: ignore[attr-defined]
    told = {each["kind"]: (each["state"], each.get("reason"), each["rules"]) for each in effects}
    assert told == {
        "Label": ("intended", None, "blob-1"),
        "Close": ("refused", f"{FILE} does not allow Close", "blob-1"),
    }
    explained = {each["kind"]: each for each in await world.explained()}
    assert explained["Close"]["state"] == "refused"
    assert fate_notes(explained["Close"]) == f"{FILE} does not allow Close"
    assert found["Close"].rules == "blob-1"


async def test_what_a_reaction_only_observes_asks_no_repository_and_needs_no_reason() -> None:
    world = World("observe")

    found = await world.settle()

    assert (found["Label"].state, found["Label"].reason) == ("observed", "")
    assert world.rules.asked == []


async def test_a_repository_is_asked_once_for_a_process_by_host_number_and_name() -> None:
    world = World()

    await world.settle()

    assert world.rules.asked == [RepositoryRef(host="github.com", id=1296269, name="octo/hello")]


async def test_while_nobody_can_say_what_is_allowed_no_process_begins() -> None:
    world = World()
    world.rules.is_away = True

    with pytest.raises(InfrastructureError):
        await world.settle()

    assert await world.boards.started_by("github.com/d-1") == []
    world.rules.is_away = False
    assert (await world.settle())["Label"].state == "intended"


async def test_what_a_repository_of_an_absent_host_may_say_is_waited_for_by_its_process_alone() -> (
    None
):
    world = World()
    known, world.rules.now = world.rules.now, unknown_rules()

    (head,) = await world.heads()
    assert head.status is Status.STUCK
    assert "octo/hello: away" in head.failure
    assert await world.ledger.waiting(now=world.clock.now(), limit=9) == []

    world.rules.now = known
    (listener,) = world.worker.listeners
    await world.worker.run(replace(listener.ready(resuming(head)), wake=True))
    assert await world.send_all() == ["Label", "Close"]


async def test_an_effect_waits_too_where_its_repository_became_unknown() -> None:
    world = World()
    found = await world.settle()
    known, world.rules.now = world.rules.now, unknown_rules()

    made = list(await world.send_all())

    waits = await world.fate(found["Label"])
    world.rules.now = known
    world.clock.move(timedelta(minutes=10))
    assert (made, waits.state) == ([], "due")
    assert await world.send_all() == ["Label", "Close"]


async def test_while_nobody_can_say_what_is_allowed_an_effect_waits() -> None:
    world = World()
    found = await world.settle()
    world.rules.is_away = True

    made = list(await world.send_all())

    waits = await world.fate(found["Label"])
    world.rules.is_away = False
    world.clock.move(timedelta(minutes=10))
    assert (made, waits.state) == ([], "due")
    assert await world.send_all() == ["Label", "Close"]


# When it is sent ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by_then", "reason"),
    [
        (rules(mode="observe"), f"{FILE} says observe"),
        (rules(kinds=frozenset({"Close"})), f"{FILE} does not allow Label"),
        (rules(labels=frozenset({"area/*"})), f"{FILE} does not allow the label bug"),
        (rules(muted=frozenset({"notes"})), f"{FILE} mutes notes"),
    ],
    ids=["observe", "kind", "label", "muted"],
)
async def test_what_is_not_allowed_any_more_when_it_is_sent_is_refused(
    by_then: RepositoryRules, reason: str
) -> None:
    world = World()
    found = await world.settle()
    world.rules.now = by_then

    made = await world.send_all()

    assert "Label" not in made
    fate = await world.fate(found["Label"])
    assert (fate.state, fate.reason) == ("refused", reason)


async def test_what_needs_approval_by_then_is_held_and_sent_once_a_person_has_approved_it() -> None:
    world = World()
    found = await world.settle()
    world.rules.now = rules(mode="approve")

    before = list(await world.send_all())
    label = found["Label"]
    held = await world.fate(label)
    ruling = Ruling(is_approved=True, by="ann")
    await world.ledger.rule(label.subject, label.key, ruling, now=world.clock.now())
    after = await world.send_all()

    assert (before, held.state, held.reason) == ([], "held", f"{FILE} says approve")
    assert after == ["Label"]


async def test_a_person_who_approves_does_not_allow_what_is_refused() -> None:
    world = World("approve")
    label = (await world.settle())["Label"]
    world.rules.now = rules(kinds=frozenset())

    ruling = Ruling(is_approved=True, by="ann")
    await world.ledger.rule(label.subject, label.key, ruling, now=world.clock.now())

    assert await world.send_all() == []
    assert (await world.fate(label)).state == "refused"


async def test_where_an_earlier_try_may_have_made_it_the_refusal_says_so() -> None:
    world = World()
    world.rules.now = rules(kinds=frozenset())
    sending = replace(_sending(Label(label="bug")), may_be_done=True)

    tried = await world.sender.tries.make(sending)

    assert tried.outcome.state == "refused"
    assert "an earlier try may have made the change" in tried.outcome.reason


@pytest.mark.parametrize("package", sorted(OURS))
async def test_what_we_tell_people_ourselves_is_never_held_but_can_be_refused(
    package: str,
) -> None:
    world = World()
    sending = _sending(Label(label="bug"), package=package)

    world.rules.now = rules(mode="approve")
    sent = await world.sender.tries.make(sending)
    world.rules.now = rules(kinds=frozenset())
    refused = await world.sender.tries.make(sending)

    assert (sent.outcome.state, refused.outcome.state) == ("done", "refused")


async def test_what_tells_people_what_waits_needs_no_kind_in_the_settings() -> None:
    narrowing = Narrowing(source="repositories.*", kinds=frozenset())
    world = World(grants=Grants(repositories={"*": narrowing}))

    told = await world.sender.tries.make(_sending(Label(label="bug"), package=PROMPTS))

    assert told.outcome.state == "done"


async def test_an_effect_that_an_earlier_version_recorded_is_judged_as_its_actions_package() -> (
    None
):
    grants = Grants(components={"notes": Narrowing(source="components.notes", kinds=frozenset())})
    world = World(grants=grants)

    tried = await world.sender.tries.make(_sending(Label(label="bug"), package=""))

    assert tried.outcome.reason == "components.notes does not allow Label"


# All of it together ------------------------------------------------------------------------------

NARROWINGS = st.builds(
    Narrowing,
    source=st.just("somebody"),
    mode=st.sampled_from(["live", "approve", "observe"]),
    kinds=st.none() | st.frozensets(st.sampled_from(["Label", "Close"])),
    labels=st.none() | st.frozensets(st.sampled_from(["bug", "b*", "area/*"])),
    muted=st.frozensets(st.sampled_from(["notes", "other"])),
)
BECAME: Mapping[tuple[str, Mode], Decision] = {
    ("intended", "live"): "allow",
    ("intended", "approve"): "hold",
    ("observed", "observe"): "observe",
}


@given(
    mode=st.sampled_from(["live", "approve", "observe"]),
    component=NARROWINGS,
    repository=NARROWINGS,
    file=NARROWINGS,
)
async def test_no_source_is_ever_overruled_where_an_effect_lands_or_is_sent(
    mode: Mode, component: Narrowing, repository: Narrowing, file: Narrowing
) -> None:
    grants = Grants(components={"notes": component}, repositories={"github.com/octo/*": repository})
    world = World(mode, grants)
    world.rules.now = RepositoryRules(whole=file)
    sources = [Narrowing(source="the reaction", mode=mode), component, repository]
    sources += [file] if mode != "observe" else []

    found = await world.settle()
    made = await world.send_all()

    for kind, record in found.items():
        wish = Wish(effect=record.effect, component="notes")
        strictest = max(
            (judge(wish, [each]).decision for each in sources), key=SEVERITY.__getitem__
        )
        became = BECAME.get((record.state, record.mode), record.state)
        assert became == ("refused" if strictest == "refuse" else strictest)
        assert (kind in made) == (strictest == "allow")


def _sending(effect: Effect, package: str = "notes") -> Sending:
    record = EffectRecord(
        key="k1",
        effect=effect,
        subject="github.com/1#7",
        action="notes.label",
        mode="live",
        state="intended",
        package=package,
    )
    intent = Intent(
        record=record,
        process_id="p1",
        delivery="github.com/d-1",
        host="github.com",
        subject_name="octo/hello#7",
        cause="c",
    )
    turn = Turn(record.subject, "w", 1)
    return Sending(turn=turn, intent=intent, number=1, failures=0, may_be_done=False)
