"""Effects that were given up: which ones are meant, and driving them again.

Takes a ledger and what people say; pure but for the ledger's calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from reactor.errors import ReactorError
from reactor.ledger import GivenUp, Ledger

MOST_LISTED = 10_000  # newest first; a retry of more is done in several goes
SHORT = 12  # digits of a key that are shown, and are enough to name it


class NotGivenUp(ReactorError):
    """No effect that was given up has this key."""

    def __init__(self, key: str, fitting: tuple[str, ...] = ()) -> None:
        super().__init__(key, fitting)
        self.key, self.fitting = key, fitting

    def __str__(self) -> str:
        if self.fitting:
            return f"{self.key!r} is the beginning of several keys: {', '.join(self.fitting)}"
        return (
            f"no effect {self.key!r} is given up; `reactor effects list` shows those that are, and"
            " one that is driven again or was done is none of them"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which effects are meant; what is left open fits everything."""

    keys: tuple[str, ...] = ()  # or their beginnings
    kind: str = ""  # "AddLabels"
    repo: str = ""  # "octo/hello"
    subject: str = ""  # "octo/hello#7"
    delivery: str = ""  # an id, with its host or without
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing was said, so that everything is meant."""
        return self == Selection()

    def fits(self, found: GivenUp) -> bool:
        """Whether it is meant."""
        intent = found.intent
        if self.keys and not intent.key.startswith(self.keys):
            return False
        if self.since and found.at < self.since:
            return False
        if self.until and found.at >= self.until:
            return False
        return (
            self.kind in ("", intent.record.effect.kind)
            and self.repo in ("", intent.subject_name.partition("#")[0])
            and self.subject in ("", intent.subject_name, intent.record.subject)
            and self.delivery in ("", intent.delivery, intent.delivery.rpartition("/")[2])
        )


async def listed(ledger: Ledger, selection: Selection) -> list[GivenUp]:
    """Those that are meant, newest first.  Raises `NotGivenUp` for a key that fits not one."""
    found = [each for each in await ledger.given_up(limit=MOST_LISTED) if selection.fits(each)]
    for key in selection.keys:
        fitting = tuple(each.intent.key for each in found if each.intent.key.startswith(key))
        if len(fitting) != 1:
            raise NotGivenUp(key, fitting)
    return found


def in_order(found: Sequence[GivenUp]) -> list[GivenUp]:
    """As they are driven again: those first that were given up first, as each subject had them."""
    return sorted(found, key=lambda each: each.at)
