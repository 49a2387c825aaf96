"""Processes and their blackboards in Redis: one round trip to open, one to commit.

A commit is one script, fenced by the lease, so that all of it is kept or nothing; the index of
recent processes is written beside it.  Leases run by the server's clock.  Keys and their lives:
`redis_keys`; what the scripts do: `lua/`.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import count
from typing import Any, cast

import structlog
from redis.asyncio import Redis

from reactor.adapters import process_lines, redis_keys
from reactor.adapters.process_lines import ProcessLines
from reactor.adapters.redis_client import Call, Script, run, run_all, run_beside
from reactor.adapters.redis_keys import ProcessKeys
from reactor.adapters.redis_recent import RecentIndex
from reactor.codec import Codec
from reactor.journal import JournalRecord
from reactor.ports import Commit, Lease, LeaseHeld, LeaseLost, Opened, Place, Recent, Stored
from reactor.waiting import Wish


class RedisBoards:
    """Fits the port `Boards`."""

    def __init__(
        self,
        client: Redis,
        codec: Codec,
        *,
        prefix: str = "reactor",
        keep_finished: timedelta = timedelta(days=30),
        keep_open: timedelta = timedelta(days=90),
    ) -> None:
        self._client, self._codec, self._prefix = client, codec, prefix
        self._keep_finished_ms, self._keep_open_ms = _ms(keep_finished), _ms(keep_open)
        self._commits = count()
        self._log = structlog.get_logger("reactor.boards")
        self._session = secrets.token_hex(6)  # from the start of this worker to its end
        self._recent = RecentIndex(client, codec, prefix=prefix, keep_ms=self._keep_open_ms)
        self._open = Script.named("open")
        self._read = Script.named("read")
        self._link = Script.named("link")
        self._commit = Script.named("commit")
        self._release = Script.named("release")
        self._mark_sent = Script.named("mark_sent")
        self._wish = Script.named("wish")

    async def open(self, process_id: str, *, delivery: str, owner: str, lease: timedelta) -> Opened:
        """Take the lease, load the process, link it to its delivery, all in one round trip."""
        take = Call(
            self._open,
            ProcessKeys(self._prefix, process_id).board,
            (owner, _ms(lease), self._keep_open_ms, self._session),
        )
        started = redis_keys.started(self._prefix, delivery)
        link = Call(self._link, [started], [process_id, self._keep_open_ms])
        (answer, *found), _ = await run_all(self._client, take, link)
        if answer == b"held":
            holder, left_ms = found
            raise LeaseHeld(process_id, holder.decode(), left_ms / 1000)
        fence, wish, opens, *lines = found
        return Opened(Lease(process_id, owner, fence), self._stored(lines), _wish(wish), opens)

    async def commit(self, lease: Lease, commit: Commit) -> Wish | None:
        """Keep all of it, or nothing; the same one sent twice is kept once."""
        lines = process_lines.write(self._codec, commit)
        keys = ProcessKeys(self._prefix, lease.process_id)
        is_final = commit.head.status.is_final
        lists = (lines.changes, lines.history, lines.effects, lines.journal)
        keep = Call(
            self._commit,
            (*keys.board, keys.journal),
            (
                *(lease.owner, lease.fence, f"{lease.fence}.{next(self._commits)}"),
                self._keep_finished_ms if is_final else self._keep_open_ms,
                int(commit.is_last),
                *(lines.head, lines.journal_seq),
                *(len(each) for each in lists),
                *(line for each in lists for line in each),
            ),
        )
        place = Place(commit.head.updated_at, lease.process_id)
        beside = self._recent.steps_to(place)
        if commit.is_last and commit.head.parent_id is None:
            beside += self._recent.steps_to_latest(place, commit.head.subject)
        answer, *wish = await run_beside(self._client, keep, *beside)
        if answer == b"lost":
            self._log.info("guard_caught", guard="lease", process_id=lease.process_id)
            raise LeaseLost(lease.process_id)
        return _wish(wish[0])

    async def wish(self, process_id: str, wish: Wish) -> bool:
        """The newest one counts."""
        keys = ProcessKeys(self._prefix, process_id)
        return bool(await run(self._client, Call(self._wish, [keys.process], [wish])))

    async def release(self, lease: Lease) -> None:
        """Let the next one in at once."""
        keys = ProcessKeys(self._prefix, lease.process_id)
        await run(self._client, Call(self._release, [keys.process], [lease.owner, lease.fence]))

    async def read(self, process_id: str) -> Stored | None:
        """The process, without its lease."""
        keys = ProcessKeys(self._prefix, process_id)
        return self._stored(await run(self._client, Call(self._read, keys.board)))

    async def journal(self, process_id: str, *, unsent_only: bool = False) -> list[JournalRecord]:
        """The decision records, in order."""
        keys = ProcessKeys(self._prefix, process_id)
        sent_seq, lines = await run_all(
            self._client, ("HGET", keys.process, "sent_seq"), ("LRANGE", keys.journal, 0, -1)
        )
        records = map(self._codec.decode_record, lines)
        after = int(sent_seq or 0) if unsent_only else 0
        return [record for record in records if record.seq > after]

    async def mark_sent(self, up_to: Mapping[str, int]) -> None:
        """Never backwards; all of them in one round trip."""
        marks = [
            Call(self._mark_sent, [ProcessKeys(self._prefix, process_id).process], [seq])
            for process_id, seq in up_to.items()
        ]
        if marks:
            await run_all(self._client, *marks)

    async def started_by(self, delivery: str) -> list[str]:
        """Process ids, oldest first."""
        key = redis_keys.started(self._prefix, delivery)
        (found,) = await run_all(self._client, ("ZRANGE", key, 0, -1))
        return [process_id.decode() for process_id in found]

    async def recent(self, *, limit: int, before: Place | None = None) -> list[Recent]:
        """As far as the index goes; see `redis_keys`."""
        return await self._recent.read(limit=limit, before=before)

    async def latest(self, subject: str, *, limit: int) -> list[str]:
        """As far as the index goes; see `redis_keys`."""
        return await self._recent.latest(subject, limit=limit)

    def _stored(self, found: Sequence[Any]) -> Stored | None:
        """From head, commits, journal_seq, sent_seq, changes, history, effects."""
        head, commits, journal_seq, sent_seq, changes, history, effects = found
        if not head:
            return None
        lines = ProcessLines(
            head=head,
            changes=changes,
            history=history,
            effects=effects,
            journal=[],
            journal_seq=int(journal_seq or 0),
            sent_seq=int(sent_seq or 0),
            commits=int(commits),
        )
        return process_lines.read(self._codec, lines)


def _wish(word: bytes) -> Wish | None:
    return cast("Wish", word.decode()) if word else None


def _ms(length: timedelta) -> int:
    return max(1, round(length / timedelta(milliseconds=1)))
