"""What became of places, and what may go on there, in Redis.  Keys and their lives: `redis_keys`."""

from collections.abc import Collection
from datetime import timedelta

from pydantic import TypeAdapter
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.moments import micros
from reactor.adapters.redis_client import run_all
from reactor.lifecycle import Absence, Word, in_order, is_part_of, repository_of
from reactor.ports import Clock

MOST_OPEN = 10_000  # processes of one repository that are kept

_ABSENCE = TypeAdapter(Absence)


class RedisAbsences:
    """Fits the port `Absences`: a hash for each place, a field for each word."""

    def __init__(
        self, client: Redis, *, prefix: str = "reactor", keep: timedelta = timedelta(days=28)
    ) -> None:
        """`keep`: how long a place is known to be absent; after that its host says so itself."""
        self._client, self._prefix = client, prefix
        self._keep_ms = keep // timedelta(milliseconds=1)

    async def begin(self, place: str, absence: Absence) -> None:
        """The newest of a word counts."""
        key = redis_keys.absent(self._prefix, place)
        await run_all(
            self._client,
            ("HSET", key, absence.word, _ABSENCE.dump_json(absence)),
            ("PEXPIRE", key, self._keep_ms),
        )

    async def end(self, place: str, words: Collection[Word]) -> None:
        """Forget them."""
        if words:
            await run_all(
                self._client, ("HDEL", redis_keys.absent(self._prefix, place), *sorted(words))
            )

    async def of(self, subject: str) -> list[Absence]:
        """Of the subject and its repository, in one round trip."""
        places = dict.fromkeys((subject, repository_of(subject)))
        keys = (redis_keys.absent(self._prefix, place) for place in places)
        found = await run_all(self._client, *(("HVALS", key) for key in keys))
        return in_order([_ABSENCE.validate_json(line) for lines in found for line in lines])


class RedisOpenProcesses:
    """Fits the port `OpenProcesses`: a sorted set for each repository, by when they came to rest."""

    def __init__(
        self,
        client: Redis,
        clock: Clock,
        *,
        prefix: str = "reactor",
        keep: timedelta = timedelta(days=90),
        most: int = MOST_OPEN,
    ) -> None:
        """`keep`: as long as a process that rests is kept."""
        self._client, self._clock, self._prefix, self._most = client, clock, prefix, most
        self._keep = keep

    async def add(self, process_id: str, *, subject: str) -> None:
        """It may go on; those that have expired, and the oldest, make room."""
        key, now = self._key(subject), self._clock.now()
        await run_all(
            self._client,
            ("ZADD", key, micros(now), f"{subject} {process_id}"),
            ("ZREMRANGEBYSCORE", key, "-inf", micros(now - self._keep)),
            ("ZREMRANGEBYRANK", key, 0, -self._most - 1),
            ("PEXPIRE", key, self._keep // timedelta(milliseconds=1)),
        )

    async def remove(self, process_id: str, *, subject: str) -> None:
        """It has ended."""
        await run_all(self._client, ("ZREM", self._key(subject), f"{subject} {process_id}"))

    async def at(self, place: str) -> list[str]:
        """Those of the place, the one that has rested longest first."""
        (members,) = await run_all(self._client, ("ZRANGE", self._key(place), 0, -1))
        found = (member.decode().rpartition(" ") for member in members)
        return [process_id for subject, _, process_id in found if is_part_of(subject, place)]

    def _key(self, place: str) -> str:
        return redis_keys.open_processes(self._prefix, repository_of(place))
