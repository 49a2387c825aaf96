"""What a ledger keeps of an intent, in writing: the effect as a line of the codec, the rest as JSON.

An effect is read back only into a type of the catalog.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import from_json

from reactor.codec import Codec, UnreadableLine
from reactor.ledger import Intent


@dataclass(frozen=True, slots=True)
class IntentLines:
    """An intent as it is kept."""

    effect: bytes
    told: bytes  # the other fields, a JSON object


class LedgerLines:
    """Writes and reads intents.  Raises `UnstorableValue` and `UnreadableLine`."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._intents = TypeAdapter(Intent)

    def write(self, intent: Intent) -> IntentLines:
        """Two lines."""
        told = self._intents.dump_json(intent, exclude={"record"})
        return IntentLines(self._codec.encode_effect(intent.record), told)

    def read(self, lines: IntentLines) -> Intent:
        """The intent as it was; its effect an `UnknownEffect` where its type is not installed."""
        try:
            told: dict[str, Any] = from_json(lines.told)
            known = {name: told[name] for name in Intent.__slots__ if name in told}
            if happened_at := known.get("happened_at"):
                known["happened_at"] = datetime.fromisoformat(happened_at)
            return Intent(record=self._codec.decode_effect(lines.effect), **known)
        except (ValueError, TypeError) as error:
            raise UnreadableLine("intent", lines.told[:200].decode(errors="replace")) from error
