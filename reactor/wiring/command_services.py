"""What the actions of commands ask for, over Redis and the topics."""

from collections.abc import Mapping
from datetime import timedelta

from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_ledger import RedisLedger
from reactor.adapters.redis_prompts import RedisPrompts
from reactor.approvals import Approvals
from reactor.approving import ApprovalDesk, SubjectApprovals
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.github.effects import EFFECT_TYPES
from reactor.github.prompt import write_prompt
from reactor.ledger import Ledger
from reactor.ports import Clock
from reactor.prompting import Prompting
from reactor.recounting import Explanations, SubjectExplanations
from reactor.restarting import DeliveredRestarts, Restarts
from reactor.settings import Settings
from reactor.wiring.kafka import KafkaParts
from reactor.wiring.redis import RedisParts
from reactor.worker import Outlet


def command_services(
    settings: Settings, redis: RedisParts, kafka: KafkaParts, clock: Clock
) -> Mapping[type, object]:
    """By the type by which actions ask for them.

    Made before the packages are known, of which they need nothing: effects of kinds that are not
    GitHub's are told as they are kept.
    """
    codec = Codec(TypeCatalog(EFFECT_TYPES))
    ledger = RedisLedger(redis.client, codec, prefix=redis.prefix)
    return {
        ApprovalDesk: SubjectApprovals(
            approvals=Approvals(ledger=ledger, signals=kafka.signals, clock=clock),
            prompts=make_prompts(settings, redis),
        ),
        Explanations: SubjectExplanations(
            boards=RedisBoards(redis.client, codec, prefix=redis.prefix), ledger=ledger
        ),
        Restarts: DeliveredRestarts(deliveries=kafka.deliveries, claims=redis.claims, clock=clock),
    }


def make_prompts(settings: Settings, redis: RedisParts) -> RedisPrompts:
    """What was listed where, as long as it can be approved."""
    keep = timedelta(days=settings.effects.approval_days)
    return RedisPrompts(redis.client, prefix=redis.prefix, keep=keep)


def prompting(settings: Settings, redis: RedisParts, outlet: Outlet, ledger: Ledger) -> Outlet:
    """The outlet, which also tells people what waits where the settings allow that."""
    if not settings.effects.prompt:
        return outlet
    return Prompting(
        outlet=outlet, ledger=ledger, prompts=make_prompts(settings, redis), write=write_prompt
    )
