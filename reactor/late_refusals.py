"""Late refusals: what people asked for was let through, and is refused only when it is sent.

    "+1" is about to be sent -> what has become of the changes before it -> it is sent, or "-1" is

Effects of one subject are sent in order, so by then the ledger knows.  Who asked is told as where
something is refused at once: by a reaction, and a comment with the reasons.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from reactor.attempt import EffectRefused
from reactor.codec import UnreadableLine
from reactor.command_desk import DESK
from reactor.effect import Effect, effect_key
from reactor.github.command_replies import corrections
from reactor.github.effects import React
from reactor.ledger import Caps, Intent, Ledger
from reactor.ports import Stored
from reactor.status import ProcessHead

Reads = Callable[[str], Awaitable[Stored | None]]
"""A process, by its id.  Raises `InfrastructureError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LateRefusals:
    """Looks at what is to say that commands are done; a repeat does no harm."""

    reads: Reads
    ledger: Ledger
    caps: Caps
    now: Callable[[], datetime]

    async def look_at(self, intent: Intent) -> None:
        """Fits `Look`: have it told first which changes were not made.

        Raises `EffectRefused` where none was, and `InfrastructureError`.
        """
        record, done = intent.record, intent.record.effect
        if record.package != DESK or not isinstance(done, React) or done.content != "+1":
            return
        wanted = await self._wanted(intent.process_id)
        fates = await self.ledger.fates(record.subject, list(wanted)) if wanted else {}
        refused = [
            f"{wanted[key]}: {fate.reason}"
            for key, fate in fates.items()
            if fate.state in ("refused", "given_up")
        ]
        held = [wanted[key] for key, fate in fates.items() if fate.state == "held"]
        answers = [_answer(intent, each) for each in corrections(done, refused, held)]
        if answers:
            await self.ledger.enrol(answers, self.caps, now=self.now())
        if answers and all(fate.state != "done" for fate in fates.values()):
            raise EffectRefused("nothing of what was asked for was done")

    async def _wanted(self, process_id: str) -> Mapping[str, str]:
        """By key, what was to be sent for its commands, for people."""
        try:
            stored = await self.reads(process_id)
        except UnreadableLine:  # what another version wrote holds up no answer
            return {}
        if stored is None:  # it is not kept any more
            return {}
        wanted = {
            each.key: _shown(each.effect, stored.head)
            for each in stored.effects
            if each.package != DESK and (each.state, each.mode) == ("intended", "live")
        }
        for child in stored.head.children:
            wanted |= await self._wanted(child)
        return wanted


def _shown(effect: Effect, head: ProcessHead) -> str:
    """By kind alone where a model may have worded it: nobody has let that through."""
    return effect.kind if head.parent_id else effect.describe()


def _answer(done: Intent, effect: Effect) -> Intent:
    """In the place of what would have said that it is done."""
    subject = done.record.subject
    key = effect_key(effect, host=done.host, subject=subject, cause=done.cause)
    return replace(done, record=replace(done.record, key=key, effect=effect))
