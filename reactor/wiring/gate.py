"""What keeps storms out of a worker, as the settings say."""

from datetime import timedelta

from reactor.adapters.redis_storms import RedisBotEvents
from reactor.ports import Boards
from reactor.settings import Settings
from reactor.storms import SentEffects, StormGate
from reactor.wiring.redis import RedisParts


def make_gate(
    settings: Settings, redis: RedisParts, boards: Boards, sent: SentEffects | None = None
) -> StormGate:
    """A gate over Redis; `sent` tells what we sent where, and is None where nothing is sent."""
    storms = settings.storms
    return StormGate(
        max_causation=storms.max_causation,
        bot_events=RedisBotEvents(
            redis.client,
            prefix=redis.prefix,
            limit=storms.per_subject,
            window=timedelta(seconds=storms.window_s),
        ),
        outcomes=redis.outcomes,
        boards=boards,
        sent=sent,
    )
