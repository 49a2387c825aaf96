"""Prompting: where effects are held, one comment tells people what waits, and how to approve it.

    effects are held -> what waits on their subject -> one prompt, written anew in place

The prompt is an effect like any other, but never held itself.  What each one listed is remembered:
an approval that names nothing means what the last one listed, and nothing that came later.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reactor.approvals import approval_id
from reactor.effect import Effect, EffectRecord, effect_key
from reactor.granting import PROMPTS
from reactor.ledger import Ledger
from reactor.preview import preview_effect
from reactor.prompt import Listed, Prompt, Prompts
from reactor.status import ProcessHead
from reactor.worker import Outlet

ACTION = "reactor.prompt"  # that is said to want the prompt: no action of a component does
MOST_LISTED = 50  # of one prompt; what is beyond can be approved by its id


WritePrompt = Callable[[Sequence[Listed]], Effect]
"""Makes the effect that tells people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    """Fits the worker's `Outlet`, in front of the one that sends."""

    outlet: Outlet
    ledger: Ledger
    prompts: Prompts
    write: WritePrompt

    async def take(self, head: ProcessHead, effects: Sequence[EffectRecord]) -> None:
        """Let them be taken; then see to it that what is held is listed.  A repeat does no harm.

        Raises `InfrastructureError`.
        """
        await self.outlet.take(head, effects)
        for subject, records in _by_subject(effects).items():
            await self._prompt(head, subject, records)

    async def _prompt(
        self, head: ProcessHead, subject: str, records: Mapping[str, EffectRecord]
    ) -> None:
        earlier = await self.prompts.of(subject)
        if earlier and records.keys() <= {each.key for each in earlier[0].listed}:
            return  # somebody repeats this
        known = {each.key: each for prompt in reversed(earlier) for each in prompt.listed}
        known |= {key: _listed(record) for key, record in records.items()}
        fates = await self.ledger.fates(subject, list(known))
        waiting = [
            each for key, each in known.items() if key in fates and fates[key].state == "held"
        ]
        if not any(each.key in records for each in waiting):
            return
        listed = tuple(waiting[-MOST_LISTED:])
        effect = self.write(listed)
        key = effect_key(effect, host=head.host, subject=subject, cause=head.cause)
        wanted = EffectRecord(
            key=key,
            effect=effect,
            subject=subject,
            action=ACTION,
            mode="live",
            state="intended",
            package=PROMPTS,
        )
        await self.outlet.take(head, [wanted])
        await self.prompts.add(subject, Prompt(key=key, listed=listed))


def _by_subject(effects: Sequence[EffectRecord]) -> Mapping[str, Mapping[str, EffectRecord]]:
    """Those that may be held, by key, for each issue or pull request: others have no comments."""
    found: dict[str, dict[str, EffectRecord]] = {}
    for record in effects:
        if record.mode == "approve" and record.state == "intended" and "#" in record.subject:
            found.setdefault(record.subject, {})[record.key] = record
    return found


def _listed(record: EffectRecord) -> Listed:
    return Listed(
        key=record.key,
        id=approval_id(record.key),
        would=preview_effect(record.effect),
        action=record.action,
    )
