"""Withholding: an effect whose turn has come, and that is no longer allowed.

What was granted when it was wished for may have been taken back since, and then it is refused, with
who says so.  Where it needs approval by now it goes back to be held, unless a person has approved
it already: a person's word covers what needs one, and nothing that is refused.
"""

from dataclasses import dataclass

from reactor.errors import InfrastructureError
from reactor.granting import Granting
from reactor.ledger import Outcome, Sending
from reactor.platform import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Withholding:
    """Looks at what is about to be sent."""

    granting: Granting
    platform: Platform  # tells whose effect it is, where its record does not

    async def __call__(self, sending: Sending) -> Outcome | None:
        """None: it may be sent.  Raises `InfrastructureError` while nobody can tell."""
        intent = sending.intent
        record = intent.record
        allowed = await self.granting.on(record.subject, name=intent.subject_name, host=intent.host)
        if allowed.unknown:
            raise InfrastructureError(intent.host, allowed.unknown)
        package = record.package or self._package_of(record.action)
        verdict = allowed.judge(record.effect, package=package)
        if verdict.decision == "allow":
            return None
        if verdict.decision != "hold":
            return Outcome(state="refused", reason=verdict.reason + _doubt(sending))
        is_approved = record.mode == "approve" or sending.is_approved
        return None if is_approved else Outcome(state="held", reason=verdict.reason)

    def _package_of(self, action: str) -> str:
        """Of an effect that a version before this one has recorded."""
        found = self.platform.actions.get(action)
        return found.component.package.name if found else ""


def _doubt(sending: Sending) -> str:
    return "; an earlier try may have made the change" if sending.may_be_done else ""
