"""Which effects somebody waits for: they go before those that nobody asked for."""

from reactor.command import Command
from reactor.commanded import REACTION
from reactor.effect import EffectRecord
from reactor.platform import Platform
from reactor.sending import AskedFor
from reactor.status import ProcessHead


def asked_for(platform: Platform) -> AskedFor:
    """Those of commands and the answers to them, and of processes that a person has answered."""
    commanded = frozenset(
        name
        for name, action in platform.actions.items()
        if action.trigger is not None and issubclass(action.trigger, Command)
    )

    def is_asked_for(head: ProcessHead, record: EffectRecord) -> bool:
        is_commanded = head.reaction == REACTION or record.action in commanded
        return is_commanded or bool(head.answered)

    return is_asked_for
