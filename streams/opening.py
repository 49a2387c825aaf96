"""Opening a broker: its topics are there, and it is known which one it is, before it is written to.

Written to before that, a broker makes topics of its own, with partitions as it likes.
"""

import asyncio
from collections.abc import Sequence

import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential

from reactor.errors import InfrastructureError, ReactorError
from reactor.topic import Position
from streams.broker import Broker
from streams.embedded import CLUSTER_ID
from streams.keeping import Writer
from streams.record import Outgoing
from streams.topics import TopicSpec, cluster_id, ensure_topics

_LONGEST_WAIT_S = 2.0  # between tries, so that work goes on soon after the broker is there


class Opening:
    """Opens one broker, once."""

    def __init__(self, broker: Broker | str, specs: Sequence[TopicSpec]) -> None:
        self._broker, self._specs = broker, specs
        self._cluster: str | None = None
        self._log = structlog.get_logger("streams.opening")

    @property
    def is_open(self) -> bool:
        """Whether it may be written to."""
        return self._cluster is not None

    @property
    def is_embedded(self) -> bool:
        """Whether it is the embedded one, as far as is known."""
        return self._cluster == CLUSTER_ID

    async def open(self, *, within_s: float) -> None:
        """Return when it is open.  Raises what `ensure_topics` does."""
        try:
            async with asyncio.timeout(within_s):
                await self._open()
        except TimeoutError:
            raise InfrastructureError("kafka", f"no answer within {within_s:g} s") from None

    async def open_at_last(self) -> None:
        """The same, however long it takes; also where a person has to mend something first."""
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(ReactorError),
            wait=wait_exponential(multiplier=0.05, max=_LONGEST_WAIT_S),
            before_sleep=self._log_retry,
        )
        await retrying(self._open)

    async def forgets(self) -> bool:
        """Whether it keeps nothing when it ends.  Raises `InfrastructureError` before it is open."""
        self.check()
        return self.is_embedded

    def gate(self, writer: Writer) -> "GatedWriter":
        """`writer`, for this broker only once it is open."""
        return GatedWriter(self, writer)

    def check(self) -> None:
        """Raise `InfrastructureError` before it is open."""
        if self._cluster is None:
            raise InfrastructureError("kafka", "it has not answered since we have begun")

    async def _open(self) -> None:
        await ensure_topics(self._broker, self._specs)
        self._cluster = await cluster_id(self._broker)

    def _log_retry(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self._log.warning("broker_not_open", attempt=state.attempt_number, error=str(error))


class GatedWriter:
    """Fails at once as long as its broker is not open; made by `Opening.gate`."""

    def __init__(self, opening: Opening, writer: Writer) -> None:
        self._opening, self._writer = opening, writer

    async def write(self, topic: str, *records: Outgoing) -> list[Position]:
        """See `Writer.write`."""
        self._opening.check()
        return await self._writer.write(topic, *records)
