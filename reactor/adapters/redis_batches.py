"""Commands of many callers at once, sent to Redis together: a round trip is shared.

A worker has many processes under way, and each waits for Redis now and then.  One by one, their
commands would cost more in the client than in the server: a connection from the pool, a write and
a read for each.  Here whatever is waiting when the socket is free goes out in one write, and the
answers are handed to whoever asked.  A caller that is alone waits for nobody.

Commands of one call stay together and in order; those of different calls have no order.
"""

import asyncio
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import hiredis
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as TooSlow

Command = tuple[str | bytes | int, ...]

AT_ONCE = 2  # round trips under way: one is read while the next is written
_MOST_BYTES = 1_048_576  # of one write, unless a single call has more


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The commands of one call, as they go over the wire, and who waits for the answers."""

    packed: bytes
    commands: int
    answers: "asyncio.Future[list[Any]]"


class BatchingRedis(Redis):
    """A client that sends the commands of `send_all` in batches; otherwise the usual one."""

    def __init__(self, *, connection_pool: BlockingConnectionPool, timeout_s: float) -> None:
        super().__init__(connection_pool=connection_pool)
        self.auto_close_connection_pool = True  # as it is the only one to use it
        self._timeout_s = timeout_s  # of one round trip
        self._waiting: deque[_Wanted] = deque()
        self._flights: set[asyncio.Task[None]] = set()
        """Owned: each ends when nothing waits, or when the client is closed."""

    async def aclose(self, close_connection_pool: bool | None = None) -> None:  # noqa: FBT001 - redis-py's
        """Close it with all its connections; whoever waits for answers is cancelled.

        A batch that outlives the call it was sent for would else go on to connect afterwards.
        """
        while self._waiting:
            self._waiting.popleft().answers.cancel()
        if flights := tuple(self._flights):
            for flight in flights:
                flight.cancel()
            await asyncio.wait(flights)
        await super().aclose(close_connection_pool)

    async def send_all(self, commands: Sequence[Command]) -> list[Any]:
        """The answers, in order; one that Redis refused is the `ResponseError` itself.

        Raises what the client raises where the server is away.  A batch whose connection broke
        is sent once more, so every command must be safe to repeat.
        """
        packed = b"".join(map(_pack, commands))
        answers = asyncio.get_running_loop().create_future()
        self._waiting.append(_Wanted(packed, len(commands), answers))
        # one that has just ended looks for nothing more, though it is still among them
        if sum(not flight.done() for flight in self._flights) < AT_ONCE:
            flight = asyncio.create_task(self._fly())
            self._flights.add(flight)
            flight.add_done_callback(self._flights.discard)
        found: list[Any] = await answers
        return found

    async def _fly(self) -> None:
        while self._waiting:
            batch = self._next_batch()
            try:
                await self._send_batch(batch)
            except BaseException as error:
                for wanted in batch:
                    _refuse(wanted, error)
                if not isinstance(error, Exception):
                    raise

    def _next_batch(self) -> list[_Wanted]:
        batch, size = [self._waiting.popleft()], 0
        while self._waiting and (size := size + len(batch[-1].packed)) < _MOST_BYTES:
            batch.append(self._waiting.popleft())
        return batch

    async def _send_batch(self, batch: Sequence[_Wanted]) -> None:
        try:
            await self._try_to_send(batch)
        except (NotConnected, OSError):  # it went stale while nobody used it
            await self._try_to_send([each for each in batch if not each.answers.done()])

    async def _try_to_send(self, batch: Sequence[_Wanted]) -> None:
        pool: Any = self.connection_pool
        connection: AbstractConnection = await pool.get_connection()
        try:
            async with asyncio.timeout(self._timeout_s):
                await connection.send_packed_command([each.packed for each in batch])
                for wanted in batch:
                    answers = [await _answer(connection) for _ in range(wanted.commands)]
                    if not wanted.answers.done():
                        wanted.answers.set_result(answers)
        except TimeoutError:
            await connection.disconnect(nowait=True)
            raise TooSlow(f"no answer within {self._timeout_s:g} s") from None
        except BaseException:  # answers may be on their way that nobody will read
            await connection.disconnect(nowait=True)
            raise
        finally:
            await pool.release(connection)


def _pack(command: Command) -> bytes:
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]  # its stub errs
    return packed


async def _answer(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response(timeout=math.inf)  # the batch has a time-out
    except ResponseError as refusal:
        return refusal


def _refuse(wanted: _Wanted, error: BaseException) -> None:
    if wanted.answers.done():
        return
    if isinstance(error, asyncio.CancelledError):
        wanted.answers.cancel()
        return
    wanted.answers.set_exception(error)
