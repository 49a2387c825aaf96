"""What a replay keeps of its own, where the journal has no answer: who was first, what was saved.

Filled by the replayed deliveries in their order.  All that they are told is written down as well,
a line each, so that a replay that was killed can fill them again.  Around the stores in memory,
which are passed in.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reactor.encoded import Encoded
from reactor.ports import Contexts, Firsts
from reactor.replay.clock import StandingClock
from reactor.storms import BotEvents


@dataclass(frozen=True, slots=True)
class Told:
    """What the stores were told and is not written down yet, a JSON line each."""

    lines: list[str] = field(default_factory=list)

    def add(self, *words: object) -> None:
        """One thing."""
        self.lines.append(json.dumps(words))

    def take(self) -> list[str]:
        """All of it; it is up to the caller now."""
        taken = list(self.lines)
        self.lines.clear()
        return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStores:
    """The stores of one run; each fits the port of its name."""

    firsts: "ToldFirsts"
    contexts: "ToldContexts"
    bot_events: "ToldBotEvents"
    told: Told

    async def fill(self, lines: Iterable[list[Any]], clock: StandingClock) -> None:
        """Tell them what they were told before; nothing of it is written down again."""
        for store, *words in lines:
            if store == "first":
                entity, purpose, process_id = words
                await self.firsts.claim_new(entity, purpose=purpose, process_id=process_id)
            elif store == "context":
                context_id, facts = words
                encoded = {name: Encoded(kind, text.encode()) for name, kind, text in facts}
                await self.contexts.save(context_id, encoded)
            elif store == "bot":
                subject, delivery, at = words
                clock.stand(datetime.fromisoformat(at))
                await self.bot_events.count(subject, delivery)
        self.told.lines.clear()


@dataclass(frozen=True, slots=True)
class ToldFirsts:
    """Who saw what first; fits the port `Firsts`."""

    firsts: Firsts
    told: Told

    async def claim_new(self, entity: str, *, purpose: str, process_id: str) -> bool:
        """As the store says."""
        is_new = await self.firsts.claim_new(entity, purpose=purpose, process_id=process_id)
        if is_new:
            self.told.add("first", entity, purpose, process_id)
        return is_new


@dataclass(frozen=True, slots=True)
class ToldContexts:
    """Facts that outlive processes; fits the port `Contexts`."""

    contexts: Contexts
    told: Told

    async def load(self, context_id: str) -> Mapping[str, Encoded]:
        """As the store says."""
        return await self.contexts.load(context_id)

    async def save(self, context_id: str, facts: Mapping[str, Encoded]) -> None:
        """And write it down."""
        await self.contexts.save(context_id, facts)
        listed = [(name, fact.type_name, fact.json.decode()) for name, fact in facts.items()]
        self.told.add("context", context_id, listed)


@dataclass(frozen=True, slots=True)
class ToldBotEvents:
    """How many events by bots a subject had; fits `reactor.storms.BotEvents`."""

    events: BotEvents
    clock: StandingClock
    told: Told

    async def count(self, subject: str, delivery: str) -> bool:
        """As the store says."""
        counts = await self.events.count(subject, delivery)
        if counts:
            self.told.add("bot", subject, delivery, self.clock.now().isoformat())
        return counts


def own_stores(
    firsts: Firsts, contexts: Contexts, bot_events: BotEvents, clock: StandingClock
) -> OwnStores:
    """Around empty ones."""
    told = Told()
    return OwnStores(
        firsts=ToldFirsts(firsts, told),
        contexts=ToldContexts(contexts, told),
        bot_events=ToldBotEvents(bot_events, clock, told),
        told=told,
    )
