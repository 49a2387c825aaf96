"""Who asks for what is refused only when it is sent is told so, in place of a +1."""

from dataclasses import replace
from datetime import timedelta

import pytest

from reactor import EffectRefused
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.catalog import TypeCatalog
from reactor.codec import Codec, UnreadableLine
from reactor.command_desk import DESK
from reactor.effect import Effect, EffectRecord
from reactor.github import Assign, Close, PostComment, React
from reactor.github.effects import EFFECT_TYPES
from reactor.late_refusals import LateRefusals
from reactor.ledger import Caps, Intent, NotNow, Outcome
from reactor.ports import Stored
from reactor.status import ProcessHead

SUBJECT = "github.com/1#7"
LEASE = timedelta(seconds=30)
PLENTY = Caps(per_event=99, per_day=99, per_subject=99, window=timedelta(days=1))
ASSIGN, CLOSE = Assign(logins=("nobody",)), Close()
DONE = React(content="+1", comment_id=6)

DID = Outcome(state="done")
REFUSED = Outcome(state="refused", reason="nobody can't be assigned")
GIVEN_UP = Outcome(state="given_up", reason="it failed 10 times")
HELD = Outcome(state="held", reason="octo/hello says approve")


def wish(effect: Effect, *, package: str = "commands", state: str = "live") -> EffectRecord:
    return EffectRecord(
        key=f"{effect.kind}-{effect.content_digest[:8]}",
        effect=effect,
        subject=SUBJECT,
        action=f"{package}.act",
        mode="live" if state == "live" else "approve",
        state="refused" if state == "refused" else "intended",
        package=package,
    )


ANSWER = wish(DONE, package=DESK)


class Site:
    """A process of commands that has ended, and the queue of what it wants."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.ledger = MemoryLedger(Codec(TypeCatalog(EFFECT_TYPES)), self.clock)
        self.stored: dict[str, Stored | UnreadableLine] = {}
        self.late = LateRefusals(
            reads=self._read, ledger=self.ledger, caps=PLENTY, now=self.clock.now
        )

    async def _read(self, process_id: str) -> Stored | None:
        found = self.stored.get(process_id)
        if isinstance(found, UnreadableLine):
            raise found
        return found

    async def ended(self, *wanted: EffectRecord, child: tuple[EffectRecord, ...] = ()) -> None:
        """All that is to be sent is in the queue, the answer behind it."""
        self._keep("p1", *wanted, ANSWER, children=("p2",) if child else ())
        if child:
            self._keep("p2", *child, parent="p1")
        records = [each for each in (*child, *wanted, ANSWER) if each.state == "intended"]
        intents = [replace(answer(), record=record) for record in records]
        await self.ledger.enrol(intents, PLENTY, now=self.clock.now())

    def _keep(
        self, id: str, *effects: EffectRecord, parent: str = "", children: tuple[str, ...] = ()
    ) -> None:
        now = self.clock.now()
        head = ProcessHead(
            id=id,
            delivery="github.com/d-1",
            reaction="commands",
            subject=SUBJECT,
            agent="reactor",
            planner="utility",
            created_at=now,
            updated_at=now,
            parent_id=parent or None,
            children=children,
        )
        self.stored[id] = Stored(
            head=head, changes=(), history=(), effects=effects, journal_seq=0, commits=1
        )

    async def sent(self, outcome: Outcome) -> None:
        """Something came of what is first in the queue."""
        sending = await self.ledger.begin(SUBJECT, owner="w", lease=LEASE, now=self.clock.now())
        assert not isinstance(sending, NotNow)
        await self.ledger.finish(sending, outcome, now=self.clock.now())

    async def told(self) -> list[Effect]:
        """What is in the queue behind the answer."""
        found: list[Effect] = []
        while True:
            sending = await self.ledger.begin(SUBJECT, owner="w", lease=LEASE, now=self.clock.now())
            if isinstance(sending, NotNow):
                return found[1:]
            await self.ledger.finish(sending, DID, now=self.clock.now())
            found.append(sending.intent.record.effect)


def answer() -> Intent:
    return Intent(
        record=ANSWER,
        process_id="p1",
        delivery="github.com/d-1",
        host="github.com",
        subject_name="octo/hello#7",
        cause="c1",
        priority=1,
    )


@pytest.fixture
def site() -> Site:
    return Site()


async def test_where_all_was_done_that_is_said(site: Site) -> None:
    await site.ended(wish(ASSIGN), wish(CLOSE))
    await site.sent(DID)
    await site.sent(DID)

    await site.late.look_at(answer())

    assert await site.told() == []


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (REFUSED, [React(content="-1", comment_id=6), "assign nobody: nobody can't be assigned"]),
        (GIVEN_UP, [React(content="-1", comment_id=6), "assign nobody: it failed 10 times"]),
        (HELD, ["assign nobody: waits for approval"]),
    ],
)
async def test_where_nothing_was_done_the_reason_is_told_in_its_place(
    site: Site, outcome: Outcome, told: list[React | str]
) -> None:
    await site.ended(wish(ASSIGN))
    await site.sent(outcome)

    with pytest.raises(EffectRefused):
        await site.late.look_at(answer())

    assert await site.told() == [
        PostComment(body=f"- `{each}`") if isinstance(each, str) else each for each in told
    ]


async def test_where_some_of_it_was_done_both_are_said(site: Site) -> None:
    await site.ended(wish(ASSIGN), wish(CLOSE))
    await site.sent(REFUSED)
    await site.sent(DID)

    await site.late.look_at(answer())

    minus, comment = await site.told()
    assert minus == React(content="-1", comment_id=6)
    assert isinstance(comment, PostComment)
    assert "close" not in comment.body


async def test_tried_again_it_is_told_once(site: Site) -> None:
    await site.ended(wish(ASSIGN))
    await site.sent(REFUSED)

    for _ in range(2):
        with pytest.raises(EffectRefused):
            await site.late.look_at(answer())

    assert len(await site.told()) == 2


async def test_what_was_refused_or_held_at_once_is_not_told_again(site: Site) -> None:
    at_once = wish(PostComment(body="Hi."), state="refused")
    await site.ended(wish(CLOSE), wish(ASSIGN, state="approve"), at_once)
    await site.sent(DID)

    await site.late.look_at(answer())

    assert await site.told() == []


async def test_of_what_an_agent_wanted_only_the_kind_is_told(site: Site) -> None:
    await site.ended(child=(wish(PostComment(body="Click here!")),))
    await site.sent(REFUSED)

    with pytest.raises(EffectRefused):
        await site.late.look_at(answer())

    assert (await site.told())[1:] == [
        PostComment(body="- `PostComment: nobody can't be assigned`")
    ]


@pytest.mark.parametrize(
    "effect", [React(content="eyes", comment_id=6), PostComment(body="- `no`"), CLOSE]
)
async def test_nothing_else_is_looked_at(site: Site, effect: Effect) -> None:
    await site.ended(wish(ASSIGN))
    await site.sent(REFUSED)

    await site.late.look_at(replace(answer(), record=wish(effect, package=DESK)))
    await site.late.look_at(replace(answer(), record=wish(DONE, package="team")))

    assert await site.told() == []


@pytest.mark.parametrize("left", [None, UnreadableLine("effect", "{")])
async def test_a_process_that_cant_be_read_any_more_holds_up_no_answer(
    site: Site, left: UnreadableLine | None
) -> None:
    await site.ended(wish(ASSIGN))
    await site.sent(REFUSED)
    site.stored = {"p1": left} if left else {}

    await site.late.look_at(answer())

    assert await site.told() == []
