"""Everything that is kept, in memory: for tests, for dry runs, for one event without a server.

Boards keep encoded lines, as Redis does, so that a value that could not be stored fails here
too, and what is read is never the very object that was written.  Nothing is awaited within a
method, so each is one atomic step.  `is_down` plays a server that does not answer.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count, islice

from reactor.adapters import process_lines
from reactor.adapters.process_lines import ProcessLines
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.journal import JournalRecord
from reactor.ports import (
    Claim,
    Clock,
    Commit,
    Lease,
    LeaseHeld,
    LeaseLost,
    Opened,
    Place,
    Recent,
    Stored,
)
from reactor.topic import DeadLetter, Position, Topics
from reactor.waiting import Wish


@dataclass
class _Holder:
    owner: str  # "" once it was given back
    fence: int
    lease: timedelta
    until: datetime


class MemoryBoards:
    """Processes and their blackboards; fits the port `Boards`."""

    def __init__(self, codec: Codec, clock: Clock) -> None:
        self._codec, self._clock = codec, clock
        self._processes: dict[str, ProcessLines] = {}
        self._holders: dict[str, _Holder] = {}
        self._wishes: dict[str, Wish] = {}
        self._opens: Counter[str] = Counter()
        self._openers: dict[str, str] = {}
        self.session = "1"  # another one plays a worker that was started anew
        self._started: dict[str, dict[str, None]] = {}  # a dict keeps order and drops repeats

    async def open(self, process_id: str, *, delivery: str, owner: str, lease: timedelta) -> Opened:
        """Take the lease, and load the process."""
        self._started.setdefault(delivery, {})[process_id] = None
        now = self._clock.now()
        held = self._holders.get(process_id)
        if held and held.owner != owner and held.until > now:
            raise LeaseHeld(process_id, held.owner, (held.until - now).total_seconds())
        fence = held.fence + 1 if held else 1
        self._holders[process_id] = _Holder(owner, fence, lease, now + lease)
        stored, wish = await self.read(process_id), self._wishes.get(process_id)
        self._opens[process_id] += self._openers.get(process_id) != self.session
        self._openers[process_id] = self.session
        opens = self._opens[process_id]
        return Opened(Lease(process_id, owner, fence), stored, wish, opens)

    async def commit(self, lease: Lease, commit: Commit) -> Wish | None:
        """Keep all of it, or nothing."""
        added = process_lines.write(self._codec, commit)
        holder = self._holders.get(lease.process_id)
        if not holder or (holder.owner, holder.fence) != (lease.owner, lease.fence):
            raise LeaseLost(lease.process_id)
        kept = self._processes.get(lease.process_id)
        self._processes[lease.process_id] = _joined(kept, added) if kept else added
        holder.until = self._clock.now() + holder.lease
        if commit.is_last or commit.changes or commit.history or commit.effects or commit.journal:
            self._opens[lease.process_id], self._openers[lease.process_id] = 0, ""
        if commit.is_last:
            holder.owner, holder.until = "", self._clock.now()
        return self._wishes.get(lease.process_id)

    async def wish(self, process_id: str, wish: Wish) -> bool:
        """The newest one counts."""
        is_there = process_id in self._holders
        if is_there:
            self._wishes[process_id] = wish
        return is_there

    async def release(self, lease: Lease) -> None:
        """Let the next one in at once."""
        holder = self._holders.get(lease.process_id)
        if holder and (holder.owner, holder.fence) == (lease.owner, lease.fence):
            self._opens[lease.process_id] -= self._openers[lease.process_id] != ""
            self._openers[lease.process_id] = ""
            holder.owner, holder.until = "", self._clock.now()

    async def read(self, process_id: str) -> Stored | None:
        """The process, read from its lines."""
        kept = self._processes.get(process_id)
        return process_lines.read(self._codec, kept) if kept else None

    async def journal(self, process_id: str, *, unsent_only: bool = False) -> list[JournalRecord]:
        """The decision records, in order."""
        kept = self._processes.get(process_id)
        records = map(self._codec.decode_record, kept.journal if kept else ())
        after = kept.sent_seq if kept and unsent_only else 0
        return [record for record in records if record.seq > after]

    async def mark_sent(self, up_to: Mapping[str, int]) -> None:
        """Never backwards."""
        for process_id in up_to.keys() & self._processes.keys():
            kept = self._processes[process_id]
            sent_seq = max(kept.sent_seq, up_to[process_id])
            self._processes[process_id] = replace(kept, sent_seq=sent_seq)

    async def started_by(self, delivery: str) -> list[str]:
        """Process ids, oldest first."""
        return list(self._started.get(delivery, ()))

    async def recent(self, *, limit: int, before: Place | None = None) -> list[Recent]:
        """All that there are, in their order."""
        heads = {key: self._codec.decode_head(kept.head) for key, kept in self._processes.items()}
        found = [Recent(Place(head.updated_at, key), head) for key, head in heads.items()]
        found.sort(key=lambda recent: recent.place, reverse=True)
        return list(islice((r for r in found if before is None or r.place < before), limit))

    async def latest(self, subject: str, *, limit: int) -> list[str]:
        """From the heads."""
        every = await self.recent(limit=len(self._processes))
        heads = [each.head for each in every if each.head.subject == subject]
        return [head.id for head in heads if head.parent_id is None][:limit]


def _joined(kept: ProcessLines, added: ProcessLines) -> ProcessLines:
    return ProcessLines(
        head=added.head,
        changes=kept.changes + added.changes,
        history=kept.history + added.history,
        effects=kept.effects + added.effects,
        journal=kept.journal + added.journal,
        journal_seq=added.journal_seq or kept.journal_seq,
        sent_seq=kept.sent_seq,
        commits=kept.commits + 1,
    )


@dataclass(frozen=True)
class _Claimed:
    digest: str
    until: datetime
    token: str = ""  # while it is pending
    position: Position | None = None
    is_kept: bool = False  # it is durable, on the topic or elsewhere


class MemoryClaims:
    """Which delivery ids were seen; fits the port `Claims`."""

    def __init__(
        self,
        clock: Clock,
        *,
        pending: timedelta = timedelta(seconds=60),
        keep: timedelta = timedelta(days=28),
    ) -> None:
        self.is_down = False
        self._clock, self._pending, self._keep = clock, pending, keep
        self._claimed: dict[str, _Claimed] = {}
        self._first_with: dict[str, str] = {}  # digest -> the delivery that first had it
        self._tokens = map(str, count(1))

    async def claim(self, delivery: str, *, digest: str) -> Claim:
        """Claim the id."""
        _answer("redis", self.is_down)
        known = self._known(delivery)
        if known and known.digest != digest:
            return Claim("conflict")
        replayed = self._first_with.setdefault(digest, delivery) != delivery
        if known is None:
            token = next(self._tokens)
            self._claimed[delivery] = _Claimed(digest, self._clock.now() + self._pending, token)
            return Claim("new", replayed=replayed, token=token)
        status = "produced" if known.position else "kept" if known.is_kept else "pending"
        return Claim(status, known.position, replayed)

    async def kept(self, delivery: str, *, digest: str) -> None:
        """Keep the claim, or make it, without a position."""
        _answer("redis", self.is_down)
        known = self._known(delivery)
        if known and known.is_kept:
            return
        until = self._clock.now() + self._keep
        self._claimed[delivery] = _Claimed(digest, until, is_kept=True)

    async def produced(self, delivery: str, position: Position, *, digest: str) -> None:
        """Keep the claim, or make it."""
        _answer("redis", self.is_down)
        known = self._known(delivery)
        if known and known.is_kept and known.digest != digest:
            return
        until = self._clock.now() + self._keep
        self._claimed[delivery] = _Claimed(digest, until, position=position, is_kept=True)

    async def release(self, delivery: str, token: str) -> None:
        """Forget our pending claim."""
        _answer("redis", self.is_down)
        known = self._known(delivery)
        if known and not known.is_kept and known.token == token:
            del self._claimed[delivery]
            if self._first_with.get(known.digest) == delivery:
                del self._first_with[known.digest]

    async def position(self, delivery: str) -> Position | None:
        """Where it was written."""
        _answer("redis", self.is_down)
        known = self._known(delivery)
        return known.position if known else None

    async def is_kept(self, delivery: str) -> bool:
        """Without a position."""
        _answer("redis", self.is_down)
        known = self._known(delivery)
        return bool(known and known.is_kept and known.position is None)

    def _known(self, delivery: str) -> _Claimed | None:
        known = self._claimed.get(delivery)
        return known if known and known.until > self._clock.now() else None


class MemoryFirsts:
    """Who saw what first; fits the port `Firsts`."""

    def __init__(self) -> None:
        self._claimed: dict[tuple[str, str], str] = {}

    async def claim_new(self, entity: str, *, purpose: str, process_id: str) -> bool:
        """True for the process that was first, always."""
        return self._claimed.setdefault((entity, purpose), process_id) == process_id


class MemoryDeliveryLog:
    """Accepted deliveries in the order of arrival; fits the port `DeliveryLog`."""

    def __init__(self, topics: Topics = Topics()) -> None:  # noqa: B008 - it is frozen
        self.is_down = False
        self.deliveries: list[Delivery] = []
        self._topic = topics.deliveries

    async def append(self, delivery: Delivery) -> Position:
        """One partition."""
        _answer("kafka", self.is_down)
        self.deliveries.append(delivery)
        return Position(self._topic, 0, len(self.deliveries) - 1)


class MemoryDeadLetters:
    """What was given up; fits the port `DeadLetters`."""

    def __init__(self, topics: Topics = Topics()) -> None:  # noqa: B008 - it is frozen
        self.is_down = False
        self.letters: list[DeadLetter] = []
        self._topic = topics.dead

    async def bury(self, letter: DeadLetter) -> Position:
        """One partition."""
        _answer("kafka", self.is_down)
        self.letters.append(letter)
        return Position(self._topic, 0, len(self.letters) - 1)


class MemoryJournalLog:
    """Decision records, each once; fits the port `JournalLog`."""

    def __init__(self) -> None:
        self.is_down = False
        self._records: dict[tuple[str, int], JournalRecord] = {}

    async def publish(self, records: Sequence[JournalRecord]) -> None:
        """Drops what was published before, as every reader does."""
        _answer("kafka", self.is_down)
        for record in records:
            self._records.setdefault((record.process_id, record.seq), record)

    @property
    def records(self) -> list[JournalRecord]:
        """In the order of publishing."""
        return list(self._records.values())


def _answer(server: str, is_down: bool) -> None:  # noqa: FBT001 - private, one line above its use
    if is_down:
        raise InfrastructureError(server, "it is switched off")
