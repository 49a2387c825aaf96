"""What was spent on models, and what they answered: for all workers together, in Redis."""

from datetime import timedelta

from reactor.adapters.redis_models import RedisAnswers, RedisPurses
from reactor.ai.answers import NoAnswers
from reactor.ports import Clock
from reactor.settings import Settings
from reactor.wiring.models import ModelStores
from reactor.wiring.redis import RedisParts


def stores_in_redis(settings: Settings, redis: RedisParts, clock: Clock) -> ModelStores:
    """Under the keys of this installation."""
    keep, prefix = timedelta(seconds=settings.llm.keep_answers_s), settings.redis.prefix
    answers = RedisAnswers(redis.client, keep=keep, prefix=prefix) if keep else NoAnswers()
    purses = RedisPurses(redis.client, clock, prefix=prefix)
    return ModelStores(clock=clock, purses=purses, answers=answers)
