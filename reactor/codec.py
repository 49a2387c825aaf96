"""What a store keeps of a process, as lines: changes, history, effects, head, journal.

Each is JSON in UTF-8, one object on one line.  What carries a typed value takes three: the type,
the other fields, the value, so that no value is ever encoded twice.

    put      {"put":"reactor.github.models:Issue"}
             {"seq":1,"name":"issue","producer":"seed","at":"...","protected":false}
             {"id":1296269, ...}
    hide     {"hide":1}                          the number of the entry
    flag     {"flag":"reviewed","value":true}
    clear    {"clear":[1,4]}                     the numbers of the entries that stay
    effect   {"effect":"reactor.github.effects:AddLabels"}
             {"key":"...","subject":"...","action":"...","mode":"observe","state":"observed"}
             {"labels":["bug"], ...}
    others   the fields of `Run`, `ProcessHead` and `JournalRecord`

Fields that a later version added are ignored, so workers of two versions can share a store.
"""

from typing import Any, TypeVar

import orjson
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from reactor.blackboard import Change, Clear, Entry, Hide, Put, SetFlag, UnknownValue
from reactor.catalog import TypeCatalog
from reactor.effect import Effect, EffectRecord
from reactor.encoded import Encoded, not_json
from reactor.errors import ReactorError
from reactor.journal import JournalRecord
from reactor.status import ProcessHead, Run

T = TypeVar("T")


class UnreadableLine(ReactorError):
    """The store holds a line that this version can't read."""

    def __init__(self, what: str, line: str) -> None:
        super().__init__(what, line)
        self.what, self.line = what, line

    def __str__(self) -> str:
        return (
            f"a stored {self.what} can't be read: {self.line!r}; was it written by a newer"
            " version? run that one, or let the process expire"
        )


class UnknownEffect(Effect):
    """A stored effect whose type is not installed (any more): kept as it was, never executed."""

    type_name: str
    raw: str  # the JSON text that was stored

    @property
    def kind(self) -> str:
        """The class name it had."""
        return self.type_name.rpartition(":")[2].rpartition(".")[2]


class Codec:
    """Writes and reads the lines; values by the types of `catalog`.

    Writing raises `UnstorableValue`, reading `UnreadableLine`.  Whether a value would come back
    as it is was asked before it got onto the board (`TypeCatalog.check`), so it isn't here.
    """

    def __init__(self, catalog: TypeCatalog) -> None:
        self.catalog = catalog
        self._entries = TypeAdapter(Entry)
        self._effects = TypeAdapter(EffectRecord)
        self._heads = TypeAdapter(ProcessHead)
        self._runs = TypeAdapter(Run)
        self._records = TypeAdapter(JournalRecord)

    def encode_change(self, change: Change) -> bytes:
        """One line, or three for an entry."""
        match change:
            case Put(entry):
                value = self.catalog.encode(entry.value)
                return _three("put", value, _dump(self._entries, entry, but="value"))
            case Hide(seq):
                return to_json({"hide": seq})
            case SetFlag(name, value):
                return to_json({"flag": name, "value": value})
            case Clear(keep):
                return to_json({"clear": sorted(keep)})

    def decode_change(self, line: bytes) -> Change:
        """The change as it was."""
        first, _, rest = line.partition(b"\n")
        try:
            match from_json(first):
                case {"put": str(type_name)}:
                    fields, _, value = rest.partition(b"\n")
                    entry = from_json(fields) | {"value": self.catalog.decode(type_name, value)}
                    return Put(self._entries.validate_python(entry))
                case {"hide": int(seq)}:
                    return Hide(seq)
                case {"flag": str(name), "value": bool(value)}:
                    return SetFlag(name, value)
                case {"clear": list(keep)}:
                    return Clear(frozenset(keep))
        except ValueError as error:
            raise _unreadable("change", line) from error
        raise _unreadable("change", line)

    def encode_effect(self, record: EffectRecord) -> bytes:
        """An effect of an unknown type is written as it was."""
        effect = record.effect
        if isinstance(effect, UnknownEffect):
            encoded = Encoded(effect.type_name, effect.raw.encode())
        else:
            encoded = self.catalog.encode(effect)
        return _three("effect", encoded, _dump(self._effects, record, but="effect"))

    def decode_effect(self, line: bytes) -> EffectRecord:
        """The record as it was, with an `UnknownEffect` where its type is not installed."""
        try:
            first, fields, json = line.split(b"\n")
            effect = self.catalog.decode(from_json(first)["effect"], json)
            if isinstance(effect, UnknownValue):
                effect = UnknownEffect(type_name=effect.type_name, raw=effect.raw)
            return self._effects.validate_python(from_json(fields) | {"effect": effect})
        except (ValueError, LookupError) as error:
            raise _unreadable("effect", line) from error

    def encode_head(self, head: ProcessHead) -> bytes:
        """One line."""
        return _dump(self._heads, head)

    def decode_head(self, line: bytes) -> ProcessHead:
        """The head as it was."""
        return _load(self._heads, line, "head of a process")

    def encode_run(self, run: Run) -> bytes:
        """One line."""
        return _dump(self._runs, run)

    def decode_run(self, line: bytes) -> Run:
        """The run as it was."""
        return _load(self._runs, line, "run")

    def encode_record(self, record: JournalRecord) -> bytes:
        """One line; tuples in its data come back as lists, infinity as null."""
        try:
            return orjson.dumps(
                record
            )  # the bulkiest line: pydantic would take three times as long
        except TypeError as error:
            raise not_json(record, error) from error

    def decode_record(self, line: bytes) -> JournalRecord:
        """The record as it was."""
        return _load(self._records, line, "journal record")


def _three(word: str, value: Encoded, fields: bytes) -> bytes:
    return b"%b\n%b\n%b" % (to_json({word: value.type_name}), fields, value.json)


def _dump(adapter: TypeAdapter[Any], record: object, *, but: str = "") -> bytes:
    try:
        return adapter.dump_json(record, exclude={but} if but else None)
    except ValueError as error:
        raise not_json(record, error) from error


def _load(adapter: TypeAdapter[T], line: bytes, what: str) -> T:
    try:
        return adapter.validate_json(line)
    except ValueError as error:
        raise _unreadable(what, line) from error


def _unreadable(what: str, line: bytes) -> UnreadableLine:
    return UnreadableLine(what, line[:200].decode(errors="replace"))
