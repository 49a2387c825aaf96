"""The ledger of effects in memory; fits the port `Ledger`.

Nothing is awaited within a method, so each is one atomic step.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from reactor.adapters.ledger_lines import IntentLines, LedgerLines
from reactor.adapters.moments import micros
from reactor.codec import Codec
from reactor.ledger import (
    HEAD_START,
    SETTLED,
    Caps,
    Enrolled,
    Enrolment,
    Fate,
    FateState,
    GivenUp,
    Held,
    Intent,
    NotNow,
    Outcome,
    Ruled,
    Ruling,
    Sending,
    Sent,
    Turn,
    Waiting,
    asked_for_by_a_person,
)
from reactor.ports import Clock

NEWEST_FOR = timedelta(hours=1)  # how long the newest effect of a subject is remembered


@dataclass
class _Row:
    lines: IntentLines
    process_id: str
    sent: Sent
    state: FateState
    enrolled_at: datetime
    changed_at: datetime
    reason: str = ""
    result: str = ""
    due_at: datetime | None = None
    fence: int = 0
    attempts: int = 0
    failures: int = 0
    away: int = 0
    delayed: timedelta = timedelta(0)
    may_be_done: bool = False
    ruled: Ruled | None = None


@dataclass
class _Holder:
    owner: str = ""
    fence: int = 0
    until: datetime | None = None  # None: nobody has the turn


@dataclass
class _Counts:
    """What is counted of one repository."""

    by_event: Counter[str] = field(default_factory=Counter)
    by_day: Counter[str] = field(default_factory=Counter)
    by_subject: defaultdict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))

    def over(self, intent: Intent, caps: Caps, now: datetime) -> str:
        """Why one more is too many; "" where it is not, and then it is counted."""
        subject, day = intent.record.subject, f"{now:%Y%m%d}"
        recent = [at for at in self.by_subject[subject] if at > now - caps.window]
        self.by_subject[subject] = recent
        if self.by_event[intent.delivery] >= caps.per_event:
            return caps.over_event
        if len(recent) >= caps.per_subject:
            return caps.over_subject
        if self.by_day[day] >= caps.per_day:
            return caps.over_day
        self.by_event[intent.delivery] += 1
        self.by_day[day] += 1
        recent.append(now)
        return ""


class MemoryLedger:
    """Keeps everything, for as long as it is there."""

    def __init__(self, codec: Codec, clock: Clock) -> None:
        self._lines, self._clock = LedgerLines(codec), clock
        self._rows: dict[str, _Row] = {}
        self._queues: defaultdict[str, list[str]] = defaultdict(list)
        self._turns: defaultdict[str, _Holder] = defaultdict(_Holder)
        self._counts: defaultdict[str, _Counts] = defaultdict(_Counts)
        self._waiting: dict[str, int] = {}
        self._newest: dict[str, tuple[Sent, datetime]] = {}

    async def enrol(self, intents: Sequence[Intent], caps: Caps, *, now: datetime) -> Enrolment:
        """Each key once."""
        lines = [self._lines.write(intent) for intent in intents]
        found = tuple(self._enrol(*each, caps, now) for each in zip(intents, lines, strict=True))
        subject = intents[0].record.subject
        if not any(self._is_to_be_sent(enrolled.key) for enrolled in found):
            return Enrolment(found=found, waiting=None)
        since = now - HEAD_START if any(each.priority > 0 for each in intents) else now
        return Enrolment(found=found, waiting=self._wake(subject, since))

    def _wake(self, subject: str, since: datetime) -> Waiting:
        mark, known = micros(since), self._waiting.get(subject)
        self._waiting[subject] = mark if known is None or known > mark else known + 1
        return Waiting(subject, self._waiting[subject])

    def _enrol(self, intent: Intent, lines: IntentLines, caps: Caps, now: datetime) -> Enrolled:
        if known := self._rows.get(intent.key):
            return Enrolled(key=intent.key, verdict="repeated", process_id=known.process_id)
        subject = intent.record.subject
        reason = self._counts[subject.partition("#")[0]].over(intent, caps, now)
        is_held = intent.record.mode == "approve" and not reason
        opened: FateState = "held" if is_held else "intended"
        self._rows[intent.key] = _Row(
            lines=lines,
            process_id=intent.process_id,
            sent=Sent(intent.delivery, intent.depth),
            state="refused" if reason else opened,
            enrolled_at=now,
            changed_at=now,
            reason=reason,
        )
        if not reason and not is_held:
            self._queues[subject].append(intent.key)
        return Enrolled(
            key=intent.key,
            verdict="refused" if reason else "held" if is_held else "queued",
            process_id=intent.process_id,
            reason=reason,
        )

    def _is_to_be_sent(self, key: str) -> bool:
        state = self._rows[key].state
        return state != "held" and state not in SETTLED

    async def rule(self, subject: str, key: str, ruling: Ruling, *, now: datetime) -> Ruled | None:
        """Once; then it is only told."""
        row = self._rows.get(key)
        if row is None or (row.state != "held" and row.ruled is None):
            return None
        if row.ruled is None:
            row.ruled = Ruled(is_approved=ruling.is_approved, by=ruling.by, at=now)
            row.changed_at = now
            row.state, row.reason = (
                ("intended", "") if ruling.is_approved else ("refused", ruling.reason)
            )
            if ruling.is_approved:
                self._queues[subject].append(key)
        is_waiting = self._is_to_be_sent(key)
        since = now - HEAD_START
        return replace(row.ruled, waiting=self._wake(subject, since) if is_waiting else None)

    async def held(self, *, until: datetime, limit: int) -> list[Held]:
        """From their rows."""
        rows = [row for row in self._rows.values() if row.state == "held"]
        old = sorted(
            (row for row in rows if row.changed_at <= until), key=lambda row: row.changed_at
        )
        return [
            Held(intent=self._lines.read(row.lines), since=row.changed_at) for row in old[:limit]
        ]

    async def begin(
        self, subject: str, *, owner: str, lease: timedelta, now: datetime
    ) -> Sending | NotNow:
        """The first one in the queue."""
        holder, server_now = self._turns[subject], self._clock.now()
        if holder.until and holder.until > server_now and holder.owner != owner:
            return NotNow("held", now + (holder.until - server_now))
        if not self._queues[subject]:
            return NotNow("empty")
        row = self._rows[self._queues[subject][0]]
        if row.state == "due" and row.due_at and row.due_at > now:
            return NotNow("later", row.due_at)
        if row.state == "sending":  # whoever began it was cut off
            row.failures += 1
            row.may_be_done = True
        holder.owner, holder.fence, holder.until = owner, holder.fence + 1, server_now + lease
        row.state, row.fence, row.changed_at = "sending", holder.fence, now
        row.attempts += 1
        self._newest[subject] = row.sent, server_now
        intent = self._lines.read(row.lines)
        is_approved = row.ruled is not None and row.ruled.is_approved
        return Sending(
            turn=Turn(subject, owner, holder.fence),
            intent=asked_for_by_a_person(intent) if is_approved else intent,
            number=row.attempts,
            failures=row.failures,
            may_be_done=row.may_be_done,
            away=row.away,
            delayed=row.delayed,
            is_approved=is_approved,
        )

    async def renew(self, turn: Turn, *, lease: timedelta) -> bool:
        """As long as nobody took it."""
        holder = self._turns[turn.subject]
        if holder.fence != turn.fence or holder.until is None:
            return False
        holder.until = self._clock.now() + lease
        return True

    async def finish(self, sending: Sending, outcome: Outcome, *, now: datetime) -> bool:
        """Only under the newest fence; what is repeated stays."""
        subject, key = sending.turn.subject, sending.intent.key
        row, holder = self._rows[key], self._turns[subject]
        if row.fence != sending.turn.fence:
            return False
        if row.state != "sending":
            return row.state == outcome.state
        row.state, row.changed_at = outcome.state, now
        row.result, row.reason, row.due_at = outcome.result, outcome.reason, outcome.due_at
        row.failures += outcome.failed
        row.away += outcome.away
        row.delayed += outcome.delayed
        row.may_be_done |= outcome.may_be_done
        if outcome.state != "due":
            self._queues[subject].remove(key)
        holder.until = None
        return True

    async def given_up(self, *, limit: int) -> list[GivenUp]:
        """From their rows."""
        rows = [row for row in self._rows.values() if row.state == "given_up"]
        rows.sort(key=lambda row: row.changed_at, reverse=True)
        return [
            GivenUp(
                intent=self._lines.read(row.lines),
                at=row.changed_at,
                attempts=row.attempts,
                reason=row.reason,
            )
            for row in rows[:limit]
        ]

    async def given_up_count(self) -> int:
        """Of their rows."""
        return sum(row.state == "given_up" for row in self._rows.values())

    async def retry(self, given_up: GivenUp, *, now: datetime) -> bool:
        """Once."""
        key, subject = given_up.intent.key, given_up.intent.record.subject
        row = self._rows.get(key)
        if row is None or row.state != "given_up":
            return False
        row.state, row.due_at, row.changed_at = "due", now, now
        row.failures = row.away = 0
        row.fence = 0  # of earlier tries nothing counts any more
        row.delayed = timedelta(0)
        self._queues[subject].append(key)
        self._wake(subject, now)
        return True

    async def waiting(self, *, now: datetime, limit: int) -> list[Waiting]:
        """In the order of their marks."""
        due = [(mark, subject) for subject, mark in self._waiting.items() if mark <= micros(now)]
        return [Waiting(subject, mark) for mark, subject in sorted(due)[:limit]]

    async def put_off(self, waiting: Waiting, until: datetime | None) -> None:
        """If it is what was seen, or to an earlier moment."""
        mark = self._waiting.get(waiting.subject)
        if mark is None:
            return
        if until is None:
            if mark == waiting.mark:
                del self._waiting[waiting.subject]
        elif mark == waiting.mark or mark > micros(until):
            self._waiting[waiting.subject] = micros(until)

    async def subjects_waiting(self) -> int:
        """Those of the index."""
        return len(self._waiting)

    async def fates(self, subject: str, keys: Collection[str]) -> Mapping[str, Fate]:
        """From their rows."""
        return dict(self._fates(keys))

    def _fates(self, keys: Collection[str]) -> Iterator[tuple[str, Fate]]:
        for key in keys:
            if row := self._rows.get(key):
                yield (
                    key,
                    Fate(
                        key=key,
                        state=row.state,
                        process_id=row.process_id,
                        attempts=row.attempts,
                        enrolled_at=row.enrolled_at,
                        changed_at=row.changed_at,
                        due_at=row.due_at,
                        result=row.result,
                        reason=row.reason,
                        ruled_by=row.ruled.by if row.ruled else "",
                        ruled_at=row.ruled.at if row.ruled else None,
                    ),
                )

    async def newest_sent(self, subject: str) -> Sent | None:
        """For an hour."""
        sent, at = self._newest.get(subject, (None, self._clock.now()))
        return sent if self._clock.now() - at < NEWEST_FOR else None
