"""The ledger of effects in Redis: row, queue and caps of a repository change in one atomic step.

Keys and their lives: `redis_keys`; what the scripts do: `lua/`.  Turns run by the server's clock.
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.ledger_lines import IntentLines, LedgerLines
from reactor.adapters.moments import micros, moment
from reactor.adapters.redis_client import Call, Script, run, run_all
from reactor.adapters.redis_keys import LedgerKeys
from reactor.codec import Codec
from reactor.ledger import (
    HEAD_START,
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

_FATE = (
    *("state", "process", "attempts", "enrolled", "changed", "due", "result", "reason"),
    *("ruled_by", "ruled_at"),
)
_IS_HELD, _IS_GIVEN_UP = b"held", b"given_up"
_NEVER_SENT = (None, b"done", b"refused")  # None: the row has expired
_WAITS = ("state", "line", "told", "changed")  # of what is held
_LISTED = ("state", "line", "told", "changed", "attempts", "reason")  # of what was given up
_AT_ONCE = 200  # rows that are read in one go
_Row = tuple[str, bytes, bytes, str, str, int, int, int]  # as enrol.lua takes it


class RedisLedger:
    """Fits the port `Ledger`."""

    def __init__(
        self,
        client: Redis,
        codec: Codec,
        *,
        prefix: str = "reactor",
        keep: timedelta = timedelta(days=28),
    ) -> None:
        """`keep`: how long a key is known after its effect was done or refused."""
        self._client, self._prefix = client, prefix
        self._keep_ms = _ms(keep)
        self._lines = LedgerLines(codec)
        self._effects = redis_keys.effects(prefix)
        self._held = redis_keys.held(prefix)
        self._given_up = redis_keys.given_up(prefix)
        self._enrol = Script.named("enrol")
        self._wake = Script.named("wake_subject")
        self._begin = Script.named("begin_effect")
        self._renew = Script.named("renew_turn")
        self._finish = Script.named("finish_effect")
        self._waiting = Script.named("waiting_subjects")
        self._put_off = Script.named("put_off_subject")
        self._rule = Script.named("rule_effect")
        self._retry = Script.named("retry_effect")

    async def enrol(self, intents: Sequence[Intent], caps: Caps, *, now: datetime) -> Enrolment:
        """One script for all of them; then the index, which is in a slot of its own."""
        first = intents[0]
        subject = first.record.subject
        keys = LedgerKeys(self._prefix, subject)
        counters = (keys.window, keys.event(first.delivery), keys.day(f"{now:%Y%m%d}"))
        rows = [self._row(intent) for intent in intents]
        answers = await run(
            self._client,
            Call(
                self._enrol,
                (keys.queue, *counters, *(keys.row(intent.key) for intent in intents)),
                (*self._caps(caps, now), *(field for row in rows for field in row)),
            ),
        )
        found = tuple(map(_enrolled, intents, answers))
        waits = {enrolled.key: answer[3] for enrolled, answer in zip(found, answers, strict=True)}
        if held := [key for key, how in waits.items() if how == _IS_HELD]:
            scored = (part for key in held for part in (micros(now), f"{subject} {key}"))
            await run_all(self._client, ("ZADD", self._held, "NX", *scored))
        is_waiting = b"queued" in waits.values()
        since = now - HEAD_START if any(each.priority > 0 for each in intents) else now
        return Enrolment(
            found=found, waiting=await self._look_at(subject, since) if is_waiting else None
        )

    async def _look_at(self, subject: str, since: datetime) -> Waiting:
        wake = Call(self._wake, [self._effects], [subject, micros(since)])
        return Waiting(subject, int(await run(self._client, wake)))

    def _row(self, intent: Intent) -> _Row:
        lines, is_ever = self._lines.write(intent), intent.record.effect.cause == "ever"
        whose = intent.process_id, intent.delivery, intent.depth
        is_held = intent.record.mode == "approve"
        return intent.key, lines.effect, lines.told, *whose, int(is_ever), int(is_held)

    def _caps(self, caps: Caps, now: datetime) -> tuple[str | int, ...]:
        return (
            micros(now),
            caps.per_event,
            caps.per_subject,
            caps.per_day,
            caps.window // timedelta(microseconds=1),
            self._keep_ms,
            caps.over_event,
            caps.over_subject,
            caps.over_day,
        )

    async def rule(self, subject: str, key: str, ruling: Ruling, *, now: datetime) -> Ruled | None:
        """The row first; should the indexes miss it, whoever rules again mends them."""
        keys = LedgerKeys(self._prefix, subject)
        said = (key, int(ruling.is_approved), ruling.by, ruling.reason, micros(now), self._keep_ms)
        found = await run(self._client, Call(self._rule, (keys.queue, keys.row(key)), said))
        if not found:
            return None
        is_approved, by, at, is_open = found
        await run_all(self._client, ("ZREM", self._held, f"{subject} {key}"))
        return Ruled(
            is_approved=bool(is_approved),
            by=by.decode(),
            at=moment(int(at)),
            waiting=await self._look_at(subject, now - HEAD_START) if is_open else None,
        )

    async def held(self, *, until: datetime, limit: int) -> list[Held]:
        """From the index; entries whose effect is held no more are taken out."""
        by_age = ("ZRANGEBYSCORE", self._held, "-inf", micros(until), "LIMIT", 0, limit)
        (members,) = await run_all(self._client, by_age)
        rows = (
            await run_all(self._client, *(self._read(each, _WAITS) for each in members))
            if members
            else []
        )
        gone = [member for member, row in zip(members, rows, strict=True) if row[0] != _IS_HELD]
        if gone:
            await run_all(self._client, ("ZREM", self._held, *gone))
        return [
            Held(intent=self._lines.read(IntentLines(line, told)), since=moment(int(changed)))
            for state, line, told, changed in rows
            if state == _IS_HELD
        ]

    def _read(self, member: bytes, fields: tuple[str, ...]) -> tuple[str, ...]:
        subject, _, key = member.decode().rpartition(" ")
        return ("HMGET", LedgerKeys(self._prefix, subject).row(key), *fields)

    async def begin(
        self, subject: str, *, owner: str, lease: timedelta, now: datetime
    ) -> Sending | NotNow:
        """One round trip, durable before anything is sent."""
        keys = LedgerKeys(self._prefix, subject)
        token = secrets.token_hex(8)  # should the client send this twice
        arguments = (owner, _ms(lease), micros(now), token, keys.row(""))
        call = Call(self._begin, (keys.turn, keys.queue, keys.newest), arguments)
        word, *found = await run(self._client, call)
        match word:
            case b"empty":
                return NotNow("empty")
            case b"held":
                return NotNow("held", now + timedelta(milliseconds=found[0]))
            case b"later":
                return NotNow("later", moment(int(found[0])))
        fence, line, told, attempts, failures, unsure, away, ruled, delayed_ms = found
        intent, is_approved = self._lines.read(IntentLines(line, told)), ruled == b"1"
        return Sending(
            turn=Turn(subject, owner, fence),
            intent=asked_for_by_a_person(intent) if is_approved else intent,
            number=int(attempts),
            failures=int(failures),
            may_be_done=unsure == b"1",
            away=int(away),
            delayed=timedelta(milliseconds=int(delayed_ms)),
            is_approved=is_approved,
        )

    async def renew(self, turn: Turn, *, lease: timedelta) -> bool:
        """As long as nobody took it."""
        keys = LedgerKeys(self._prefix, turn.subject)
        arguments = (turn.owner, turn.fence, _ms(lease))
        return bool(await run(self._client, Call(self._renew, [keys.turn], arguments)))

    async def finish(self, sending: Sending, outcome: Outcome, *, now: datetime) -> bool:
        """Only under the newest fence; what is given up or held is in its index before.

        What is held is put there again: who lists them may have taken it out meanwhile.
        """
        keys, key = LedgerKeys(self._prefix, sending.turn.subject), sending.intent.key
        member = f"{sending.turn.subject} {key}"
        if outcome.state == "given_up":
            await self._list(member, now)
        if outcome.state == "held":
            await run_all(self._client, ("ZADD", self._held, "NX", micros(now), member))
        arguments = (
            *(sending.turn.fence, key, micros(now)),
            *(outcome.state, outcome.result, outcome.reason),
            micros(outcome.due_at) if outcome.due_at else "",
            *(int(outcome.failed), int(outcome.away), int(outcome.may_be_done), self._keep_ms),
            _ms(outcome.delayed),
        )
        call = Call(self._finish, (keys.turn, keys.queue, keys.row(key)), arguments)
        is_kept = bool(await run(self._client, call))
        if is_kept and outcome.state == "held":
            await run_all(self._client, ("ZADD", self._held, "NX", micros(now), member))
        return is_kept

    async def _list(self, member: str, now: datetime) -> None:
        oldest = micros(now) - self._keep_ms * 1000
        await run_all(
            self._client,
            ("ZADD", self._given_up, micros(now), member),
            ("ZREMRANGEBYSCORE", self._given_up, "-inf", oldest),
            ("PEXPIRE", self._given_up, self._keep_ms),
        )

    async def given_up(self, *, limit: int) -> list[GivenUp]:
        """From the index, which is mended on the way: see `redis_keys`."""
        found: list[GivenUp] = []
        first = 0
        while len(found) < limit:
            by_age = ("ZREVRANGE", self._given_up, first, first + _AT_ONCE - 1)
            (members,) = await run_all(self._client, by_age)
            if not members:
                break
            first += len(members) - await self._unlist(members, found)
        return found[:limit]

    async def _unlist(self, members: Sequence[bytes], found: list[GivenUp]) -> int:
        """Tell apart what is given up and what is so no more; how many were taken out."""
        rows = await run_all(self._client, *(self._read(each, _LISTED) for each in members))
        gone = []
        for member, (state, line, told, changed, attempts, reason) in zip(
            members, rows, strict=True
        ):
            if state == _IS_GIVEN_UP:
                intent = self._lines.read(IntentLines(line, told))
                at, tries = moment(int(changed)), int(attempts or 0)
                found.append(GivenUp(intent=intent, at=at, attempts=tries, reason=reason.decode()))
            elif state in _NEVER_SENT:
                gone.append(member)
            else:  # whoever drove it again may have died before its subject was to be looked at
                await self._look_at(member.decode().rpartition(" ")[0], moment(int(changed)))
        if gone:
            await run_all(self._client, ("ZREM", self._given_up, *gone))
        return len(gone)

    async def given_up_count(self) -> int:
        """Those of the index."""
        (found,) = await run_all(self._client, ("ZCARD", self._given_up))
        return int(found)

    async def retry(self, given_up: GivenUp, *, now: datetime) -> bool:
        """The row first; then the indexes, which are mended by who lists what was given up."""
        key, subject = given_up.intent.key, given_up.intent.record.subject
        keys, member = LedgerKeys(self._prefix, subject), f"{subject} {key}"
        is_due = await run(
            self._client, Call(self._retry, (keys.queue, keys.row(key)), (key, micros(now)))
        )
        await self._look_at(subject, now)  # also where it is due already: somebody repeats this
        if not is_due:
            return False
        # if it was given up again meanwhile, that is another entry
        seen = (member, micros(given_up.at), "")
        await run(self._client, Call(self._put_off, [self._given_up], seen))
        return True

    async def waiting(self, *, now: datetime, limit: int) -> list[Waiting]:
        """From the index."""
        call = Call(self._waiting, [self._effects], [micros(now), limit])
        found = await run(self._client, call)
        return [
            Waiting(subject.decode(), round(float(score)))
            for subject, score in zip(found[::2], found[1::2], strict=True)
        ]

    async def put_off(self, waiting: Waiting, until: datetime | None) -> None:
        """If it is what was seen, or to an earlier moment."""
        after = micros(until) if until else ""
        arguments = (waiting.subject, waiting.mark, after)
        await run(self._client, Call(self._put_off, [self._effects], arguments))

    async def subjects_waiting(self) -> int:
        """Those of the index; one whose last effect was just sent may still be there."""
        (found,) = await run_all(self._client, ("ZCARD", self._effects))
        return int(found)

    async def fates(self, subject: str, keys: Collection[str]) -> Mapping[str, Fate]:
        """One round trip."""
        if not keys:
            return {}
        row = LedgerKeys(self._prefix, subject).row
        found = await run_all(self._client, *(("HMGET", row(key), *_FATE) for key in keys))
        fates = (_fate(key, fields) for key, fields in zip(keys, found, strict=True))
        return {fate.key: fate for fate in fates if fate is not None}

    async def newest_sent(self, subject: str) -> Sent | None:
        """As long as Redis keeps it."""
        newest = LedgerKeys(self._prefix, subject).newest
        ((delivery, depth),) = await run_all(self._client, ("HMGET", newest, "delivery", "depth"))
        return Sent(delivery.decode(), int(depth)) if delivery is not None else None


def _enrolled(intent: Intent, answer: Sequence[Any]) -> Enrolled:
    verdict, process_id, reason, _ = answer
    return Enrolled(
        key=intent.key,
        verdict=verdict.decode(),
        process_id=process_id.decode(),
        reason=reason.decode(),
    )


def _fate(key: str, fields: Sequence[bytes | None]) -> Fate | None:
    state, process_id, attempts, enrolled, changed, due, result, reason, ruled_by, ruled_at = (
        field.decode() if field is not None else "" for field in fields
    )
    if not state:
        return None
    return Fate(
        key=key,
        state=cast("FateState", state),
        process_id=process_id,
        attempts=int(attempts or 0),
        enrolled_at=moment(int(enrolled)),
        changed_at=moment(int(changed)),
        due_at=moment(int(due)) if due else None,
        result=result,
        reason=reason,
        ruled_by=ruled_by,
        ruled_at=moment(int(ruled_at)) if ruled_at else None,
    )


def _ms(length: timedelta) -> int:
    return max(1, round(length / timedelta(milliseconds=1)))
