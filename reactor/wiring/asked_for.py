"""Which effects somebody waits for: they go before those that nobody asked for."""

from reactor.command import Command
from reactor.effect import EffectRecord
from reactor.platform import Platform
from reactor.sending import AskedFor
from reactor.status import ProcessHead


def asked_for(platform: Platform) -> AskedFor:
    """Those of actions that a command triggers, and of processes that a person has answered."""
    commanded = frozenset(
        name
        for name, action in platform.actions.items()
        if action.trigger is not None and issubclass(action.trigger, Command)
    )

    def is_asked_for(head: ProcessHead, record: EffectRecord) -> bool:
        return record.action in commanded or bool(head.answered)

    return is_asked_for
