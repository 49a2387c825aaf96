"""The pace of requests to GitHub, put together: one for all workers, in Redis."""

from typing import TYPE_CHECKING

import structlog

from reactor.adapters.redis_pace import RedisPace
from reactor.pace import Ask, Rates, Told, Turn
from reactor.settings import GitHubSettings
from reactor.wiring.redis import RedisParts

if TYPE_CHECKING:
    from reactor.adapters.github.pacing import TurnTaker


def rates_of(settings: GitHubSettings) -> Rates:
    """What one account may do."""
    pace = settings.pace
    return Rates(
        writes_a_second=pace.writes_a_second,
        content_a_minute=pace.content_a_minute,
        content_an_hour=pace.content_an_hour,
        points_a_minute=pace.points_a_minute,
        at_once=pace.at_once,
        reserve=settings.reserve,
        factor=pace.factor,
    )


def make_turns(settings: GitHubSettings, redis: RedisParts) -> "TurnTaker":
    """Whom every request asks; on the event loop."""
    from reactor.adapters.github.pacing import TurnTaker

    pace = RedisPace(redis.client, rates_of(settings), prefix=redis.prefix)
    return TurnTaker(pace, observers=(_Log(),))


class _Log:
    """Tells on the log where a limit was hit, which the pace is there to prevent."""

    def __init__(self) -> None:
        self._log = structlog.get_logger("reactor.github")

    def turned(self, ask: Ask, turn: Turn) -> None:
        """Nothing: the effect that is sent back is told of."""

    def told(self, ask: Ask, told: Told) -> None:
        """Nothing."""

    def stopped(self, ask: Ask, stop_s: float) -> None:
        self._log.warning("github_limit_hit", host=ask.host, account=ask.account, stop_s=stop_s)
